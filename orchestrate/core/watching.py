"""While a run goes on: silence is told and never ends it; the only deadline is the task's own."""

from collections.abc import Sequence
from dataclasses import replace

from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, SessionChanged, change
from orchestrate.core.effects import CancelRun, SetTimer
from orchestrate.core.events import (
    AccessLost,
    CancelAnswered,
    EffectFailed,
    RunMissing,
    RunStalled,
    RunStirred,
    Timer,
    TimerFired,
    TimerKind,
)
from orchestrate.core.state import State
from orchestrate.model.names import RunId, TaskName, Timestamp
from orchestrate.model.rows import Cancel, TaskRow
from orchestrate.model.timestamps import seconds_between
from orchestrate.model.vocabulary import FailureMode, LaunchDelay, TaskStatus

#: Seconds after which a cancel that was not confirmed is asked for again.
CANCEL_AGAIN_SECONDS = 30.0


def watched(state: State, task: TaskName, run_id: RunId | None) -> TaskRow | None:
    """The row if just this run is its present one; None for a late answer, which changes nothing."""
    row = state.rows.get(task)
    if row is None or row.status != TaskStatus.RUNNING or row.run_id is None:
        return None
    return row if row.run_id == run_id else None


def deadline_timer(state: State, row: TaskRow, *, now: Timestamp) -> Sequence[SetTimer]:
    """The timer of the task's deadline, counted from its start; none without ``timeoutSec``."""
    seconds = _timeout_seconds(state, row)
    if seconds is None:
        return ()
    left = max(0.0, seconds - (seconds_between(row.started_at, now) or 0.0))
    return (SetTimer(timer=Timer(TimerKind.DEADLINE, row.name, row.attempts), delay_seconds=left),)


def on_run_stalled(state: State, event: RunStalled) -> Decision:
    """Silence is told once; the run goes on."""
    row = watched(state, event.task, event.run_id)
    if row is None or row.stalled_since is not None:
        return NOTHING
    words = f"{row.name} has been silent since {event.since}; it was not stopped."
    return change(
        RowChanged(replace(row, stalled_since=event.since, last_update=event.at)),
        AttentionRaised(words if event.last_activity is None else f"{words} Last: {event.last_activity}"),
    )


def on_run_stirred(state: State, event: RunStirred) -> Decision:
    """A stalled run goes on."""
    row = watched(state, event.task, event.run_id)
    if row is None or row.stalled_since is None:
        return NOTHING
    return change(
        RowChanged(replace(row, stalled_since=None, last_update=event.at)),
        AttentionRaised(f"{row.name} was silent since {row.stalled_since} and went on."),
    )


def on_run_missing(state: State, event: RunMissing) -> Decision:
    """The service does not know a run that it once made: nobody can say how it ended."""
    row = watched(state, event.task, event.run_id)
    if row is None:
        return NOTHING
    note = f"{event.message} Its work, if any, is on its branch at the remote."
    row = replace(
        row,
        status=TaskStatus.ERROR,
        failure_mode=FailureMode.UNKNOWN,
        note=note,
        finished_at=event.at,
        last_update=event.at,
        stalled_since=None,
    )
    session = replace(state.session, has_new_error=True)
    return change(RowChanged(row), AttentionRaised(f"{row.name}: {note}"), SessionChanged(session))


def on_watch_access_lost(state: State, event: AccessLost) -> Decision:
    """The run goes on unseen; the next engine with a good key watches it again."""
    if watched(state, event.task, event.run_id) is None:
        return NOTHING
    return change(SessionChanged(replace(state.session, unwatched=state.session.unwatched + 1)))


def on_deadline(state: State, event: TimerFired) -> Decision:
    """The deadline cancels the run, and says so."""
    row = _row_of(state, event.timer)
    if row is None or row.cancel is not None:
        return NOTHING
    seconds = _timeout_seconds(state, row)
    note = f"its deadline of {seconds:g} s was reached; it was cancelled"
    row = replace(row, cancel=Cancel(by="deadline", at=event.at), note=note, last_update=event.at)
    return change(RowChanged(row), AttentionRaised(f"{row.name}: {note}."), effects=cancel_orders(row))


def cancel_orders(row: TaskRow) -> Sequence[CancelRun]:
    """The order that cancels this row's run; none while it has no run."""
    if row.agent_id is None or row.run_id is None:
        return ()
    return (CancelRun(task=row.name, agent_id=row.agent_id, run_id=row.run_id),)


def on_cancel_answered(state: State, event: CancelAnswered) -> Decision:
    """Only the run's status confirms a cancel; until then it is asked for again."""
    row = watched(state, event.task, event.run_id)
    if row is None or row.cancel is None:
        return NOTHING
    timer = Timer(TimerKind.CANCEL, row.name, row.attempts)
    return change(effects=[SetTimer(timer=timer, delay_seconds=CANCEL_AGAIN_SECONDS)])


def on_cancel_due(state: State, event: TimerFired) -> Decision:
    """The cancel is asked for again if the run is there still."""
    row = _row_of(state, event.timer)
    if row is None or row.cancel is None:
        return NOTHING
    return change(effects=cancel_orders(row))


def on_performer_fault(state: State, event: EffectFailed) -> Decision:
    """A bug of ours is nobody's error: the task is left as it is for the next engine, and the fault is told."""
    row = state.rows.get(event.task) if event.task else None
    told = change(AttentionRaised(f"{event.task}: a fault of this program in {event.effect}: {event.message}"))
    if row is None or row.status != TaskStatus.RUNNING:
        return told
    unwatched = SessionChanged(replace(state.session, unwatched=state.session.unwatched + 1))
    if row.run_id is not None or row.launch is None:
        return change(unwatched) + told
    unknown = replace(row.launch, delay=LaunchDelay.UNKNOWN_OUTCOME)
    return change(unwatched, RowChanged(replace(row, launch=unknown, last_update=event.at))) + told


def _timeout_seconds(state: State, row: TaskRow) -> float | None:
    task = state.plan.tasks_by_name.get(row.name)
    own = None if task is None else task.timeout_sec
    return own if own is not None else state.plan.limits.task_timeout_sec


def _row_of(state: State, timer: Timer) -> TaskRow | None:
    row = state.rows.get(timer.task) if timer.task else None
    if row is None or row.status != TaskStatus.RUNNING or row.attempts != timer.attempt:
        return None
    return row
