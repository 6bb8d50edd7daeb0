import json

import pytest

from orchestrate.cli.main import main
from orchestrate.store.loading import read_workspace
from tests.support.builders import SLUG, a_row, a_task
from tests.support.clones import clone
from tests.support.workspaces import a_plan_document, write_plan, write_state

__all__ = ["clone"]


def written(folder, **fields):
    write_plan(folder, a_plan_document(a_task("a"), runtime={"kind": "local"}, **fields))
    write_state(folder, [a_row("a")])
    return str(folder)


def andon_in(folder):
    return read_workspace(folder).workspace.andon


def test_without_git_it_holds_for_this_workspace_only_and_says_so(tmp_path, capsys):
    plan = written(tmp_path)
    assert main(["andon", "raise", plan, "--reason", "main is broken"]) == 0
    assert "for this workspace only, for its state is not kept on git: main is broken." in capsys.readouterr().out
    assert andon_in(tmp_path).is_raised
    assert main(["status", plan]) == 0
    assert "main is broken" in capsys.readouterr().out
    assert main(["andon", "clear", plan, "--note", "green"]) == 0
    assert "is cleared for this workspace only" in capsys.readouterr().out
    assert andon_in(tmp_path).clear_note == "green"
    assert main(["andon", "clear", plan]) == 0
    capsys.readouterr()


def test_the_tree_sees_it_at_once_also_without_an_engine(clone, capsys):
    plan = written(clone.workspace, repoUrl=clone.remote.url)
    assert main(["andon", "raise", plan, "--reason", "main is broken", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["scope"], told["raised"], told["reason"]) == ("tree", True, "main is broken")
    published = json.loads(clone.remote.read(f"orch-state/{SLUG}", f".orchestrate/{SLUG}/state.json"))
    assert published["andon"]["reason"] == "main is broken"


def test_clearing_what_was_not_raised_says_so(tmp_path, capsys):
    assert main(["andon", "clear", written(tmp_path)]) == 0
    assert "was not raised" in capsys.readouterr().out


def test_a_planner_below_the_root_may_not_clear(tmp_path, capsys):
    plan = written(tmp_path, andonStateRef="orch-state/top", andonStatePath=".orchestrate/top/state.json")
    assert main(["andon", "raise", plan, "--reason", "x", "--json"]) == 0
    capsys.readouterr()
    assert main(["andon", "clear", plan, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "not_the_root"


@pytest.mark.parametrize(
    "options",
    [["raise"], ["raise", "--reason", "  "], ["raise", "--reason", "x", "--note", "y"], ["clear", "--reason", "x"]],
)
def test_options_that_do_not_go_together_are_refused(tmp_path, options, capsys):
    assert main(["andon", options[0], written(tmp_path), *options[1:]]) == 2
    assert "orchestrate andon" in capsys.readouterr().err or options == ["raise"] or options[-1] == "  "
    assert read_workspace(tmp_path).workspace is None or andon_in(tmp_path) is None
