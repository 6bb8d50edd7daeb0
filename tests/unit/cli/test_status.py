"""What ``status`` makes of files; the screen has its own tests, the process its acceptance tests."""

import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.vocabulary import HandoffStatus, TaskStatus
from tests.support.builders import a_handed_off_row, a_row, a_running_row, a_task, a_verifier, moment
from tests.support.workspaces import a_plan_document, write_plan, write_state


@pytest.fixture
def answer(tmp_path, capsys):
    def ask() -> dict[str, object]:
        assert main(["status", str(tmp_path), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return ask


def waits(found: dict) -> dict[str, list[str]]:
    return {task["name"]: task["waitsFor"] for task in found["tasks"]}


def test_before_the_first_run_the_plans_tasks_stand_in_its_order(tmp_path, answer):
    tasks = (a_task("b"), a_verifier("v", "b"), {"name": "odd", "type": "?"}, {"name": 3})
    write_plan(tmp_path, a_plan_document(*tasks))
    found = answer()
    assert found["neverRun"] is True
    assert waits(found) == {"b": [], "v": ["b"], "odd": []}
    assert [task["type"] for task in found["tasks"]] == ["worker", "verifier", "worker"]


def test_a_blocked_task_holds_those_behind_it_unless_the_plan_releases_them(tmp_path, answer):
    blocked = a_handed_off_row("a", handoff_status=HandoffStatus.BLOCKED)
    rows = (blocked, a_row("b", depends_on=("a", "gone")))
    write_plan(tmp_path, a_plan_document(a_task("a"), a_task("b", depends_on=("a",))))
    write_state(tmp_path, rows)
    assert waits(answer())["b"] == ["a", "gone"]
    write_plan(tmp_path, a_plan_document(a_task("a", onBlocked="release"), a_task("b", depends_on=("a",))))
    assert waits(answer())["b"] == ["gone"]


def test_pruned_tasks_are_not_shown_and_changes_of_the_plan_are_told(tmp_path, answer):
    write_plan(tmp_path, a_plan_document(a_task("a"), *(a_task(f"n{place}") for place in range(5))))
    write_state(tmp_path, (a_row("a"), a_row("p", status=TaskStatus.PRUNED), a_row("old", last_update=moment(9))))
    found = answer()
    assert list(waits(found)) == ["a", "old"]
    assert found["planChange"] == "5 tasks new, old gone"
    assert found["lastRecordAt"] == moment(9)


def test_a_run_that_is_over_is_measured_to_its_last_end(tmp_path, capsys):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    write_state(tmp_path, (a_handed_off_row("a", finished_at=moment(370)),))
    assert main(["status", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith(" 6m 10s")


def test_what_runs_is_measured_to_now(tmp_path, capsys):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    write_state(tmp_path, (a_running_row("a"),))
    assert main(["status", str(tmp_path)]) == 0
    assert "launched" in capsys.readouterr().out


def test_a_state_that_could_not_be_pushed_is_in_the_object(tmp_path, answer):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    write_state(tmp_path, [a_row("a")])
    assert "unpublished" not in answer()
    path = tmp_path / "state.json"
    document = json.loads(path.read_text())
    behind = {"since": moment(1), "failures": 2, "ref": "orch-state/shop", "reason": "git push: timed out"}
    path.write_text(json.dumps(document | {"unpublished": behind}))
    assert answer()["unpublished"] == behind
