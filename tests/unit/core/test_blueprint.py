"""The plan as the machine asks for it."""

from orchestrate.core.blueprint import blueprint_of, planned_ref
from tests.support.builders import a_plan, a_row, a_task, a_verifier

PLAN = a_plan(
    "a",
    a_task("b", depends_on=("a",), priority=-5),
    a_verifier("v", of="a", priority=2),
    a_task("c", startingRef="orch/shop/b"),
    a_task("d", startingRef="release/2.0"),
)


def blueprint(*extra):
    rows = [a_row(task.name, depends_on=task.depends_on) for task in PLAN.tasks]
    return blueprint_of(PLAN, {row.name: row for row in (*rows, *extra)})


def test_a_rank_is_the_priority_and_then_the_plan_s_order():
    ranked = sorted(("a", "b", "v", "c", "d"), key=blueprint().rank)
    assert ranked == ["v", "a", "c", "d", "b"]


def test_tasks_outside_the_plan_come_last():
    assert blueprint().rank("extra") > blueprint().rank("b")


def test_rows_are_in_the_order_of_their_ranks_and_by_name_outside_the_plan():
    rows = {name: a_row(name) for name in ("y", "b", "x", "a", "v")}
    assert [row.name for row in blueprint().in_order(rows)] == ["v", "a", "b", "x", "y"]


def test_dependants_are_in_the_order_of_their_ranks_and_include_tasks_outside_the_plan():
    assert blueprint(a_row("extra", depends_on=("a",))).dependants == {"a": ("v", "b", "extra")}


def test_verifiers_and_followers_are_found_by_their_task():
    assert blueprint().verifiers == {"a": ("v",)}
    assert blueprint().followers == {"a": ("v",), "b": ("c",)}


def test_the_planned_ref_is_the_own_one_the_target_s_branch_or_the_base_branch():
    refs = {task.name: planned_ref(PLAN, task) for task in PLAN.tasks}
    assert refs == {"a": "main", "b": "main", "v": "orch/shop/a", "c": "orch/shop/b", "d": "release/2.0"}


def test_a_verifier_with_its_own_ref_starts_there():
    plan = a_plan("a", a_verifier("v", of="a", startingRef="main"))
    assert planned_ref(plan, plan.task("v")) == "main"
