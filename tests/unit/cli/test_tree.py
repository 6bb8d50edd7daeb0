import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.vocabulary import TaskStatus, TaskType
from tests.support.builders import SLUG, a_handed_off_row, a_row, a_running_row, a_task, agent_of
from tests.support.workspaces import a_plan_document, write_plan, write_state

PLANNER = a_running_row("migrate", type=TaskType.SUBPLANNER)


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / ".orchestrate" / SLUG
    write_plan(folder, a_plan_document(a_task("a"), a_task("migrate", type="subplanner")))
    write_state(folder, (a_handed_off_row("a"), PLANNER))
    return folder


def child(folder, *rows):
    folder.mkdir(parents=True)
    write_state(folder, rows)


def own(name, **fields):
    return a_running_row(name, parent_agent_id=agent_of("migrate"), **fields)


@pytest.fixture
def tree(root, capsys):
    def ask() -> dict:
        assert main(["tree", str(root), "--json"]) == 0
        return {task["name"]: task.get("workspace") for task in json.loads(capsys.readouterr().out)["tasks"]}

    return ask


def screen(root, capsys, *words):
    assert main(["tree", str(root), *words, "--color", "never"]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_planners_workspace_is_opened_beside_its_planners(root, tree, capsys):
    child(root.parent / "migrate", own("auth"), a_row("users"))
    assert [task["name"] for task in tree()["migrate"]["tasks"]] == ["auth", "users"]
    assert any("│" not in line and "● auth" in line for line in screen(root, capsys))


def test_or_below_them(root, tree):
    child(root / ".orchestrate" / "migrate", own("auth"))
    assert tree()["migrate"]["folder"].endswith(f"{SLUG}/.orchestrate/migrate")
    assert tree()["migrate"]["counts"]["running"] == 1


def test_a_workers_neighbour_of_the_same_name_is_not_its_own(root, tree):
    child(root.parent / "a", a_row("x"))
    assert tree() == {"a": None, "migrate": None}


def test_the_workspace_of_another_agent_is_not_shown_as_this_ones(root, tree, capsys):
    child(root.parent / "migrate", a_running_row("auth", parent_agent_id=agent_of("somebody")))
    assert tree()["migrate"] is None
    assert any(line.endswith("the workspace of its name is of another agent") for line in screen(root, capsys))


def test_a_workspace_that_cannot_be_read_does_not_hide_the_others(root, tree, capsys):
    child(root.parent / "migrate", own("auth"))
    (root.parent / "migrate" / "state.json").write_text("")
    assert tree()["migrate"] is None
    assert any("its workspace cannot be read: state.json is empty" in line for line in screen(root, capsys))


def test_planners_that_name_each_other_do_not_hang(root, tree):
    child(root.parent / "migrate", own(SLUG, type=TaskType.SUBPLANNER), own("other", type=TaskType.SUBPLANNER))
    child(root.parent / "other", a_running_row("migrate", type=TaskType.SUBPLANNER))
    below = {task["name"]: task.get("workspace") for task in tree()["migrate"]["tasks"]}
    assert below[SLUG] is None
    assert [task.get("workspace") for task in below["other"]["tasks"]] == [None]


def test_planners_below_planners_end_somewhere(root, tree):
    folder = root
    for _ in range(20):
        folder = folder / ".orchestrate" / "migrate"
        child(folder, a_running_row("migrate", type=TaskType.SUBPLANNER))
    found, depth = tree()["migrate"], 0
    while found is not None:
        found, depth = found["tasks"][0].get("workspace"), depth + 1
    assert depth == 16


def test_done_tasks_are_shown_when_asked_for(root, capsys):
    child(root.parent / "migrate", *(a_handed_off_row(f"t{place}") for place in range(3)))
    assert any("✓ 3 handed off" in line for line in screen(root, capsys))
    assert any("✓ t2" in line for line in screen(root, capsys, "--all"))


def test_pruned_tasks_are_nobodys(root, tree):
    child(root.parent / "migrate", a_row("x", status=TaskStatus.PRUNED))
    assert tree()["migrate"]["tasks"] == []
