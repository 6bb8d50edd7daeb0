"""How long it may take: the longest chain of tasks that are still to do, and of those that were done.

Nothing here recurses: a chain may be as long as the plan.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from orchestrate.model.graph import dependencies_first
from orchestrate.model.names import TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import seconds_between
from orchestrate.model.vocabulary import TaskStatus, TaskType

#: An estimate appears once so many tasks have ended.
ENDED_TASKS_NEEDED = 3


@dataclass(frozen=True, slots=True)
class Chain:
    """Tasks one behind the other, and how long they take together."""

    seconds: float
    names: tuple[TaskName, ...]


def time_left(rows: Mapping[TaskName, TaskRow], *, now: str) -> Chain | None:
    """The longest chain that is still to do; None until enough tasks have ended to tell."""
    usual = _usual_seconds(rows.values())
    if usual is None:
        return None
    open_rows = {name: row for name, row in rows.items() if row.status in (TaskStatus.PENDING, TaskStatus.RUNNING)}

    def left(row: TaskRow) -> float:
        seconds = usual(row.type)
        spent = seconds_between(row.started_at, now) if row.status == TaskStatus.RUNNING else 0.0
        return max(seconds - (spent or 0.0), seconds * 0.1)

    return _longest(open_rows, left)


def longest_chain(rows: Mapping[TaskName, TaskRow]) -> Chain | None:
    """The longest chain among tasks that have run."""
    return _longest(rows, lambda row: seconds_between(row.started_at, row.finished_at) or 0.0)


def _usual_seconds(rows: Iterable[TaskRow]) -> Callable[[TaskType], float] | None:
    """What a task of a type usually takes, from those that handed off."""
    by_type: dict[TaskType, list[float]] = {}
    for row in rows:
        seconds = seconds_between(row.started_at, row.finished_at)
        if row.status == TaskStatus.HANDED_OFF and seconds is not None:
            by_type.setdefault(row.type, []).append(seconds)
    every = [seconds for group in by_type.values() for seconds in group]
    if len(every) < ENDED_TASKS_NEEDED:
        return None
    overall = _mean(every)
    means = {task_type: _mean(group) for task_type, group in by_type.items()}
    return lambda task_type: means.get(task_type, overall)


def _mean(seconds: Sequence[float]) -> float:
    return sum(seconds) / len(seconds)


def _longest(rows: Mapping[TaskName, TaskRow], cost: Callable[[TaskRow], float]) -> Chain | None:
    best: dict[TaskName, float] = {}
    before: dict[TaskName, TaskName | None] = {}
    for name in dependencies_first({name: row.depends_on for name, row in rows.items()}):
        row = rows[name]
        previous = max((each for each in row.depends_on if each in best), key=best.__getitem__, default=None)
        best[name] = cost(row) + (0.0 if previous is None else best[previous])
        before[name] = previous
    if not best:
        return None
    step: TaskName | None = max(best, key=best.__getitem__)
    assert step is not None
    seconds, names = best[step], []
    while step is not None:
        names.append(step)
        step = before[step]
    return Chain(seconds, tuple(reversed(names)))
