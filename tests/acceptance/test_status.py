import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrate.model.names import EngineId
from orchestrate.model.rows import Attention
from orchestrate.model.vocabulary import FailureMode, TaskStatus
from orchestrate.store.files import Folder
from orchestrate.store.lock import WorkspaceLock
from orchestrate.system import SystemClock
from tests.support.builders import a_handed_off_row, a_row, a_running_row, a_task, moment
from tests.support.command_line import orchestrate
from tests.support.workspaces import a_plan_document, write_plan, write_state

PLAN = a_plan_document(a_task("a"), a_task("b", depends_on=("a",)), a_task("c", depends_on=("b",)))
ROWS = (
    a_handed_off_row("a", finished_at=moment(60)),
    a_running_row("b", status=TaskStatus.ERROR, failure_mode=FailureMode.OOM, note="killed", depends_on=("a",)),
    a_row("c", depends_on=("b",)),
)


@pytest.fixture
def workspace(tmp_path) -> Path:
    folder = tmp_path / ".orchestrate" / "shop"
    write_plan(folder, PLAN)
    write_state(folder, ROWS, attention=[Attention(moment(), "b: look\x1b[31m here")])
    return folder


def test_it_shows_trouble_first_and_ends_with_the_command(workspace, tmp_path):
    lines = orchestrate("status", cwd=tmp_path).out.splitlines()
    assert lines[0].startswith("shop   1 of 3 handed off · 1 waiting · 1 error")
    assert lines[1].startswith("  engine not running since ")
    assert lines[2] == "✗ b                 error after 1 try: oom: killed"
    assert lines[3] == "· c                 waiting for b"
    assert lines[4] == "✓ a"
    assert lines[-1].endswith("orchestrate respawn . b")


def test_foreign_text_cannot_steer_the_terminal(workspace, tmp_path):
    assert "\x1b" not in orchestrate("status", "-v", "--color", "never", cwd=tmp_path).out


def test_it_is_plain_ascii_where_it_must(workspace, tmp_path):
    done = orchestrate("status", "--plain", cwd=tmp_path)
    assert done.out.isascii()
    assert orchestrate("status", cwd=tmp_path, variables={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}).out.isascii()


def test_colour_is_there_when_it_is_asked_for(workspace, tmp_path):
    assert "\x1b[31m" in orchestrate("status", "--color", "always", cwd=tmp_path).out
    assert "\x1b[" not in orchestrate("status", cwd=tmp_path, variables={"NO_COLOR": "1", "FORCE_COLOR": "1"}).out


def test_json_is_one_object_without_empty_fields(workspace, tmp_path):
    done = orchestrate("status", "--json", cwd=tmp_path)
    found = json.loads(done.out)
    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    assert (found["ok"], found["operation"], found["rootSlug"]) == (True, "status", "shop")
    assert found["counts"] == {"total": 3, "handedOff": 1, "running": 0, "waiting": 1, "error": 1, "cancelled": 0}
    assert found["engine"] == {"running": False}
    assert [task["standing"] for task in found["tasks"]] == ["done", "error", "waiting"]
    assert found["tasks"][2]["waitsFor"] == ["b"]
    assert None not in found["tasks"][2].values()


def test_a_living_engine_is_named_and_undisturbed(workspace, tmp_path):
    lock = WorkspaceLock(Folder(workspace), engine=EngineId("e"))
    lock.acquire(SystemClock().now())
    try:
        assert "engine running, pid " in orchestrate("status", cwd=tmp_path).out
        assert json.loads(orchestrate("status", "--json", cwd=tmp_path).out)["engine"]["running"] is True
    finally:
        lock.release()


def test_it_changes_nothing(workspace, tmp_path):
    before = _fingerprint(tmp_path)
    orchestrate("status", cwd=tmp_path)
    orchestrate("status", "-v", "--json", cwd=tmp_path)
    assert _fingerprint(tmp_path) == before


def test_before_the_first_run_the_plan_is_shown(tmp_path):
    write_plan(tmp_path, PLAN)
    done = orchestrate("status", cwd=tmp_path)
    assert done.code == 0
    assert "  never run\n" in done.out
    assert "○ a " in done.out
    assert done.out.rstrip().endswith("orchestrate run .")


def test_a_state_of_another_tool_without_a_plan_is_shown(tmp_path):
    rows = [
        {"name": "a", "type": "worker", "branch": "x", "status": "handed-off", "handoffPath": "handoffs/a.md"},
        {"name": "b", "status": "running", "dependsOn": ["a"], "agentId": "bc-1", "trackerRef": {"id": 4}},
    ]
    (tmp_path / "state.json").write_text(json.dumps({"rootSlug": "shop", "tasks": rows, "somethingElse": 1}))
    done = orchestrate("status", cwd=tmp_path)
    assert done.code == 0
    assert "● b " in done.out
    assert "plan.json cannot be read" in done.out


def test_a_plan_that_changed_since_is_told(workspace, tmp_path):
    write_plan(workspace, a_plan_document(a_task("a"), a_task("b"), a_task("c"), a_task("new")))
    assert "plan changed since: new new" in orchestrate("status", cwd=tmp_path).out


def test_a_bad_plan_hides_nothing(workspace, tmp_path):
    (workspace / "plan.json").write_text("{ not json")
    assert "✗ b " in orchestrate("status", cwd=tmp_path).out


@pytest.mark.parametrize(
    "content", ["", "{}", "[", '{"rootSlug":"other","tasks":[]}', '{"schemaVersion":99,"rootSlug":"shop","tasks":[]}']
)
def test_a_state_that_cannot_be_trusted_is_one_clear_error(workspace, tmp_path, content):
    (workspace / "state.json").write_text(content)
    done = orchestrate("status", cwd=tmp_path)
    assert done.code == 2
    assert done.err.startswith("error: state.json")
    as_json = orchestrate("status", "--json", cwd=tmp_path)
    assert (as_json.code, json.loads(as_json.out)["ok"]) == (1, False)


def test_ten_thousand_tasks_are_folded(tmp_path):
    names = [f"t{place}" for place in range(10_000)]
    write_plan(tmp_path, a_plan_document(*(a_task(name) for name in names)))
    write_state(tmp_path, [replace(a_row("t"), name=name) for name in names])
    assert len(orchestrate("status", cwd=tmp_path).out.splitlines()) < 24


def _fingerprint(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
