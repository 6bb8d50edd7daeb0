"""What a plan that was changed while it runs means for tasks that have begun, in words for an operator.

What is new is launched and what is gone before its launch is pruned; that is recovery's. A task that runs or is over
keeps what it was launched with: the change is refused for it, with a note. What only the engine acts on is taken in.
"""

from collections.abc import Iterator
from dataclasses import replace

from orchestrate.core.changes import NOTHING, AttentionRaised, Change, Decision, RowChanged, change
from orchestrate.core.plan_events import PlanNotTaken
from orchestrate.core.state import State
from orchestrate.model.names import TaskName, Timestamp
from orchestrate.model.plan import Plan, Task
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus

#: Fields of a task that its agent knows nothing of; they hold from now on.
_OF_THE_ENGINE = frozenset(
    {
        "name",
        "retry",
        "max_attempts",
        "timeout_sec",
        "priority",
        "on_blocked",
        "on_unstructured",
        "slack_ts",
        "measurements",
    }
)
#: What an engine is put together with; it cannot become another while it runs.
_FIXED = ("root_slug", "repo_url", "runtime")
#: Tasks that a line names.
_NAMED = 5


def on_plan_not_taken(event: PlanNotTaken) -> Decision:
    """Nothing changes, and it is told."""
    return change(AttentionRaised(event.message))


def refused(former: Plan, plan: Plan) -> str | None:
    """Why a running engine cannot take in this plan at all; None where it can."""
    fields = [_alias(Plan, name) for name in _FIXED if getattr(former, name) != getattr(plan, name)]
    if not fields:
        return None
    return (
        f"plan.json has another {_listed(fields)} now; a running engine keeps what it began with, and nothing of the"
        " change was taken in. Stop it and call run again"
    )


def told(state: State, *, former: Plan, at: Timestamp) -> Decision:
    """Notes for tasks whose change has no effect, and one line about the whole."""
    rows: list[Change] = []
    refusals: list[AttentionRaised] = []
    for row, fields in _changed(state, former):
        note = f"{_listed(fields)} changed in plan.json after it was launched"
        if row.status == TaskStatus.RUNNING:
            rows.append(RowChanged(replace(row, note=f"{note}; this run goes on as it was asked for", last_update=at)))
        do = "it runs on as it was asked for" if row.status == TaskStatus.RUNNING else "it is not run again for that"
        refusals.append(AttentionRaised(f"{row.name}: {note}; {do}."))
    line = _line(state, former)
    if not rows and not refusals and line is None:
        return NOTHING
    return change(*rows, *(() if line is None else (AttentionRaised(line),)), *refusals)


def _changed(state: State, former: Plan) -> Iterator[tuple[TaskRow, list[str]]]:
    """Tasks that have begun, each with the fields that are not what they were any more."""
    for task in state.plan.tasks:
        before = former.tasks_by_name.get(task.name)
        row = state.rows[task.name]
        if before is None or before == task or row.status in (TaskStatus.PENDING, TaskStatus.PRUNED):
            continue
        fields = [
            _alias(Task, name)
            for name in Task.model_fields
            if name not in _OF_THE_ENGINE and getattr(before, name) != getattr(task, name)
        ]
        if fields:
            yield row, fields


def _line(state: State, former: Plan) -> str | None:
    new = [task.name for task in state.plan.tasks if task.name not in former.tasks_by_name]
    gone = [task.name for task in former.tasks if task.name not in state.plan.tasks_by_name]
    running = [name for name in gone if state.rows[name].status == TaskStatus.RUNNING]
    over = [name for name in gone if name not in running]
    parts = [
        f"{word} {_listed(names)}"
        for word, names in (("new:", new), ("gone:", over), ("gone, and running on:", running))
        if names
    ]
    return f"plan.json was changed and is in force: {'; '.join(parts)}." if parts else None


def _listed(names: list[str] | list[TaskName]) -> str:
    shown = ", ".join(names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"


def _alias(model: type[Plan] | type[Task], name: str) -> str:
    return model.model_fields[name].alias or name
