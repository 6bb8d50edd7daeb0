"""Whether a failed task is tried again: only if the plan's ``retry`` names its failure mode, and while tries are left."""

from dataclasses import replace

from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, change
from orchestrate.core.effects import SetTimer
from orchestrate.core.events import Timer, TimerFired, TimerKind
from orchestrate.core.state import State, is_postponed
from orchestrate.model.names import Timestamp
from orchestrate.model.plan import Task
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import later_by, seconds_between
from orchestrate.model.vocabulary import FailureMode, TaskStatus


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
    seconds = task.retry.backoff_sec or 0.0
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
        not_before=later_by(at, seconds) if seconds else None,
    )
    return change(RowChanged(again), told, effects=retry_timer(again, now=at))


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
