import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.rows import Charge
from orchestrate.model.vocabulary import FailureMode, TaskStatus, TaskType
from orchestrate.store.loading import read_workspace
from tests.support.builders import a_handed_off_row, a_row, a_running_row, a_task, agent_of
from tests.support.workspaces import a_plan_document, write_plan, write_state


def a_charge(cents, attempt=1):
    return Charge(attempt, agent_of("a", attempt), TaskType.WORKER, 500.0, cents)


@pytest.fixture
def workspace(tmp_path):
    tasks = [a_task("a"), a_task("b", depends_on=("a",)), a_task("c", depends_on=("b",)), a_task("d")]
    write_plan(tmp_path, a_plan_document(*tasks, runtime={"kind": "local"}))
    failed = {"status": TaskStatus.ERROR, "failure_mode": FailureMode.OOM, "charges": (a_charge(123.0),)}
    rows = [a_running_row("a", **failed), a_row("b", depends_on=("a",)), a_handed_off_row("d")]
    write_state(tmp_path, [*rows, a_running_row("gone", status=TaskStatus.ERROR)])
    return tmp_path


def test_what_it_cost_and_holds_is_shown_first_and_then_it_is_tried_anew(workspace, capsys):
    assert main(["retry", str(workspace), "--yes"]) == 0
    out, err = capsys.readouterr()
    assert err.splitlines() == ["a: error after 1 try (oom), holds b, c", "cost of 1 try so far: $1.23"]
    assert out.splitlines()[0] == "a waits for try 2, starting from main"
    assert read_workspace(workspace).rows["a"].status == TaskStatus.PENDING


def test_a_dry_run_only_shows_it(workspace, capsys):
    assert main(["retry", str(workspace), "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "a: error after 1 try (oom), holds b, c"
    assert main(["retry", str(workspace), "--dry-run", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["dryRun"], told["tasks"]) == (True, [{"task": "a", "status": "error", "attempt": 2}])
    assert read_workspace(workspace).rows["a"].status == TaskStatus.ERROR


def test_where_nothing_is_in_error_there_is_nothing_to_do(workspace, capsys):
    write_state(workspace, [a_handed_off_row("a"), a_running_row("b")])
    assert main(["retry", str(workspace)]) == 0
    assert capsys.readouterr().out == "nothing is in error. Nothing was changed.\n"


@pytest.mark.parametrize(
    ("charges", "words"),
    [
        ((), "cost of 2 tries so far: not known yet"),
        ((a_charge(None),), "cost of 2 tries so far: not known yet"),
        ((a_charge(50.0), a_charge(None, 2)), "cost of 2 tries so far: $0.50, and 1 not known yet"),
    ],
)
def test_what_is_not_known_is_never_nothing(workspace, capsys, charges, words):
    write_state(workspace, [a_running_row("a", status=TaskStatus.ERROR, attempt=2, charges=charges)])
    assert main(["retry", str(workspace), "-n"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == words
