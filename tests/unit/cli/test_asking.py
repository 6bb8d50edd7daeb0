import argparse

import pytest

from orchestrate.cli.asking import ask, asked_workspace, reach
from orchestrate.cli.settings import Streams, settings_of
from orchestrate.errors import InputRefused, Refused
from orchestrate.model.inbox_requests import CancelRequest
from orchestrate.model.vocabulary import RuntimeKind, TaskStatus
from orchestrate.store.files import Folder
from orchestrate.store.lock import WorkspaceLock
from orchestrate.system import SystemClock
from tests.support.builders import a_row, a_running_row, a_task
from tests.support.workspaces import a_plan_document, write_plan, write_state

R = "11111111-0000-4000-8000-000000000001"


@pytest.fixture
def folder(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("a"), a_task("b")))
    write_state(tmp_path, [a_running_row("a", status=TaskStatus.ERROR), a_row("gone", status=TaskStatus.PRUNED)])
    return tmp_path


def test_a_task_is_one_of_the_plan_or_of_the_state(folder):
    asked = asked_workspace(str(folder))
    assert [asked.task(name) for name in ("a", "b", "gone")] == ["a", "b", "gone"]
    with pytest.raises(InputRefused, match="there is no task"):
        asked.task("aa")


def test_a_refusal_is_an_error_with_what_to_do(folder):
    with pytest.raises(Refused) as caught:
        ask(asked_workspace(str(folder)), CancelRequest(R, "ana", task="a"), settings_of({}, streams=Streams()))
    assert caught.value.code == "not_cancellable"


def test_the_engine_that_runs_is_known(folder):
    asked, lock = asked_workspace(str(folder)), WorkspaceLock(Folder(folder), engine="e")
    assert asked.holder() is None
    lock.acquire(SystemClock().now())
    assert asked.holder().engine == "e"
    lock.release()


@pytest.mark.parametrize(
    ("flag", "variables", "kind"),
    [
        ("local", {}, RuntimeKind.LOCAL),
        (None, {"ORCHESTRATE_RUNTIME": "local"}, RuntimeKind.LOCAL),
        (None, {"CURSOR_API_KEY": "k"}, RuntimeKind.CLOUD),
    ],
)
def test_the_service_is_the_one_that_a_run_would_choose(folder, flag, variables, kind):
    reached = reach(
        asked_workspace(str(folder)), argparse.Namespace(runtime=flag), settings_of(variables, streams=Streams())
    )
    assert reached.args[0] is kind


def test_where_nothing_says_which_service_it_is_nobody_guesses(folder):
    with pytest.raises(InputRefused):
        reach(asked_workspace(str(folder)), argparse.Namespace(runtime=None), settings_of({}, streams=Streams()))
