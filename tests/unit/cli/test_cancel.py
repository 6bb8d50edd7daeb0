import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.store.loading import read_workspace
from tests.support.builders import a_handed_off_row, a_row, a_running_row, a_task
from tests.support.workspaces import a_plan_document, write_plan, write_state


@pytest.fixture
def workspace(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("a"), a_task("b", depends_on=("a",)), runtime={"kind": "local"}))
    write_state(tmp_path, [a_handed_off_row("a"), a_row("b", depends_on=("a",))])
    return tmp_path


def test_a_task_that_waits_needs_no_service(workspace, capsys):
    assert main(["cancel", str(workspace), "b"]) == 0
    assert capsys.readouterr().out.startswith("b will not be launched: stopped by ")
    assert read_workspace(workspace).rows["b"].status == TaskStatus.PRUNED


def test_one_object_for_programs(workspace, capsys):
    assert main(["cancel", str(workspace), "b", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["operation"], told["task"], told["status"]) == (True, "cancel", "b", "pruned")
    assert (told["confirmed"], told["engineRunning"]) == (True, False)
    assert main(["cancel", str(workspace), "b", "--json"]) == 0
    capsys.readouterr()
    assert main(["cancel", str(workspace), "a", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "not_cancellable"


def test_an_unknown_task_is_refused_before_anybody_is_asked(workspace, capsys):
    assert main(["cancel", str(workspace), "bb"]) == 2
    assert "there is no task" in capsys.readouterr().err
    assert not (workspace / "inbox").exists()


def test_the_screen_says_how_it_stands(workspace, capsys):
    write_state(workspace, [a_running_row("a", status=TaskStatus.CANCELLED, note="cancelled by ana")])
    assert main(["cancel", str(workspace), "a"]) == 0
    assert capsys.readouterr().out == "a is cancelled: cancelled by ana.\n"
