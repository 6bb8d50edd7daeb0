"""Trying tasks anew for somebody: what is over waits again, as it did before its first launch, and counts on.

A row that is reset has no agent, no verdict and no branch of its own any more; its next launch is the next attempt. What
waits for it starts from its placeholder again until it lands somewhere. What ran on its former branch is left alone
unless the request cascades. A running task is never reset: it would have two agents.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from orchestrate.core import requesting
from orchestrate.core.blueprint import planned_ref
from orchestrate.core.changes import NOTHING, AttentionRaised, Change, Decision, PlanTaken, RowChanged, change
from orchestrate.core.holding import starts_from
from orchestrate.core.recovery import swept
from orchestrate.core.request_events import RespawnRequested
from orchestrate.core.requesting import Refusal
from orchestrate.core.state import State, apply, has_left_plan, may_start
from orchestrate.core.turns import for_next_agent
from orchestrate.core.verdicts import judged
from orchestrate.model.names import TaskName, Timestamp, placeholder_branch
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus

_OVER = frozenset({TaskStatus.ERROR, TaskStatus.CANCELLED, TaskStatus.PRUNED})
#: Tasks that a line names.
_NAMED = 5


def on_respawn_requested(state: State, event: RespawnRequested) -> Decision:
    """All of these tasks wait again, or none does and whoever asked hears why."""
    if requesting.is_too_late(state):
        return NOTHING
    if requesting.was_done(state, event.request):
        return requesting.done(state, event.request, _details(state, event.tasks))
    sources = tuple(_sources(state, event)) if event.source else ()
    asked = tuple(dict.fromkeys((*sources, *event.tasks)))
    refusals = (_refusal(state, name, again=event.again or name in sources) for name in asked)
    refusal = next((each for each in refusals if each is not None), None)
    if refusal is not None:
        return requesting.refused(state, event.request, refusal)
    behind = tuple(_behind(state, asked)) if event.cascade else ()
    running = next((name for name in behind if state.rows[name].status == TaskStatus.RUNNING), None)
    if running is not None:
        return requesting.refused(state, event.request, _runs_behind(running))
    return _reset_all(state, event, (*asked, *behind))


def _reset_all(state: State, event: RespawnRequested, names: tuple[TaskName, ...]) -> Decision:
    reset = [_reset(state, state.rows[name], ref=event.starting_refs.get(name), at=event.at) for name in names]
    told = AttentionRaised(f"{event.by} has {_listed(names)} tried anew.")
    decision = change(
        *map(RowChanged, reset), *_recounted(state, reset), requesting.remembered(state, event.request), told
    )
    decision += _back_to_placeholders(apply(state, decision.changes), reset, at=event.at)
    decision += _without_verdicts_of(apply(state, decision.changes), names)
    decision += swept(apply(state, decision.changes), at=event.at)
    after = apply(state, decision.changes)
    return decision + requesting.done(after, event.request, _details(after, names))


def _reset(state: State, row: TaskRow, *, ref: str | None, at: Timestamp) -> TaskRow:
    """The row as it was before its first launch, but for how often it was tried, what that cost, and its last words."""
    task = state.plan.tasks_by_name.get(row.name)
    if task is not None:
        row = replace(row, type=task.type, depends_on=task.depends_on, starting_ref=planned_ref(state.plan, task))
    return TaskRow(
        name=row.name,
        type=row.type,
        branch=_placeholder(state, row),
        starting_ref=row.starting_ref if ref is None else ref,
        ref_from=None if ref is None else row.name,
        depends_on=row.depends_on,
        handoff_path=row.handoff_path,
        attempts=row.attempts,
        charges=row.charges,
        shares=row.shares,
        queue=for_next_agent(row),
        runs=row.runs,
        slack_ts=row.slack_ts,
        extra=row.extra,
        last_update=at,
    )


def _recounted(state: State, reset: Iterable[TaskRow]) -> tuple[Change, ...]:
    """The plan taken anew where one of these waits for others than it did."""
    is_other = any(row.depends_on != state.rows[row.name].depends_on for row in reset)
    return (PlanTaken(state.plan),) if is_other else ()


def _placeholder(state: State, row: TaskRow) -> str:
    return placeholder_branch(state.plan.root_slug, row.name, task_type=row.type)


def _back_to_placeholders(state: State, reset: Iterable[TaskRow], *, at: Timestamp) -> Decision:
    """What waits and was moved to the former branch of a task starts from its placeholder until it has a new one."""
    assert state.blueprint is not None
    decision = NOTHING
    for source in reset:
        for name in state.blueprint.followers.get(source.name, ()):
            row = state.rows[name]
            if row.status == TaskStatus.PENDING and row.ref_from == source.name != name:
                back = replace(row, starting_ref=_placeholder(state, source), ref_from=None, last_update=at)
                decision += change(RowChanged(back))
    return decision


def _without_verdicts_of(state: State, names: Iterable[TaskName]) -> Decision:
    """What these verifiers said of their targets is about work that is looked at anew."""
    decision = NOTHING
    for name in names:
        task = state.plan.tasks_by_name.get(name)
        target = None if task is None or task.verifies is None else state.rows.get(task.verifies)
        if target is None or not any(verdict.by == name for verdict in target.verdicts):
            continue
        kept = tuple(verdict for verdict in target.verdicts if verdict.by != name)
        changed = change(RowChanged(judged(state, replace(target, verdicts=kept))))
        state, decision = apply(state, changed.changes), decision + changed
    return decision


def _sources(state: State, event: RespawnRequested) -> Iterator[TaskName]:
    """The tasks on whose branches those that are asked for work."""
    assert state.blueprint is not None
    owners = {follower: name for name, names in state.blueprint.followers.items() for follower in names}
    for name in event.tasks:
        if name in owners and owners[name] in state.rows:
            yield owners[name]


def _behind(state: State, names: Iterable[TaskName]) -> Iterator[TaskName]:
    """The tasks that ran on the branches of these, planned or named in the plan, and on theirs in turn."""
    assert state.blueprint is not None
    open_names = list(names)
    seen = set(open_names)
    rows = (row for row in state.rows_in_order() if not has_left_plan(state, row))
    ran = [row for row in rows if row.attempts and row.status != TaskStatus.PENDING]
    while open_names:
        source = state.rows[open_names.pop(0)]
        for row in ran:
            if row.name not in seen and starts_from(row, source, blueprint=state.blueprint):
                seen.add(row.name)
                open_names.append(row.name)
                yield row.name


def _refusal(state: State, name: TaskName, *, again: bool) -> Refusal | None:
    """Why this task cannot be tried anew."""
    row = state.rows.get(name)
    if row is None:
        return requesting.unknown_task(name)
    if name not in state.plan.tasks_by_name and not row.extra.get("adHoc"):
        return Refusal("task_pruned", f"{name} is not in the plan any more.", "put it back into plan.json first")
    if row.status in _OVER or (again and row.status == TaskStatus.HANDED_OFF):
        return None
    if row.status == TaskStatus.HANDED_OFF:
        return Refusal("already_handed_off", f"{name} handed off already, on {row.branch}.", "add --again")
    if row.status == TaskStatus.RUNNING:
        hint = f"wait for its end, or type orchestrate cancel . {name}; then type the same command again"
        return Refusal("task_running", f"{name} runs: it would have two agents.", hint)
    return Refusal("task_pending", f"{name} has not run yet; there is nothing to try anew.", "orchestrate run .")


def _runs_behind(name: TaskName) -> Refusal:
    hint = f"wait for its end, or type orchestrate cancel . {name}; then type the same command again"
    return Refusal("task_running", f"{name} runs on a branch that would be given up.", hint)


def _details(state: State, names: Iterable[TaskName]) -> dict[str, object]:
    rows = [state.rows[name] for name in names if name in state.rows]
    return {
        "tasks": [
            {"task": row.name, "status": row.status.value, "attempt": row.attempts + 1, "startingRef": row.starting_ref}
            for row in rows
        ],
        "ready": [row.name for row in rows if row.status == TaskStatus.PENDING and may_start(state, row.name)],
    }


def _listed(names: tuple[TaskName, ...]) -> str:
    if len(names) <= _NAMED + 1:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
