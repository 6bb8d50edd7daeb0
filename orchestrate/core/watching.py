"""While a run goes on: silence is told and never ends it; the only deadline is the task's own."""

from collections.abc import Sequence
from dataclasses import replace

from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, SessionChanged, change
from orchestrate.core.effects import CancelRun, LaunchAgent, LookUpAgent, SetTimer, WatchRun
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
from orchestrate.core.state import State, with_error
from orchestrate.core.turns import is_between_runs
from orchestrate.model.names import RunId, TaskName, Timestamp
from orchestrate.model.plan import Plan
from orchestrate.model.rows import Cancel, TaskRow
from orchestrate.model.timestamps import seconds_between
from orchestrate.model.vocabulary import FailureMode, LaunchDelay, TaskStatus

#: Seconds after which a cancel that was not confirmed is asked for again.
CANCEL_AGAIN_SECONDS = 30.0
#: Who asked for a cancel that the task's deadline brought.
BY_DEADLINE = "deadline"
#: What a timer may be early by, where two clocks differ a little.
_EARLY_SECONDS = 1.0
_LAUNCHES = frozenset({LaunchAgent.__name__, LookUpAgent.__name__})


def watched(state: State, task: TaskName, run_id: RunId | None) -> TaskRow | None:
    """The row if just this run is its present one; None for a late answer, which changes nothing."""
    row = state.rows.get(task)
    if row is None or row.status != TaskStatus.RUNNING or row.run_id is None:
        return None
    return row if row.run_id == run_id and not is_between_runs(row) else None


def unwatched(state: State, row: TaskRow) -> SessionChanged:
    """Nobody can watch this attempt any more; the next engine takes it up."""
    return SessionChanged(replace(state.session, unwatched=state.session.unwatched.set(row.name, row.attempts)))


def watched_again(state: State, row: TaskRow) -> Sequence[SessionChanged]:
    """A task that was given up and is watched after all."""
    if row.name not in state.session.unwatched:
        return ()
    return (SessionChanged(replace(state.session, unwatched=state.session.unwatched.delete(row.name))),)


def deadline_timer(state: State, row: TaskRow, *, now: Timestamp) -> Sequence[SetTimer]:
    """The timer of the task's deadline, counted from its start; none without ``timeoutSec``."""
    seconds = timeout_seconds(state.plan, row.name)
    if seconds is None:
        return ()
    left = max(0.0, _seconds_left(seconds, row, now=now))
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
        cancel=None,
    )
    session = SessionChanged(with_error(state, row))
    return change(RowChanged(row), AttentionRaised(f"{row.name}: {note}"), session)


def on_watch_access_lost(state: State, event: AccessLost) -> Decision:
    """The run goes on unseen; the next engine with a good key watches it again."""
    row = watched(state, event.task, event.run_id)
    return NOTHING if row is None else change(unwatched(state, row))


def on_deadline(state: State, event: TimerFired) -> Decision:
    """The deadline cancels the run, and says so; one that the planner moved meanwhile is waited for again."""
    row = _row_of(state, event.timer)
    seconds = None if row is None else timeout_seconds(state.plan, row.name)
    if row is None or seconds is None or row.cancel is not None:
        return NOTHING
    if _seconds_left(seconds, row, now=event.at) > _EARLY_SECONDS:
        return change(effects=deadline_timer(state, row, now=event.at))
    note = f"its deadline of {seconds:g} s was reached; it was cancelled"
    row = replace(row, cancel=Cancel(by=BY_DEADLINE, at=event.at), note=note, last_update=event.at)
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
    return change(effects=[_cancel_timer(row)])


def on_cancel_due(state: State, event: TimerFired) -> Decision:
    """The cancel is asked for again if the run is there still."""
    row = _row_of(state, event.timer)
    if row is None or row.cancel is None:
        return NOTHING
    return change(effects=cancel_orders(row))


def on_effect_failed(state: State, event: EffectFailed) -> Decision:
    """A bug of ours is nobody's error: the task is left as it is for the next engine, and the fault is told."""
    row = state.rows.get(event.task) if event.task else None
    where = event.effect if event.task is None else f"{event.effect} of {event.task}"
    told = change(AttentionRaised(f"a fault of this program in {where}: {event.message}"))
    if row is None or row.status != TaskStatus.RUNNING:
        return told
    if event.effect == WatchRun.__name__ and row.run_id is not None:
        return change(unwatched(state, row)) + told
    if event.effect == CancelRun.__name__ and row.cancel is not None:
        return told + change(effects=[_cancel_timer(row)])
    if event.effect not in _LAUNCHES or row.run_id is not None or row.launch is None:
        return told
    unknown = replace(row.launch, delay=LaunchDelay.UNKNOWN_OUTCOME)
    return change(unwatched(state, row), RowChanged(replace(row, launch=unknown, last_update=event.at))) + told


def timeout_seconds(plan: Plan, name: TaskName) -> float | None:
    """The time that a task may take: its own bound, else the plan's."""
    task = plan.tasks_by_name.get(name)
    own = None if task is None else task.timeout_sec
    return own if own is not None else plan.limits.task_timeout_sec


def _seconds_left(seconds: float, row: TaskRow, *, now: Timestamp) -> float:
    return seconds - (seconds_between(row.started_at, now) or 0.0)


def _cancel_timer(row: TaskRow) -> SetTimer:
    return SetTimer(timer=Timer(TimerKind.CANCEL, row.name, row.attempts), delay_seconds=CANCEL_AGAIN_SECONDS)


def _row_of(state: State, timer: Timer) -> TaskRow | None:
    row = state.rows.get(timer.task) if timer.task else None
    if row is None or row.status != TaskStatus.RUNNING or row.attempts != timer.attempt:
        return None
    return None if is_between_runs(row) else row
