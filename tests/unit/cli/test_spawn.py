import io
import json
import sys

import pytest

from orchestrate.cli.main import main
from orchestrate.store.loading import read_workspace
from tests.support.builders import a_handed_off_row, a_task
from tests.support.workspaces import a_plan_document, write_plan, write_state


@pytest.fixture
def workspace(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("a"), runtime={"kind": "local"}))
    write_state(tmp_path, [a_handed_off_row("a")])
    return tmp_path


def spawn(workspace, *words):
    return main(["spawn", str(workspace), *words])


def test_a_task_from_options_is_of_the_run(workspace, capsys):
    code = spawn(workspace, "--name", "fix", "--goal", "It works.", "--depends-on", "a", "--acceptance", "green")
    assert code == 0
    assert capsys.readouterr().out == f"fix is of the run; it starts with: orchestrate run {workspace}\n"
    row = read_workspace(workspace).rows["fix"]
    assert (row.depends_on, row.extra["adHoc"]) == (("a",), True)
    assert row.extra["definition"]["acceptance"] == ["green"]


def test_a_task_from_a_file_or_stdin_with_options_on_top(workspace, capsys, monkeypatch, tmp_path):
    path = tmp_path / "task.json"
    path.write_text(json.dumps(a_task("fix", brief="B")))
    assert spawn(workspace, "--file", str(path), "--name", "other", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["operation"], told["task"], told["ready"]) == ("spawn", "other", ["other"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert spawn(workspace, "--file", "-") == 0
    assert read_workspace(workspace).rows["fix"].extra["definition"]["brief"] == "B"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--name", "a", "--goal", "x"], "name"),
        (["--goal", "x"], "name"),
        (["--name", "x y", "--goal", "x"], "name"),
        (["--name", "fix", "--goal", "x", "--depends-on", "aa"], "dependsOn[0]"),
        (["--name", "fix", "--goal", "x", "--verifies", "a"], "verifies"),
    ],
)
def test_every_fault_is_told_and_nothing_is_asked(workspace, capsys, words, said):
    assert spawn(workspace, *words) == 2
    told = capsys.readouterr().err
    assert "Nothing was launched." in told
    assert said in told
    assert not (workspace / "inbox").exists()


@pytest.mark.parametrize("text", ["[]", "{", '{"name": "x", "name": "y"}'])
def test_a_file_that_holds_no_task_is_refused(workspace, capsys, tmp_path, text):
    path = tmp_path / "task.json"
    path.write_text(text)
    assert spawn(workspace, "--file", str(path)) == 2
    assert "it is no task" in capsys.readouterr().err
