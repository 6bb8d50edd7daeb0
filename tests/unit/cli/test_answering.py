import pytest

from orchestrate.cli.answering import _NoService, answer_requests
from orchestrate.errors import InputRefused
from orchestrate.model.inbox_requests import AcceptRequest
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.store.files import Folder
from orchestrate.store.inbox import InboxFiles
from orchestrate.store.loading import read_workspace
from orchestrate.store.lock import WorkspaceLock
from orchestrate.system import SystemClock
from tests.support.builders import a_launching_row, a_plan, a_row, a_running_row
from tests.support.workspaces import write_state

R = "11111111-0000-4000-8000-000000000001"
PLAN = a_plan("a", "b", "c")
ROWS = [a_row("a", status=TaskStatus.CANCELLED), a_running_row("b"), a_launching_row("c")]


async def answered(folder):
    await answer_requests(PLAN, folder=folder, repo_url="x", variables={"MY_TOKEN": "a-very-secret-value"})


async def test_requests_are_answered_and_nothing_else_changes(tmp_path):
    write_state(tmp_path, ROWS)
    box = InboxFiles(Folder(tmp_path))
    box.put(AcceptRequest(R, by="ana", task="a", branch="ana/a", note="with a-very-secret-value"))
    await answered(tmp_path)
    rows = read_workspace(tmp_path).rows
    assert [rows["b"], rows["c"]] == ROWS[1:]
    assert rows["a"].status == TaskStatus.HANDED_OFF
    assert "a-very-secret-value" not in (tmp_path / "journal.jsonl").read_text()
    assert "a-very-secret-value" not in (tmp_path / "handoffs" / "a.md").read_text()
    assert box.answer_to(R).is_done


async def test_a_workspace_that_another_engine_runs_is_left_to_it(tmp_path):
    lock = WorkspaceLock(Folder(tmp_path), engine="other")
    lock.acquire(SystemClock().now())
    with pytest.raises(InputRefused):
        await answered(tmp_path)
    lock.release()


async def test_the_service_is_never_called():
    service = _NoService()
    calls = [
        service.create_agent(b"", key=""),
        service.get_agent("a"),
        service.first_run("a"),
        service.get_run("a", "r"),
        service.cancel_run("a", "r"),
    ]
    for call in calls:
        with pytest.raises(AssertionError):
            await call
    with pytest.raises(AssertionError):
        service.stream_run("a", "r")
