import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.store.files import Folder
from orchestrate.store.lock import WorkspaceLock
from orchestrate.system import SystemClock
from tests.support.builders import a_handed_off_row, a_launching_row, a_row, a_running_row, a_task
from tests.support.workspaces import a_plan_document, write_plan, write_reply, write_state


@pytest.fixture
def workspace(tmp_path):
    """A workspace that was run to its end."""
    folder = tmp_path / "work"
    write_plan(folder, a_plan_document(a_task("a"), a_task("b")))
    write_state(folder, [a_handed_off_row("a"), a_row("b", status=TaskStatus.ERROR)])
    write_reply(folder, "a", handoff=b"done")
    return folder


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_runs_have_left_is_moved_and_named(workspace, capsys):
    assert main(["reset", str(workspace), "--yes"]) == 0
    out, err = capsys.readouterr()
    assert (names(workspace), err) == ([".lock", "former", "plan.json"], "")
    (former,) = (workspace / "former").iterdir()
    assert names(former) == ["handoffs", "raw", "state.json"]
    assert out.splitlines() == [
        f"moved to former/{former.name}: state.json, raw, handoffs",
        "the next run begins anew.",
    ]
    assert main(["reset", str(workspace)]) == 0
    assert capsys.readouterr().out == "there is nothing to move: no run has left anything here.\n"


def test_one_object_for_programs(workspace, capsys):
    assert main(["reset", str(workspace), "--yes", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["moved"] == ["state.json", "raw", "handoffs"]
    assert (workspace / told["movedTo"] / "state.json").exists()
    assert main(["reset", str(workspace), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"ok": True, "operation": "reset", "moved": [], "dryRun": False}


def test_a_dry_run_moves_nothing(workspace, capsys):
    before = names(workspace)
    assert main(["reset", str(workspace), "--dry-run"]) == 0
    assert capsys.readouterr().out == "would be moved to former/: state.json, raw, handoffs\n"
    assert main(["reset", str(workspace), "-n", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["dryRun"] is True
    assert names(workspace) == before


def test_without_a_terminal_somebody_must_have_said_yes(workspace, capsys):
    before = names(workspace)
    assert main(["reset", str(workspace)]) == 1
    assert "add --yes" in capsys.readouterr().err
    assert main(["reset", str(workspace), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "not_confirmed"
    assert names(workspace) == before


def test_agents_that_may_run_are_named_and_only_force_goes_on(workspace, capsys):
    rows = [a_running_row("a", url="https://service.example.org/a"), a_launching_row("b")]
    write_state(workspace, rows)
    assert main(["reset", str(workspace), "--yes"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("error: 2 agents may run still: a, b. Nothing was moved.")
    assert f"a: {rows[0].agent_id} https://service.example.org/a" in err
    assert f"b: {rows[1].launch.agent_id}" in err
    assert main(["reset", str(workspace), "--yes", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "agents_may_run"
    assert main(["reset", str(workspace), "--yes", "--force", "-q"]) == 0
    assert not (workspace / "state.json").exists()


def test_a_foreign_row_without_an_agent_is_named_too(workspace, capsys):
    write_state(workspace, [a_row("a", status=TaskStatus.RUNNING)])
    assert main(["reset", str(workspace), "--yes"]) == 1
    assert "a: no id known" in capsys.readouterr().err


def test_of_a_damaged_state_nobody_can_tell(workspace, capsys):
    (workspace / "state.json").write_text("{")
    assert main(["reset", str(workspace), "--yes", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "workspace_damaged"
    assert main(["reset", str(workspace), "--yes", "--force"]) == 0
    assert not (workspace / "state.json").exists()


def test_beside_a_running_engine_nothing_is_moved(workspace, capsys):
    lock = WorkspaceLock(Folder(workspace), engine="other")
    lock.acquire(SystemClock().now())
    try:
        assert main(["reset", str(workspace), "--yes", "--force"]) == 2
    finally:
        lock.release()
    assert "an engine runs this workspace" in capsys.readouterr().err
    assert (workspace / "state.json").exists()
