"""The engine's own life: leaving on request, at a checkpoint, after an error, or because nothing is left to do."""

from dataclasses import replace

from orchestrate.core.changes import (
    NOTHING,
    AttentionRaised,
    Decision,
    Phase,
    SessionChanged,
    WorkspaceChanged,
    change,
)
from orchestrate.core.effects import EndRun, SetTimer
from orchestrate.core.events import (
    AccessLost,
    EngineStarted,
    ServiceUnreachable,
    StopReason,
    StopRequested,
    Timer,
    TimerKind,
)
from orchestrate.core.scheduling import hold_reason
from orchestrate.core.state import State, has_left_plan
from orchestrate.model.vocabulary import TaskStatus

EXIT_DONE = 0
EXIT_PLANNERS_TURN = 1
EXIT_CHECKPOINT = 100
EXIT_INTERRUPTED = 130

#: Seconds that answers in flight are awaited when the engine leaves.
GRACE_SECONDS = 5.0

_EXIT_CODES = {StopReason.INTERRUPT: EXIT_INTERRUPTED, StopReason.CHECKPOINT: EXIT_CHECKPOINT}


def on_engine_started(state: State, event: EngineStarted) -> Decision:
    """A workspace's id is the first thing that is written of it."""
    notes = tuple(AttentionRaised(note) for note in event.notes)
    return change(*((WorkspaceChanged(state.workspace),) if event.is_first else ()), *notes)


def on_stop_requested(state: State, event: StopRequested) -> Decision:
    """Launching ends at once, agents go on; who interrupts again does not want to wait for answers either."""
    if state.session.phase == Phase.RUNNING:
        return _leave(state, _EXIT_CODES[event.reason])
    return on_grace_over(state) if event.reason == StopReason.INTERRUPT else NOTHING


def on_grace_over(state: State) -> Decision:
    """Answers in flight were awaited long enough; the next engine looks them up."""
    return _end(state) if state.session.phase == Phase.LEAVING else NOTHING


def on_access_lost(state: State, event: AccessLost) -> Decision:
    """Without a key nothing more is launched; told once."""
    if state.session.hold is not None:
        return NOTHING
    words = f"{event.message} Nothing more is launched."
    return change(
        SessionChanged(replace(state.session, hold=event.message)),
        AttentionRaised(words if event.hint is None else f"{words} {event.hint}"),
    )


def on_service_unreachable(event: ServiceUnreachable) -> Decision:
    """A service that does not answer is nobody's error; it is told, and asked again."""
    return change(AttentionRaised(event.message))


def end_if_over(state: State) -> Decision:
    """The end of the run when there is nothing more to wait for."""
    session = state.session
    if state.blueprint is None or session.phase == Phase.ENDED:
        return NOTHING
    if session.phase == Phase.LEAVING:
        return NOTHING if state.awaiting else _end(state)
    if session.has_new_error and not session.settings.drain:
        return _leave(state, EXIT_PLANNERS_TURN)
    if state.running > _unwatched(state) or _goes_on(state):
        return NOTHING
    return _leave(state, EXIT_DONE if _is_all_handed_off(state) else EXIT_PLANNERS_TURN)


def _goes_on(state: State) -> bool:
    """True while something may still start by itself; a task that is ready had no slot, so it waits for a run's end."""
    return hold_reason(state) is None and state.postponed > 0


def _unwatched(state: State) -> int:
    """How many running tasks nobody can watch any more."""
    gone = state.session.unwatched
    rows = (state.rows[name] for name in gone)
    return sum(row.status == TaskStatus.RUNNING and row.attempts == gone[row.name] for row in rows)


def _is_all_handed_off(state: State) -> bool:
    """True when every task that somebody wants has handed off; what left the plan is nobody's wish."""
    return all(row.status == TaskStatus.HANDED_OFF for row in state.rows.values() if not has_left_plan(state, row))


def _leave(state: State, exit_code: int) -> Decision:
    session = replace(state.session, phase=Phase.LEAVING, exit_code=exit_code)
    if state.awaiting:
        timer = SetTimer(timer=Timer(TimerKind.GRACE), delay_seconds=GRACE_SECONDS)
        return change(SessionChanged(session), effects=[timer])
    return _end(replace(state, session=session))


def _end(state: State) -> Decision:
    assert state.session.exit_code is not None
    ended = SessionChanged(replace(state.session, phase=Phase.ENDED))
    return change(ended, effects=[EndRun(exit_code=state.session.exit_code)])
