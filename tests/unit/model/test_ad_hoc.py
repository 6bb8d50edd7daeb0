"""Tasks beside the plan's file."""

from orchestrate.model.ad_hoc import task_of, with_ad_hoc_tasks, with_tasks
from tests.support.builders import a_plan, a_row, a_task


def ad_hoc(name, definition):
    return a_row(name, extra={"adHoc": True, "definition": definition})


def test_a_definition_is_a_task_in_the_words_of_the_plan():
    assert task_of(a_task("x", verify="make test")).verify == "make test"
    assert task_of({"name": "x"}) is None
    assert task_of("x") is None


def test_they_join_each_plan_that_is_read_unless_the_file_has_them():
    plan = a_plan("a")
    assert plan.task("a").name == "a"
    rows = [a_row("a"), ad_hoc("x", a_task("x")), ad_hoc("a", a_task("a", brief="other")), ad_hoc("odd", {"name": 3})]
    joined = with_ad_hoc_tasks(plan, rows)
    assert list(joined.tasks_by_name) == ["a", "x"]
    assert list(plan.tasks_by_name) == ["a"]
    assert joined.task("a").brief is None
    assert with_ad_hoc_tasks(plan, rows[:1]) is plan
    assert [task.name for task in with_tasks(plan, [task_of(a_task("y"))]).tasks] == ["a", "y"]
