"""Requests of other processes and their answers, as files."""

import json

import orjson
import pytest

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.inbox_format import (
    LARGEST_REQUEST_BYTES,
    LONGEST_TEXT,
    MOST_TASKS,
    decode_answer,
    decode_request,
    encode_answer,
    encode_request,
)
from orchestrate.model.inbox_requests import (
    AcceptRequest,
    AndonClearRequest,
    AndonRaiseRequest,
    CancelRequest,
    DropRequest,
    InboxAnswer,
    RespawnRequest,
    SpawnRequest,
    SteerRequest,
    UnknownRequest,
)

R = "11111111-0000-4000-8000-000000000001"
DOCUMENT = {"id": R, "kind": "accept", "by": "ana", "task": "a", "branch": "ana/a"}


@pytest.mark.parametrize("note", [None, "Took out the cache.\n\x00\ud800"])
def test_a_request_comes_back_as_it_was(note):
    request = AcceptRequest(R, by="ana", task="a", branch="ana/a", note=note)
    expected = AcceptRequest(R, by="ana", task="a", branch="ana/a", note=None if note is None else note[:-1] + "?")
    assert decode_request(encode_request(request), request_id=R) == expected


def test_the_longest_note_is_within_the_bound_of_a_file():
    request = AcceptRequest(R, by="a" * 200, task="a" * 64, branch="b" * 200, note="\x01" * LONGEST_TEXT)
    data = encode_request(request)
    assert len(data) <= LARGEST_REQUEST_BYTES
    assert decode_request(data, request_id=R) == request


def test_a_kind_that_is_not_known_is_no_damage():
    assert decode_request(orjson.dumps({"id": R, "kind": "dance"}), request_id=R) == UnknownRequest(
        R, by="", named="dance"
    )
    (unknown,) = [decode_request(orjson.dumps({"id": R, "kind": "x" * 999}), request_id=R)]
    assert unknown == UnknownRequest(R, by="", named="x" * 200)


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": "22222222-0000-4000-8000-000000000002"},
        {"id": None},
        {"kind": ""},
        {"kind": 3},
        {"task": "Not Kebab"},
        {"task": "../x"},
        {"task": None},
        {"branch": "-x"},
        {"branch": "a b"},
        {"branch": "b" * 201},
        {"branch": ["main"]},
        {"by": ""},
        {"by": "a" * 201},
        {"note": "x" * (LONGEST_TEXT + 1)},
    ],
    ids=lambda wrong: json.dumps(wrong)[:40],
)
def test_what_is_no_request_is_refused(wrong):
    with pytest.raises(WorkspaceDamaged):
        decode_request(orjson.dumps({**DOCUMENT, **wrong}), request_id=R)


@pytest.mark.parametrize("data", [b"", b"\0", b"[]", b"[" * 9999, b'"x"', b"{" + b" " * 99])
def test_what_is_no_object_is_refused(data):
    with pytest.raises(WorkspaceDamaged):
        decode_request(data, request_id=R)


@pytest.mark.parametrize(
    "answer",
    [
        InboxAnswer(R, is_done=True, details={"task": "a", "released": ["b"]}),
        InboxAnswer(R, is_done=True),
        InboxAnswer(R, is_done=False, code="task_running", message="a runs.", hint="wait"),
        InboxAnswer(R, is_done=False, code="no_request", message="not JSON"),
    ],
)
def test_an_answer_comes_back_as_it_was(answer):
    assert decode_answer(encode_answer(answer), request_id=R) == answer


@pytest.mark.parametrize(
    "request_",
    [
        CancelRequest(R, "ana", task="a"),
        SteerRequest(R, "ana", task="a", digest="0" * 64),
        DropRequest(R, "ana", task="a", message=R),
        SpawnRequest(R, "ana", definition={"name": "a", "dependsOn": ["b"]}),
        AndonRaiseRequest(R, "ana", reason="main is broken"),
        AndonClearRequest(R, "ana", note="green again"),
        AndonClearRequest(R, "ana"),
        RespawnRequest(R, "ana", tasks=("a", "b")),
        RespawnRequest(R, "ana", tasks=("a",), again=True, cascade=True, source=True, starting_refs={"a": "cursor/a"}),
    ],
)
def test_every_kind_comes_back_as_it_was(request_):
    assert decode_request(encode_request(request_), request_id=R) == request_


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "cancel", "task": "A"},
        {"kind": "spawn", "definition": "x"},
        {"kind": "steer", "digest": "0"},
        {"kind": "drop-message", "message": "../x"},
        {"kind": "respawn", "tasks": []},
        {"kind": "respawn", "tasks": ["../x"]},
        {"kind": "respawn", "tasks": ["a"] * (MOST_TASKS + 1)},
        {"kind": "respawn", "tasks": ["a"], "startingRefs": {"b": "main"}},
        {"kind": "respawn", "tasks": ["a"], "startingRefs": {"a": "--upload-pack"}},
        {"kind": "respawn", "tasks": ["a"], "startingRefs": {"a": 3}},
    ],
    ids=lambda wrong: json.dumps(wrong)[:60],
)
def test_what_is_no_request_of_its_kind_is_refused(wrong):
    with pytest.raises(WorkspaceDamaged):
        decode_request(orjson.dumps({"id": R, "by": "ana", **wrong}), request_id=R)
