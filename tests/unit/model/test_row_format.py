from dataclasses import fields, replace

import orjson
import pytest

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.names import AgentId, IdempotencyKey
from orchestrate.model.row_format import decode_row, encode_row
from orchestrate.model.rows import Launch, OnRemote, PathsCheck, TaskRow
from orchestrate.model.vocabulary import FailureMode, TaskType
from tests.support.records import FULL_ROW, MOMENT, row

FORMAT_FIELDS = [
    *("name", "type", "branch", "startingRef", "dependsOn", "agentId", "runId", "parentAgentId", "status"),
    *("resultStatus", "handoffPath", "startedAt", "finishedAt", "lastUpdate", "note", "attempts", "slackTs"),
    *("prNumber", "failureMode", "verification"),
]


def through_bytes(subject: TaskRow) -> TaskRow:
    return decode_row(orjson.loads(encode_row(subject)), where="row")


def test_the_full_row_sets_every_field():
    plain = row()
    assert [each.name for each in fields(TaskRow) if getattr(FULL_ROW, each.name) == getattr(plain, each.name)] == []


@pytest.mark.parametrize(
    "subject", [FULL_ROW, row(), row(launch=Launch(AgentId("bc-1"), IdempotencyKey("k"), 1, MOMENT))]
)
def test_a_row_comes_back_as_it_was(subject):
    assert through_bytes(subject) == subject


def test_a_plain_row_has_the_fields_of_the_format_and_no_others():
    document = orjson.loads(encode_row(row()))

    assert list(document) == FORMAT_FIELDS
    assert document["agentId"] is None
    assert document["dependsOn"] == []


def test_foreign_words_read_as_unknown_and_are_written_back():
    foreign = {"name": "a", "type": "worker", "status": "error", "failureMode": "context-limit", "spawnLog": ["x"]}

    read = decode_row(foreign, where="row")

    assert read.failure_mode is None
    assert orjson.loads(encode_row(read)).items() >= foreign.items()


def test_a_value_of_ours_replaces_a_foreign_one():
    read = decode_row({"name": "a", "status": "error", "failureMode": "context-limit"}, where="row")

    known = replace(read, failure_mode=FailureMode.OOM)

    assert orjson.loads(encode_row(known))["failureMode"] == "oom"


def test_the_reference_to_a_tracker_is_dropped():
    assert decode_row({"name": "a", "status": "error", "trackerRef": {"id": 1}}, where="row").extra == {}


def test_a_row_without_a_type_is_a_worker():
    assert decode_row({"name": "a", "status": "pending"}, where="row").type is TaskType.WORKER


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"status": "pending"}, "file tasks[0].name: expected text, found nothing"),
        (
            {"name": "../x", "status": "pending"},
            'file tasks[0].name: "../x" is no task name (lower-case words joined by hyphens)',
        ),
        (
            {"name": "a"},
            "file tasks[0].status: nothing is none of pending, running, handed-off, error, cancelled, pruned",
        ),
        (
            {"name": "a", "status": "pending", "type": "boss"},
            'file tasks[0].type: "boss" is none of worker, subplanner, verifier',
        ),
        (None, "file tasks[0]: expected an object, found nothing"),
    ],
)
def test_a_row_that_is_not_sound_is_refused_with_its_field(document, message):
    with pytest.raises(WorkspaceDamaged) as refusal:
        decode_row(document, where="file tasks[0]")
    assert refusal.value.message == message


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("launch", {"agentId": "bc-1", "idempotencyKey": "k", "attempt": 1}),
        ("verdicts", [{"by": "v"}]),
        ("cancel", {"by": "operator"}),
        ("measured", [{"name": "size", "outcome": "match", "at": MOMENT}]),
        ("findings", [{"kind": "of another tool", "message": "look"}]),
    ],
)
def test_an_incomplete_object_is_kept_as_it_came(key, value):
    read = decode_row({"name": "a", "status": "running", key: value}, where="row")

    assert not getattr(read, key)
    assert read.extra == {key: value}


@pytest.mark.parametrize(
    "seen", [OnRemote(MOMENT, is_there=True), OnRemote(MOMENT, is_there=False), OnRemote(MOMENT, unknown="no route")]
)
def test_a_look_at_the_remote_comes_back_as_it_was(seen):
    assert through_bytes(row(on_remote=seen)).on_remote == seen


def test_a_look_at_the_remote_that_says_nothing_is_kept_and_means_nothing():
    foreign = {"name": "a", "type": "worker", "status": "error", "onRemote": {"at": MOMENT}}
    read = decode_row(foreign, where="row")
    assert read.on_remote is None
    assert orjson.loads(encode_row(read)).items() >= foreign.items()
    unexplained = orjson.loads(encode_row(row(on_remote=OnRemote(MOMENT))))["onRemote"]
    assert unexplained == {"at": MOMENT, "unknown": "it was not said why"}


@pytest.mark.parametrize("check", [PathsCheck(MOMENT), PathsCheck(MOMENT, unknown="no route")])
def test_a_look_at_paths_comes_back_as_it_was(check):
    assert through_bytes(row(paths_check=check)).paths_check == check


def test_a_look_at_paths_without_its_moment_is_kept_and_says_nothing():
    foreign = {"name": "a", "type": "worker", "status": "error", "pathsCheck": {"total": 1}, "accepted": {"by": "ana"}}
    read = decode_row(foreign, where="row")
    assert (read.paths_check, read.accepted) == (None, None)
    assert orjson.loads(encode_row(read)).items() >= foreign.items()


def test_findings_count_at_least_themselves():
    check = {"at": MOMENT, "notKept": [{"path": "a", "rule": "forbidden"}]}
    read = decode_row({"name": "a", "status": "error", "pathsCheck": check}, where="row")
    assert read.paths_check is not None
    assert read.paths_check.total == 1
    odd = {"at": MOMENT, "notKept": [{"path": "a", "rule": "odd"}]}
    assert decode_row({"name": "a", "status": "error", "pathsCheck": odd}, where="row").paths_check.findings == ()
