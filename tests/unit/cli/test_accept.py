import json
import os

import pytest

from orchestrate.cli.main import main
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.store.loading import read_workspace
from tests.support.builders import a_handed_off_row, a_row, a_running_row, a_task
from tests.support.repositories import make_remote
from tests.support.workspaces import a_plan_document, write_plan, write_state


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A workspace with a task in error, one behind it, and a branch on which a person mended it."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    remote = make_remote(tmp_path / "remote.git")
    remote.commit("ana/a", {"src.py": "x = 1\n"})
    folder = tmp_path / "work"
    plan = a_plan_document(
        a_task("a"), a_task("b", depends_on=("a",)), repoUrl="../remote.git", runtime={"kind": "local"}
    )
    write_plan(folder, plan)
    write_state(folder, [a_running_row("a", status=TaskStatus.ERROR), a_row("b", depends_on=("a",))])
    return folder


def accept(workspace, *more, task="a", branch="ana/a"):
    return main(["accept", str(workspace), task, "--branch", branch, *more])


def test_the_task_is_handed_off_and_the_reader_knows_what_follows(workspace, capsys):
    assert accept(workspace, "--note", "by hand") == 0
    out, err = capsys.readouterr()
    first, second = out.splitlines()
    assert first.startswith("a handed off on ana/a, accepted by ")
    assert second == f"b starts with: orchestrate run {workspace}"
    assert err == ""
    row = read_workspace(workspace).rows["a"]
    assert (row.status, row.branch, row.attempts) == (TaskStatus.HANDED_OFF, "ana/a", 1)
    assert row.note.endswith(": by hand")
    assert read_workspace(workspace).rows["b"].status == TaskStatus.PENDING


def test_one_object_for_programs(workspace, capsys):
    assert accept(workspace, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["operation"], told["released"], told["engineRunning"]) == (True, "accept", ["b"], False)
    assert told["handoffPath"] == "handoffs/a.md"
    assert accept(workspace, "--json") == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "already_handed_off"


def test_a_running_task_is_refused_with_what_to_do(workspace, capsys):
    write_state(workspace, [a_running_row("a"), a_row("b", depends_on=("a",))])
    assert accept(workspace) == 1
    assert capsys.readouterr().err.splitlines()[0] == "error: a runs: its agent may still push."


@pytest.mark.parametrize("branch", ["", "-x", "a b", "a" * 201])
def test_what_is_no_branch_is_refused(workspace, capsys, branch):
    assert main(["accept", str(workspace), "a", f"--branch={branch}"]) == 2
    assert "is no name of a branch" in capsys.readouterr().err


def test_a_branch_that_the_remote_lacks_is_refused(workspace, capsys):
    assert accept(workspace, branch="ana/b") == 1
    assert "git push origin ana/b" in capsys.readouterr().err
    assert read_workspace(workspace).rows["a"].status == TaskStatus.ERROR


def test_a_branch_that_nobody_can_look_at_is_believed(workspace, capsys):
    (workspace.parent / "remote.git").rename(workspace.parent / "gone.git")
    assert accept(workspace) == 0
    assert capsys.readouterr().err.startswith("attention: the branch could not be checked from here: ")
    write_state(workspace, [a_handed_off_row("a", pushed=False), a_row("b")])
    (workspace / "journal.jsonl").unlink()
    assert accept(workspace, "-q") == 0
    assert capsys.readouterr().err == ""


def test_a_note_of_a_book_s_length_is_refused(workspace, capsys):
    assert accept(workspace, "--note", "x" * 16_001) == 2
    assert "--note is longer" in capsys.readouterr().err


def test_an_unknown_task_and_a_missing_branch(workspace, capsys):
    assert accept(workspace, task="c") == 2
    assert main(["accept", str(workspace), "a"]) == 2
    assert accept(workspace, "--dry-run") == 2
    assert "--branch" in capsys.readouterr().err
