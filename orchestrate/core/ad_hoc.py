"""Tasks that somebody adds to a run: the plan in force is the plan's file with them behind it.

Such a task has no place in ``plan.json``: its row keeps the definition, and each plan that is read is joined by them. A
planner who takes the task into the file later has the last word.
"""

from orchestrate.core import requesting
from orchestrate.core.blueprint import planned_ref
from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, PlanTaken, RowChanged, change
from orchestrate.core.recovery import swept
from orchestrate.core.request_events import SpawnRequested
from orchestrate.core.requesting import Refusal
from orchestrate.core.state import State, apply, may_start
from orchestrate.model.ad_hoc import AD_HOC, DEFINITION, task_of, with_tasks
from orchestrate.model.names import placeholder_branch
from orchestrate.model.plan import Plan, Task
from orchestrate.model.rows import TaskRow

_NO_TASK = Refusal(
    "bad_task", "the definition is no task of a plan.", "orchestrate schema plan shows what one may hold"
)


def on_spawn_requested(state: State, event: SpawnRequested) -> Decision:
    """The task is of the run from now on, and starts as soon as it may."""
    if requesting.is_too_late(state):
        return NOTHING
    task = task_of(event.definition)
    if task is None:
        return requesting.refused(state, event.request, _NO_TASK)
    row = state.rows.get(task.name)
    if row is not None and requesting.was_done(state, event.request):
        return requesting.done(state, event.request, _details(state, row))
    refusal = _refusal(state, task)
    if refusal is not None:
        return requesting.refused(state, event.request, refusal)
    return _added(state, event, task)


def _added(state: State, event: SpawnRequested, task: Task) -> Decision:
    plan = with_tasks(state.plan, [task])
    row = TaskRow(
        name=task.name,
        type=task.type,
        branch=_placeholder(plan, task),
        starting_ref=planned_ref(plan, task),
        depends_on=task.depends_on,
        last_update=event.at,
        extra={AD_HOC: True, DEFINITION: dict(event.definition)},
    )
    told = AttentionRaised(f"{event.by} added the task {task.name}.")
    decision = change(RowChanged(row), PlanTaken(plan), requesting.remembered(state, event.request), told)
    decision += swept(apply(state, decision.changes), at=event.at)
    after = apply(state, decision.changes)
    return decision + requesting.done(after, event.request, _details(after, after.rows[task.name]))


def _refusal(state: State, task: Task) -> Refusal | None:
    """Why this task cannot be added."""
    plan = state.plan
    if task.name in state.rows or task.name in plan.tasks_by_name:
        return Refusal("task_exists", f"there is a task {task.name} already.", "give it another name")
    unknown = next((name for name in task.depends_on if name not in plan.tasks_by_name), None)
    if unknown is not None:
        return Refusal("unknown_task", f"{task.name} depends on {unknown}, and there is no such task.")
    same = next((each for each in plan.tasks if _placeholder(plan, each) == _placeholder(plan, task)), None)
    if same is not None:
        return Refusal("task_exists", f"{task.name} would have the branch of {same.name}.", "give it another name")
    return None


def _placeholder(plan: Plan, task: Task) -> str:
    return placeholder_branch(plan.root_slug, task.name, task_type=task.type)


def _details(state: State, row: TaskRow) -> dict[str, object]:
    ready = [row.name] if may_start(state, row.name) else []
    return {"task": row.name, "status": row.status.value, "startingRef": row.starting_ref, "ready": ready}
