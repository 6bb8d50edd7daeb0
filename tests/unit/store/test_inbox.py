"""The files of the inbox, among them hostile ones."""

import json
import os
import uuid

import pytest

from orchestrate.errors import InputRefused, OrchestrateError
from orchestrate.model.inbox_format import encode_request
from orchestrate.model.inbox_requests import AcceptRequest, InboxAnswer, UnknownRequest
from orchestrate.ports import Misfit
from orchestrate.store.files import Folder
from orchestrate.store.inbox import InboxFiles

A, B = (str(uuid.UUID(int=number)) for number in (1, 2))


def a_request(request_id=A, **fields):
    return AcceptRequest(**{"id": request_id, "by": "ana", "task": "a", "branch": "ana/a", **fields})


@pytest.fixture
def box(tmp_path):
    return InboxFiles(Folder(tmp_path))


@pytest.fixture
def inbox(tmp_path):
    (tmp_path / "inbox").mkdir()
    return tmp_path / "inbox"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_request_is_taken_until_it_is_answered_and_the_answer_once(box, tmp_path):
    box.put(a_request())
    assert box.take() == box.take() == [a_request()]
    assert box.answer_to(A) is None
    answer = InboxAnswer(A, is_done=True, details={"task": "a"})
    box.answer(answer)
    assert names(tmp_path / "inbox") == [f"{A}.done.json"]
    assert box.take() == []
    assert (box.answer_to(A), box.answer_to(A)) == (answer, None)
    assert names(tmp_path / "inbox") == []


def test_requests_come_oldest_first(box, inbox):
    for request_id, moment in ((A, 2_000), (B, 1_000)):
        box.put(a_request(request_id))
        os.utime(inbox / f"{request_id}.json", (moment, moment))
    assert [request.id for request in box.take()] == [B, A]


def test_a_crash_between_the_answer_and_the_removal_leaves_an_answered_request(box, inbox):
    box.put(a_request())
    box.answer(InboxAnswer(A, is_done=True))
    (inbox / f"{A}.json").write_bytes(encode_request(a_request()))
    assert box.take() == []
    assert names(inbox) == [f"{A}.done.json"]


def test_a_request_can_be_taken_back(box, inbox):
    box.put(a_request())
    box.withdraw(A)
    box.withdraw(A)
    assert box.take() == []


def test_without_an_inbox_nothing_was_asked(box):
    assert box.take() == []
    assert box.answer_to(A) is None
    box.withdraw(A)
    box.tidy(0)


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.symlink_to("/etc/passwd"),
        lambda path: path.symlink_to(path.parent / "nowhere"),
        os.mkfifo,
        lambda path: path.mkdir(),
        lambda path: path.write_bytes(b"x" * 300_000),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\xff\xfe"),
        lambda path: path.write_bytes(b"[" * 9_000),
        lambda path: path.write_bytes(json.dumps({"id": B, "kind": "accept"}).encode()),
    ],
    ids=["link", "broken link", "pipe", "folder", "large", "empty", "bytes", "deep", "another id"],
)
def test_what_is_no_request_is_moved_away_and_named(box, inbox, make):
    make(inbox / f"{A}.json")
    (misfit,) = box.take()
    assert isinstance(misfit, Misfit)
    assert (misfit.name, misfit.request_id) == (f"{A}.json", A)
    assert names(inbox) == ["rejected"]
    assert names(inbox / "rejected") == [f"{A}.json"]
    assert box.take() == []


@pytest.mark.parametrize("name", ["readme.txt", f"{A}.json.bak", f"{A.upper()[:-1]}F.json", "x.json", f"{A}.done"])
def test_a_file_of_another_name_is_moved_away_too(box, inbox, name):
    (inbox / name).write_text("{}")
    (misfit,) = box.take()
    assert (misfit.name, misfit.request_id) == (name, None)
    assert names(inbox / "rejected") == [name]


def test_an_answer_that_is_no_file_is_moved_away(box, inbox):
    (inbox / f"{A}.done.json").mkdir()
    assert [item.name for item in box.take()] == [f"{A}.done.json"]


def test_a_request_of_an_unknown_kind_is_kept_for_its_answer(box, inbox):
    (inbox / f"{A}.json").write_text(json.dumps({"id": A, "kind": "dance"}))
    assert box.take() == [UnknownRequest(A, by="", named="dance")]
    assert names(inbox) == [f"{A}.json"]


def test_files_set_aside_have_names_of_their_own_and_are_not_without_number(box, inbox):
    for _ in range(3):
        (inbox / "x").write_text("x")
        assert len(box.take()) == 1
    assert names(inbox / "rejected") == ["x", "x.1", "x.2"]
    for number in range(200):
        (inbox / f"y{number}").write_text("y")
    while box.take():
        pass
    assert names(inbox) == ["rejected"]
    assert len(names(inbox / "rejected")) == 100


def test_one_look_takes_up_so_many_and_the_next_the_rest(box, inbox):
    for number in range(70):
        (inbox / f"x{number}").write_text("x")
    assert [len(box.take()), len(box.take())] == [64, 6]


def test_what_cannot_be_moved_away_stays_and_is_passed_over(box, inbox):
    (inbox / "rejected").symlink_to("/tmp")
    (inbox / "x").write_text("x")
    box.put(a_request())
    assert box.take() == [a_request()]
    assert names(inbox) == [f"{A}.json", "rejected", "x"]


def test_what_others_are_writing_is_left_alone(box, inbox):
    (inbox / ".x.0123456789abcdef.tmp").write_text("half")
    assert box.take() == []
    assert names(inbox) == [".x.0123456789abcdef.tmp"]


def test_an_inbox_that_is_a_link_is_refused(box, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "inbox").symlink_to(tmp_path / "elsewhere")
    for call in (box.take, lambda: box.put(a_request()), lambda: box.withdraw(A), lambda: box.answer_to(A)):
        with pytest.raises(OrchestrateError):
            call()
    assert names(tmp_path / "elsewhere") == []


def test_an_answer_in_the_place_of_a_link_is_refused(box, inbox):
    (inbox / f"{A}.done.json").symlink_to(inbox / "x")
    with pytest.raises(InputRefused):
        box.answer(InboxAnswer(A, is_done=True))


def test_what_nobody_came_back_for_is_given_up_after_a_day(box, inbox):
    for name in (f"{A}.done.json", ".x.0123456789abcdef.tmp", f"{B}.json"):
        (inbox / name).write_text("{}")
        os.utime(inbox / name, (1_000, 1_000))
    box.tidy(1_000 + 86_399)
    assert len(names(inbox)) == 3
    box.tidy(1_000 + 86_401)
    assert names(inbox) == [f"{B}.json"]
