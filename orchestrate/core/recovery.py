"""Taking in a plan, and taking up what a former engine left: every open row gets the effects that its state implies.

A row alone says what is due: an intent without a run is looked up, a run is watched, a delayed launch waits on. No
record of effects is needed.
"""

from dataclasses import replace

from orchestrate.core import capacity, grants, namesakes, plan_edits, retrying, returning, spending
from orchestrate.core.blueprint import planned_ref
from orchestrate.core.branches import has_real_branch, propagate
from orchestrate.core.changes import (
    NOTHING,
    AttentionRaised,
    Change,
    Decision,
    PlanTaken,
    RowChanged,
    change,
)
from orchestrate.core.effects import Effect, LookUpAgent, SetTimer, WatchRun
from orchestrate.core.events import PlanRead, Timer, TimerKind
from orchestrate.core.launching import OUT_OF_PLAN, doubtful, relaunch_timer
from orchestrate.core.look_ups import look_up, look_up_newly_followed
from orchestrate.core.measuring import measure
from orchestrate.core.path_checks import check_paths
from orchestrate.core.state import State, apply, is_held
from orchestrate.core.turns import is_between_runs, looked_at
from orchestrate.core.verdicts import judged_anew
from orchestrate.core.watching import cancel_orders, deadline_timer, timeout_seconds
from orchestrate.model.ad_hoc import with_ad_hoc_tasks
from orchestrate.model.names import TaskName, Timestamp, placeholder_branch
from orchestrate.model.plan import Plan, Task
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import seconds_between
from orchestrate.model.vocabulary import LaunchDelay, TaskStatus


def on_plan_read(state: State, event: PlanRead) -> Decision:
    """Rows for the plan's tasks, and the effects that open rows imply; a later plan may be none for this engine."""
    event = replace(event, plan=with_ad_hoc_tasks(event.plan, state.rows.values()))
    words = None if state.blueprint is None else plan_edits.refused(state.plan, event.plan)
    if words is not None:
        return change(AttentionRaised(f"{words}."))
    changes: list[Change] = [AttentionRaised(f"plan.json was changed: {each}") for each in event.warnings]
    changes += [*_planned_rows(state, event), *_pruned_rows(state, event), PlanTaken(event.plan)]
    after = apply(state, changes)
    handed_on = judged_anew(after) + swept(after, at=event.at)
    after = apply(after, handed_on.changes)
    decision = Decision(tuple(changes)) + handed_on
    if state.session.settings.answers_only:
        return decision
    if state.blueprint is None:
        begun = change(effects=_checkpoint_timer(state)) + _taken_up(after, at=event.at)
        begun += grants.asked(apply(after, begun.changes))
    else:
        notes = plan_edits.told(after, former=state.plan, at=event.at)
        begun = _with_new_deadlines(after, former=state.plan, at=event.at) + notes
        begun += look_up_newly_followed(after)
    begun += spending.taken_up(apply(after, begun.changes), at=event.at)
    after = apply(after, begun.changes)
    return decision + begun + returning.asked(after, after.rows_in_order(), at=event.at)


def _checkpoint_timer(state: State) -> tuple[SetTimer, ...]:
    seconds = state.session.settings.max_runtime_seconds
    return () if seconds is None else (SetTimer(timer=Timer(TimerKind.CHECKPOINT), delay_seconds=seconds),)


def _planned_rows(state: State, event: PlanRead) -> list[RowChanged]:
    changed = []
    for task in event.plan.tasks:
        before = state.rows.get(task.name)
        after = _planned(event.plan, task, before, at=event.at)
        if after != before:
            changed.append(RowChanged(after))
    return changed


def _planned(plan: Plan, task: Task, row: TaskRow | None, *, at: Timestamp) -> TaskRow:
    """The task's row as the plan wants it; what has begun keeps its own facts."""
    if row is None:
        return TaskRow(
            name=task.name,
            type=task.type,
            branch=placeholder_branch(plan.root_slug, task.name, task_type=task.type),
            starting_ref=planned_ref(plan, task),
            depends_on=task.depends_on,
            last_update=at,
        )
    if row.status == TaskStatus.PRUNED and row.attempts == 0 and row.agent_id is None and row.cancel is None:
        row = replace(row, status=TaskStatus.PENDING, note=None, last_update=at)
    if row.status != TaskStatus.PENDING:
        return row
    planned, goes_on = planned_ref(plan, task), row.ref_from == row.name
    if not goes_on and (row.ref_from is None or planned != _placeholder_of(plan, row.ref_from)):
        row = replace(row, starting_ref=planned, ref_from=None)
    branch = row.branch or placeholder_branch(plan.root_slug, task.name, task_type=task.type)
    return replace(row, type=task.type, depends_on=task.depends_on, branch=branch)


def _placeholder_of(plan: Plan, name: TaskName) -> str | None:
    """The planned branch of a task; None for one that left the plan."""
    task = plan.tasks_by_name.get(name)
    return None if task is None else placeholder_branch(plan.root_slug, name, task_type=task.type)


def _pruned_rows(state: State, event: PlanRead) -> list[RowChanged]:
    """Rows that wait for a task which is not in the plan any more; ad hoc ones are nobody's plan."""
    return [
        RowChanged(replace(row, status=TaskStatus.PRUNED, note=OUT_OF_PLAN, last_update=event.at))
        for _, row in sorted(state.rows.items())
        if row.status == TaskStatus.PENDING
        and event.plan.tasks_by_name.get(row.name) is None
        and not row.extra.get("adHoc")
    ]


def _with_new_deadlines(state: State, *, former: Plan, at: Timestamp) -> Decision:
    """Timers for the runs whose deadline the planner has changed."""
    rows = (row for row in state.rows_in_order() if row.status == TaskStatus.RUNNING and row.run_id is not None)
    changed = (row for row in rows if timeout_seconds(former, row.name) != timeout_seconds(state.plan, row.name))
    return change(effects=[timer for row in changed for timer in deadline_timer(state, row, now=at)])


def swept(state: State, *, at: Timestamp) -> Decision:
    """Real branches, handed on to those that follow them still or since the plan was changed."""
    decision = NOTHING
    for row in state.rows_in_order():
        if has_real_branch(state.plan, row):
            decision += propagate(state, row, at=at)
    return decision


def _taken_up(state: State, *, at: Timestamp) -> Decision:
    changes: list[Change] = []
    effects: list[Effect] = []
    for row in state.rows_in_order():
        decision = _taken_up_open(state, row, at=at)
        changes += decision.changes
        effects += decision.effects
    decision = Decision(tuple(changes), tuple(effects)) + capacity.taken_up(state, at=at)
    after = apply(state, decision.changes)
    decision += namesakes.look_for(after, [item.row for item in changes if isinstance(item, RowChanged)])
    after = apply(state, decision.changes)
    handed_off = [row for row in after.rows_in_order() if row.status == TaskStatus.HANDED_OFF]
    decision += check_paths(after, handed_off)
    decision += measure(apply(state, decision.changes), handed_off)
    return decision + look_up(apply(state, decision.changes), handed_off)


def _taken_up_open(state: State, row: TaskRow, *, at: Timestamp) -> Decision:
    if row.status == TaskStatus.PENDING:
        return retrying.taken_up(state, row, at=at)
    if row.status == TaskStatus.RUNNING:
        return taken_up_row(state, row, at=at)
    return NOTHING


def taken_up_row(state: State, row: TaskRow, *, at: Timestamp) -> Decision:
    """What a row that says "running" asks of an engine that has just begun with it."""
    if is_between_runs(row):
        return looked_at(row, at=at)
    if row.agent_id is not None and row.run_id is not None:
        return change(effects=[WatchRun(row=row), *_cancel_asked_for(row), *deadline_timer(state, row, now=at)])
    if row.launch is None or row.agent_id is not None or row.run_id is not None:
        return namesakes.left_in_error(row, at=at)
    if is_held(row):
        return NOTHING  # it stands in line with the others
    if row.launch.delay not in (None, LaunchDelay.UNKNOWN_OUTCOME):
        left = max(0.0, seconds_between(at, row.not_before) or 0.0)
        return change(effects=[relaunch_timer(row, seconds=left)])
    asked = doubtful(row, at=at)
    return change(RowChanged(asked), effects=[LookUpAgent(row=asked)])


def _cancel_asked_for(row: TaskRow) -> tuple[Effect, ...]:
    """The cancel that was asked for and not confirmed, asked for again."""
    return () if row.cancel is None else tuple(cancel_orders(row))
