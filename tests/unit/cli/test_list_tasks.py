import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import a_handed_off_row, a_row, a_running_row, a_task, a_verifier, moment
from tests.support.workspaces import a_plan_document, write_plan, write_state


@pytest.fixture
def names(tmp_path, capsys):
    write_plan(tmp_path, a_plan_document(a_task("a"), a_task("b"), a_verifier("v", "b"), a_task("s")))
    rows = (
        a_handed_off_row("a"),
        a_running_row("b", status=TaskStatus.ERROR),
        a_row("v", type="verifier", depends_on=("b",)),
        a_running_row("s", stalled_since=moment()),
        a_row("gone", status=TaskStatus.PRUNED),
    )
    write_state(tmp_path, rows)

    def ask(*words: str) -> list[str]:
        assert main(["list", str(tmp_path), *words, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["ok"], found["operation"], found["counts"]["total"]) == (True, "list", 4)
        return [task["name"] for task in found["tasks"]]

    return ask


def test_all_tasks_are_listed_in_the_plans_order(names):
    assert names() == ["a", "b", "v", "s"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--status", "error"], ["b"]),
        (["--status", "error", "stalled"], ["b", "s"]),
        (["--status", "error", "--status", "done"], ["a", "b"]),
        (["--status", "waiting", "--type", "worker"], []),
        (["--type", "verifier"], ["v"]),
        (["--status", "pruned"], ["gone"]),
        (["--status", "running"], ["s"]),
    ],
)
def test_only_those_that_were_asked_for_are_listed(names, words, found):
    assert names(*words) == found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--status", "eror"], '"eror" is no status; write error'),
        (["--status", "xyzzyx"], "there is pending, running"),
        (["--type", "planner"], 'not "planner"'),
    ],
)
def test_a_word_that_means_nothing_is_refused_with_those_that_do(capsys, words, said):
    assert main(["list", ".", *words]) == 2
    assert said in capsys.readouterr().err


def test_the_screen_says_what_was_asked_for(tmp_path, names, capsys):
    assert main(["list", str(tmp_path), "--status", "error", "--type", "worker", "--color", "never"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "  1 of them error, worker"
    assert lines[3].startswith("✗ b ")
