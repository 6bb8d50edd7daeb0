"""Tasks beside the plan's file: their definitions stand in their rows, and join each plan that is read."""

from collections.abc import Iterable

from pydantic import ValidationError

from orchestrate.model.plan import Plan, Task
from orchestrate.model.rows import TaskRow

#: Field of a row that says "the plan never had this task", and the one that keeps what it is.
AD_HOC, DEFINITION = "adHoc", "definition"


def task_of(definition: object) -> Task | None:
    """The task of this definition, in the words of ``plan.json``; None for what is none."""
    try:
        return Task.model_validate(definition)
    except ValidationError:
        return None


def with_ad_hoc_tasks(plan: Plan, rows: Iterable[TaskRow]) -> Plan:
    """The plan with the tasks that were added beside it; one that the file has since taken up is the file's."""
    kept = (row for row in rows if row.extra.get(AD_HOC) and row.name not in plan.tasks_by_name)
    tasks = (task_of(row.extra.get(DEFINITION)) for row in kept)
    added = [task for task in tasks if task is not None]
    return plan if not added else with_tasks(plan, added)


def with_tasks(plan: Plan, tasks: Iterable[Task]) -> Plan:
    """The plan with these tasks behind its own."""
    joined = plan.model_copy(update={"tasks": (*plan.tasks, *tasks)})
    vars(joined).pop("tasks_by_name", None)  # a copy takes what was looked up with it
    return joined
