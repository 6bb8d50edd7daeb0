"""The plan in force as the machine asks for it: places, dependants, verifiers and followers, each one look-up."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from orchestrate.model.names import TaskName, placeholder_branch
from orchestrate.model.plan import Plan, Task
from orchestrate.model.rows import TaskRow

_Key = TypeVar("_Key")
#: Behind every rank that a plan can give.
_LAST = (sys.maxsize, 0)


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A plan with its indices; made once for each plan that is read."""

    plan: Plan
    #: Rank in the queue of ready tasks: priority first, then the plan's order.
    ranks: Mapping[TaskName, tuple[int, int]]
    #: The plan's tasks in the order of their ranks.
    order: Sequence[TaskName]
    #: Who depends on a task, in the order of their ranks.
    dependants: Mapping[TaskName, tuple[TaskName, ...]]
    #: Who checks a task.
    verifiers: Mapping[TaskName, tuple[TaskName, ...]]
    #: Who starts from a task's placeholder branch.
    followers: Mapping[TaskName, tuple[TaskName, ...]]
    #: Whose placeholder branch a task starts from.
    leaders: Mapping[TaskName, TaskName]

    def rank(self, name: TaskName) -> tuple[int, int]:
        """The task's place among ready ones; tasks outside the plan come last."""
        return self.ranks.get(name, _LAST)

    def in_order(self, rows: Mapping[TaskName, TaskRow]) -> list[TaskRow]:
        """These rows by rank, and by name outside the plan."""
        return _in_order(self.order, rows)


def blueprint_of(plan: Plan, rows: Mapping[TaskName, TaskRow]) -> Blueprint:
    """The plan's indices; dependants are read from the rows, which also hold tasks outside the plan."""
    ranks = {task.name: (-task.priority, place) for place, task in enumerate(plan.tasks)}
    owners = {placeholder_branch(plan.root_slug, task.name, task_type=task.type): task.name for task in plan.tasks}
    order = sorted(ranks, key=ranks.__getitem__)
    leaders = {task.name: owners[ref] for task in plan.tasks if (ref := planned_ref(plan, task)) in owners}
    return Blueprint(
        plan=plan,
        ranks=ranks,
        order=order,
        dependants=_grouped((name, row.name) for row in _in_order(order, rows) for name in row.depends_on),
        verifiers=_grouped((task.verifies, task.name) for task in plan.tasks if task.verifies is not None),
        followers=_grouped((leader, name) for name, leader in leaders.items()),
        leaders=leaders,
    )


def planned_ref(plan: Plan, task: Task) -> str:
    """Where the task starts before anything was handed off: its own ref, its target's branch, or the base branch."""
    if task.starting_ref is not None:
        return task.starting_ref
    if task.verifies is not None:
        return placeholder_branch(plan.root_slug, task.verifies, task_type=plan.task(task.verifies).type)
    return plan.base_branch


def _in_order(order: Sequence[TaskName], rows: Mapping[TaskName, TaskRow]) -> list[TaskRow]:
    ordered = [row for name in order if (row := rows.get(name)) is not None]
    if len(ordered) == len(rows):
        return ordered
    return ordered + [rows[name] for name in sorted(set(rows).difference(order))]


def _grouped(pairs: Iterable[tuple[_Key, TaskName]]) -> dict[_Key, tuple[TaskName, ...]]:
    groups: dict[_Key, list[TaskName]] = {}
    for key, name in pairs:
        groups.setdefault(key, []).append(name)
    return {key: tuple(names) for key, names in groups.items()}
