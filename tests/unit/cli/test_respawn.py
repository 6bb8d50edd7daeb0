import json
import os

import pytest

from orchestrate.cli.main import main
from orchestrate.model.stops import Stop
from orchestrate.model.vocabulary import TaskStatus, TaskType
from orchestrate.store.files import Folder
from orchestrate.store.loading import read_workspace
from orchestrate.store.tombstone import read_stop, write_stop
from tests.support.builders import SLUG, a_handed_off_row, a_row, a_running_row, a_task
from tests.support.repositories import make_remote
from tests.support.workspaces import a_plan_document, write_plan, write_state


def a_failed_row(name, **fields):
    return a_running_row(name, **{"status": TaskStatus.ERROR, "note": "broke", **fields})


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A task in error with one behind it, one that is done, and two planners in error, one of which has pushed."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    make_remote(tmp_path / "remote.git").commit("cursor/pushed", {"x": "1\n"})
    folder = tmp_path / "work"
    tasks = [a_task("a"), a_task("b", depends_on=("a",)), a_task("done")]
    planners = [a_task(name, type="subplanner") for name in ("pushed", "silent")]
    write_plan(folder, a_plan_document(*tasks, *planners, repoUrl="../remote.git", runtime={"kind": "local"}))
    rows = [
        a_failed_row("a"),
        a_row("b", depends_on=("a",)),
        a_handed_off_row("done"),
        a_failed_row("pushed", type=TaskType.SUBPLANNER, branch="cursor/pushed"),
        a_failed_row("silent", type=TaskType.SUBPLANNER),
    ]
    write_state(folder, rows)
    return folder


def test_the_task_waits_again_and_the_reader_knows_who_goes_on(workspace, capsys):
    assert main(["respawn", str(workspace), "a"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["a waits for try 2, starting from main", f"a starts with: orchestrate run {workspace}"]
    row = read_workspace(workspace).rows["a"]
    assert (row.status, row.attempts, row.agent_id, row.branch) == (TaskStatus.PENDING, 1, None, f"orch/{SLUG}/a")


def test_a_planner_goes_on_from_its_own_branch_if_the_remote_has_it(workspace, capsys):
    assert main(["respawn", str(workspace), "pushed", "silent", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [item["startingRef"] for item in told["tasks"]] == ["cursor/pushed", "main"]
    assert (told["operation"], told["ready"], told["engineRunning"]) == ("respawn", ["pushed", "silent"], False)


def test_what_cannot_be_tried_anew_is_refused_and_a_tombstone_stays(workspace, capsys):
    write_stop(Folder(workspace), Stop("s", by="ana", at=""))
    assert main(["respawn", str(workspace), "done"]) == 1
    told = capsys.readouterr().err
    assert "done handed off already" in told
    assert "--again" in told
    assert read_stop(Folder(workspace)) is not None


def test_a_tombstone_goes_with_the_first_task_that_is_tried_anew(workspace, capsys):
    write_stop(Folder(workspace), Stop("s", by="ana", at=""))
    assert main(["respawn", str(workspace), "done", "--again"]) == 0
    assert "note: ana stopped this run; it goes on now." in capsys.readouterr().err
    assert read_stop(Folder(workspace)) is None


def test_a_task_that_waits_for_another_says_how_it_goes_on(workspace, capsys):
    write_state(workspace, [a_failed_row("a"), a_failed_row("b", depends_on=("a",))])
    assert main(["respawn", str(workspace), "b"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"it goes on with: orchestrate run {workspace}"
