import anyio
import pytest

from orchestrate.cli import requesting
from orchestrate.cli.locating import locate
from orchestrate.cli.requesting import Place, new_request_id, send_request, this_person
from orchestrate.errors import OutcomeUnknown, WorkspaceDamaged
from orchestrate.model.inbox_requests import AcceptRequest, InboxAnswer
from orchestrate.model.names import is_request_id
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.store.files import Folder
from orchestrate.store.inbox import InboxFiles
from orchestrate.store.loading import read_workspace
from orchestrate.store.lock import WorkspaceLock
from orchestrate.system import SystemClock
from tests.support.builders import a_plan, a_running_row, a_task
from tests.support.workspaces import a_plan_document, write_plan, write_state


@pytest.fixture
def place(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    write_state(tmp_path, [a_running_row("a", status=TaskStatus.ERROR)])
    return Place(locate(str(tmp_path)), a_plan("a"), repo_url="../remote.git", variables={})


@pytest.fixture
def held(place):
    lock = WorkspaceLock(Folder(place.location.folder), engine="other")
    lock.acquire(SystemClock().now())
    yield lock
    lock.release()


def a_request():
    return AcceptRequest(new_request_id(), by="ana", task="a", branch="ana/a")


def inbox_of(place):
    return sorted(path.name for path in (place.location.folder / "inbox").iterdir())


def test_where_nobody_runs_the_workspace_we_answer_ourselves(place):
    answer = send_request(place, a_request())
    assert (answer.is_done, answer.details["branch"]) == (True, "ana/a")
    assert inbox_of(place) == []
    assert read_workspace(place.location.folder).rows["a"].status == TaskStatus.HANDED_OFF


def test_requests_that_others_left_are_answered_as_well(place):
    other = a_request()
    InboxFiles(Folder(place.location.folder)).put(other)
    mine = send_request(place, a_request())
    assert [mine.is_done, mine.code] in ([True, ""], [False, "already_handed_off"], [False, "accepted_meanwhile"])
    assert inbox_of(place) == [f"{other.id}.done.json"]


async def test_a_living_engine_is_waited_for(place, held):
    request, box = a_request(), InboxFiles(Folder(place.location.folder))
    answers = []

    async def ask():
        answers.append(
            await requesting.sent(place, request, timeout_seconds=60, clock=SystemClock()),
        )

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        while not box.take():  # noqa: ASYNC110  a file is what is waited for
            await anyio.sleep(0.01)
        box.answer(InboxAnswer(request.id, is_done=False, code="no", message="no."))
    assert [answer.code for answer in answers] == ["no"]


async def test_when_the_engine_dies_we_take_over(place, held):
    request, box = a_request(), InboxFiles(Folder(place.location.folder))
    answers = []

    async def ask():
        answers.append(await requesting.sent(place, request, timeout_seconds=60, clock=SystemClock()))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        while not box.take():  # noqa: ASYNC110  a file is what is waited for
            await anyio.sleep(0.01)
        held.release()
    assert answers[0].is_done


def test_an_engine_that_does_not_answer_leaves_the_request_where_it_is(place, held):
    request = a_request()
    with pytest.raises(OutcomeUnknown, match=r"gave no answer within 0 s; the request is kept"):
        send_request(place, request, timeout_seconds=0)
    assert inbox_of(place) == [f"{request.id}.json"]


def test_a_workspace_that_cannot_be_taken_gets_its_request_back(place):
    (place.location.folder / "state.json").write_text("{")
    with pytest.raises(WorkspaceDamaged):
        send_request(place, a_request())
    assert inbox_of(place) == []


def test_who_asks_has_a_name_also_without_an_entry(monkeypatch):
    assert "@" in this_person()
    monkeypatch.setattr("os.getuid", lambda: 4_000_000_000)
    assert this_person().startswith("4000000000@")


def test_ids_of_requests_are_drawn():
    assert is_request_id(new_request_id())
    assert new_request_id() != new_request_id()
