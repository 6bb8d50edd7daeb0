"""Whether a failed task is tried again, and from where.

It is, if the plan's ``retry`` names its failure mode and tries are left. The next try goes on from the task's own branch
only where the remote positively has that, with work on it; it waits for the answer for a few seconds, and starts where
the first one did if there is none.
"""

from dataclasses import replace

from orchestrate.core.blueprint import planned_ref
from orchestrate.core.branches import has_real_branch, propagate
from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, Phase, RowChanged, change
from orchestrate.core.effects import LookUpRefs, SetTimer
from orchestrate.core.events import Timer, TimerFired, TimerKind
from orchestrate.core.pacing import LOOK_UP_PATIENCE_SECONDS
from orchestrate.core.ref_events import RefsSeen, SeenRef, WantedRef
from orchestrate.core.state import State, apply, is_postponed
from orchestrate.model.names import Timestamp, is_valid_ref
from orchestrate.model.plan import Task
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import later_by, seconds_between
from orchestrate.model.vocabulary import FailureMode, TaskStatus, TaskType


def may_retry(task: Task, *, attempts: int, mode: FailureMode) -> bool:
    """True while the policy names this failure and neither it nor ``maxAttempts`` is used up."""
    if task.retry is None or mode not in task.retry.on:
        return False
    return attempts < task.retry.attempts and attempts < (task.max_attempts or attempts + 1)


def retry(state: State, row: TaskRow, *, at: Timestamp) -> Decision | None:
    """The failed row as pending again, now or after the policy's pause; None when it stays in error."""
    task = state.plan.tasks_by_name.get(row.name)
    mode = row.failure_mode or FailureMode.UNKNOWN
    if task is None or task.retry is None or not may_retry(task, attempts=row.attempts, mode=mode):
        return None
    told = AttentionRaised(
        f"{row.name} failed on try {row.attempts} ({mode}: {row.note}); the plan's retry starts it again."
    )
    again = replace(
        row,
        status=TaskStatus.PENDING,
        agent_id=None,
        run_id=None,
        parent_agent_id=None,
        launch=None,
        url=None,
        not_before=None,
    )
    return change(told) + _waiting(state, again, seconds=task.retry.backoff_sec or 0.0, at=at)


def taken_up(state: State, row: TaskRow, *, at: Timestamp) -> Decision:
    """What a task that waits for its next try asks of an engine that has just begun with it."""
    if row.not_before is None:
        return NOTHING
    left = max(0.0, seconds_between(at, row.not_before) or 0.0)
    if not _look_at_own_branch(state, row):
        return change(effects=retry_timer(row, now=at))
    return _waiting(state, row, seconds=left, at=at)


def on_own_branch_seen(state: State, row: TaskRow, ref: SeenRef, event: RefsSeen) -> Decision:
    """Where the next try starts is settled; it waits for no more than the rest of its pause."""
    is_awaited = is_postponed(row) and row.finished_at is not None and row.attempts == ref.attempt
    task = state.plan.tasks_by_name.get(row.name)
    if not is_awaited or task is None or ref.branch != _own_branch(state, row):
        return NOTHING
    pause = 0.0 if task.retry is None else task.retry.backoff_sec or 0.0
    left = max(0.0, pause - (seconds_between(row.finished_at, event.at) or 0.0))
    row = replace(row, not_before=later_by(event.at, left) if left else None, last_update=event.at)
    if event.unknown is not None:
        told = AttentionRaised(
            f"{ref.branch} of {row.name} could not be looked up ({event.unknown}); its next try starts from"
            f" {row.starting_ref}."
        )
        return change(RowChanged(row), told, effects=retry_timer(row, now=event.at))
    return _from_where(state, row, ref, at=event.at) + change(effects=retry_timer(row, now=event.at))


def _from_where(state: State, row: TaskRow, ref: SeenRef, *, at: Timestamp) -> Decision:
    """Its own branch where that has work on it; else where the first try started."""
    if ref.sha is not None and ref.sha not in (ref.start_sha, row.starting_sha):
        own = replace(row, starting_ref=ref.branch, ref_from=row.name)
        words = f"{row.name}: try {row.attempts + 1} goes on from {ref.branch}, which is on the remote."
        return change(RowChanged(own), AttentionRaised(words))
    if row.ref_from != row.name:
        return change(RowChanged(row))
    planned = replace(row, starting_ref=planned_ref(state.plan, state.plan.task(row.name)), ref_from=None)
    decision = change(RowChanged(planned))
    assert state.blueprint is not None
    leader = state.rows.get(state.blueprint.leaders.get(row.name, row.name), row)
    if leader.name == row.name or not has_real_branch(state.plan, leader):
        return decision
    return decision + propagate(apply(state, decision.changes), leader, at=at)


def _waiting(state: State, row: TaskRow, *, seconds: float, at: Timestamp) -> Decision:
    """The row while it waits for its pause and for the look at its own branch."""
    look = _look_at_own_branch(state, row)
    seconds = max(seconds, LOOK_UP_PATIENCE_SECONDS) if look else seconds
    row = replace(row, not_before=later_by(at, seconds) if seconds else None)
    return change(RowChanged(row), effects=(*retry_timer(row, now=at), *look))


def _look_at_own_branch(state: State, row: TaskRow) -> tuple[LookUpRefs, ...]:
    """The question for the task's own branch; none for who pushes none, and none while the engine leaves."""
    is_leaving = state.session.phase != Phase.RUNNING or state.session.settings.answers_only
    branch = _own_branch(state, row)
    if is_leaving or row.type == TaskType.VERIFIER or row.finished_at is None or branch is None:
        return ()
    start = row.starting_ref if row.starting_ref != branch else None
    return (LookUpRefs(refs=(WantedRef(row.name, row.attempts, branch, start),), is_awaited=True),)


def _own_branch(state: State, row: TaskRow) -> str | None:
    """The branch that the service reported for the last try, else the planned one."""
    named = (row.reported_branch, row.branch)
    return next((each for each in named if each and is_valid_ref(each) and each != state.plan.base_branch), None)


def retry_timer(row: TaskRow, *, now: Timestamp) -> tuple[SetTimer, ...]:
    """The timer of a task that waits for its moment; none when it waits for none."""
    if row.not_before is None:
        return ()
    seconds = max(0.0, seconds_between(now, row.not_before) or 0.0)
    return (SetTimer(timer=Timer(TimerKind.RETRY, row.name, row.attempts), delay_seconds=seconds),)


def on_retry_due(state: State, event: TimerFired) -> Decision:
    """The pause is over: the task is as ready as any other."""
    row = state.rows.get(event.timer.task) if event.timer.task else None
    if row is None or not is_postponed(row) or row.attempts != event.timer.attempt:
        return NOTHING
    return change(RowChanged(replace(row, not_before=None, last_update=event.at)))
