"""The engine's own life: leaving on request, at a checkpoint, after an error, or because nothing is left to do."""

from dataclasses import replace

from immutables import Map

from orchestrate.core import budgets, returning, spending
from orchestrate.core.changes import (
    NOTHING,
    AttentionRaised,
    Decision,
    Linger,
    Phase,
    Session,
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
    TimerFired,
    TimerKind,
)
from orchestrate.core.scheduling import hold_reason
from orchestrate.core.service_events import CallsSlowed
from orchestrate.core.state import State, has_left_plan
from orchestrate.model.names import RequestId, TaskName
from orchestrate.model.vocabulary import TaskStatus

EXIT_DONE = 0
EXIT_PLANNERS_TURN = 1
#: The service has no room for a planner's agents: the planner is to give up its own slot.
EXIT_BLOCKED = 75
EXIT_CHECKPOINT = 100
EXIT_INTERRUPTED = 130

#: Seconds that answers in flight are awaited when the engine leaves.
GRACE_SECONDS = 5.0

#: Seconds that a run which is over waits for looks at branches and paths and for costs; the next run takes up the rest.
LINGER_SECONDS = 15.0

#: The same where measurements are taken.
MEASURING_SECONDS = 1800.0

_EXIT_CODES = {StopReason.INTERRUPT: EXIT_INTERRUPTED, StopReason.CHECKPOINT: EXIT_CHECKPOINT}


def on_engine_started(state: State, event: EngineStarted) -> Decision:
    """A workspace's id is the first thing that is written of it; no run ends before what was asked is answered."""
    notes = tuple(AttentionRaised(note) for note in event.notes)
    started = change(*((WorkspaceChanged(state.workspace),) if event.is_first else ()), *notes)
    if not event.requests and not event.is_stopped:
        return started
    asked = Map[RequestId, TaskName | None]((request, None) for request in event.requests)
    return started + change(SessionChanged(replace(state.session, requests=asked, awaits_stop=event.is_stopped)))


def on_stop_requested(state: State, event: StopRequested) -> Decision:
    """Launching ends at once, agents go on; who interrupts again does not want to wait for answers either."""
    if state.session.phase == Phase.RUNNING:
        return left(state, _EXIT_CODES[event.reason])
    return on_grace_over(state) if event.reason == StopReason.INTERRUPT else NOTHING


def on_grace_over(state: State) -> Decision:
    """Answers in flight were awaited long enough; the next engine looks them up."""
    return _end(state) if state.session.phase == Phase.LEAVING else NOTHING


def on_linger_over(state: State, event: TimerFired) -> Decision:
    """What goes on in the background was awaited long enough."""
    if event.timer.attempt != state.session.lingers:
        return NOTHING
    return change(SessionChanged(replace(state.session, linger=Linger.OVER)))


def on_access_lost(state: State, event: AccessLost) -> Decision:
    """Without a key nothing more is launched; told once."""
    if state.session.hold is not None:
        return NOTHING
    do = "" if event.hint is None else f": {event.hint}"
    return change(
        SessionChanged(replace(state.session, hold=event.message)),
        AttentionRaised(f"{event.message.rstrip('.')}. Nothing more is launched{do}."),
    )


def on_service_unreachable(event: ServiceUnreachable) -> Decision:
    """A service that does not answer is nobody's error; it is told, and asked again."""
    return change(AttentionRaised(event.message))


def on_calls_slowed(event: CallsSlowed) -> Decision:
    """A service that asks for fewer calls is told; its calls wait at the gate."""
    return change(AttentionRaised(event.message))


def end_if_over(state: State) -> Decision:
    """The end of the run when there is nothing more to wait for."""
    session = state.session
    if state.blueprint is None or session.phase == Phase.ENDED:
        return NOTHING
    if session.phase == Phase.LEAVING:
        return NOTHING if state.awaiting else _end(state)
    if session.settings.answers_only:
        return NOTHING if session.requests or session.awaits_stop or _is_ending(state) else left(state, EXIT_DONE)
    if session.has_new_error and not session.settings.drain:
        return left(state, EXIT_PLANNERS_TURN)
    if session.awaits_grant and not _is_all_handed_off(state):
        return _not_lingering(session)
    if state.running - _shelved(state) > _unwatched(state) or _goes_on(state) or session.requests:
        return _not_lingering(session)
    if _goes_on_behind(state) and session.linger != Linger.OVER:
        return _linger(session)
    return _held_words(state) + left(state, EXIT_DONE if _is_all_handed_off(state) else EXIT_PLANNERS_TURN)


def _goes_on_behind(state: State) -> bool:
    session = state.session
    if session.checking or session.looking_up or session.measuring or session.namesakes:
        return True
    return spending.awaits_first_answer(state) or returning.awaits_first_count(state)


def _linger(session: Session) -> Decision:
    """Wait for what goes on in the background; once measurements are among it, for longer."""
    wanted = Linger.MEASURING if session.measuring else Linger.NOW
    if session.linger in (wanted, Linger.MEASURING):
        return NOTHING
    seconds = MEASURING_SECONDS if session.measuring else LINGER_SECONDS
    lingers = session.lingers + 1
    timer = SetTimer(timer=Timer(TimerKind.LINGER, attempt=lingers), delay_seconds=seconds)
    return change(SessionChanged(replace(session, linger=wanted, lingers=lingers)), effects=[timer])


def _not_lingering(session: Session) -> Decision:
    """Something runs: the end is waited for anew when it has come that far again."""
    if session.linger == Linger.NOT_YET:
        return NOTHING
    return change(SessionChanged(replace(session, linger=Linger.NOT_YET, lingers=session.lingers + 1)))


def _held_words(state: State) -> Decision:
    """What a planner does where only a limit of the plan holds the run."""
    words = None if hold_reason(state) is not None else budgets.last_words(state)
    return NOTHING if words is None else change(AttentionRaised(words))


def _goes_on(state: State) -> bool:
    """True while something may still start by itself; a task that is ready had no slot, or no money."""
    return hold_reason(state) is None and (
        state.postponed > 0 or spending.awaits_costs(state) or returning.awaits_shares(state)
    )


def _is_ending(state: State) -> bool:
    """True while a cancel that this engine sees to its end is not confirmed, and somebody watches the run."""
    rows, gone = state.rows, state.session.unwatched
    return any(
        rows[name].status == TaskStatus.RUNNING and rows[name].attempts != gone.get(name)
        for name in state.session.ending
    )


def _shelved(state: State) -> int:
    """How many launches wait for what nobody looks for, or under the andon: the next engine takes them up."""
    andon = state.workspace.andon
    put_off = state.delayed if andon is not None and andon.is_raised else 0
    return put_off + (state.held if hold_reason(state) is not None else 0)


def _unwatched(state: State) -> int:
    """How many running tasks nobody can watch any more."""
    gone = state.session.unwatched
    rows = (state.rows[name] for name in gone)
    return sum(row.status == TaskStatus.RUNNING and row.attempts == gone[row.name] for row in rows)


def _is_all_handed_off(state: State) -> bool:
    """True when every task that somebody wants has handed off; what left the plan is nobody's wish."""
    rows = (row for row in state.rows.values() if not has_left_plan(state, row))
    return all(row.status == TaskStatus.HANDED_OFF and not row.is_called for row in rows)


def left(state: State, exit_code: int) -> Decision:
    """The engine leaves with this exit code once no answer is in flight."""
    session = replace(state.session, phase=Phase.LEAVING, exit_code=exit_code)
    if state.awaiting and not session.settings.answers_only:
        timer = SetTimer(timer=Timer(TimerKind.GRACE), delay_seconds=GRACE_SECONDS)
        return change(SessionChanged(session), effects=[timer])
    return _end(replace(state, session=session))


def _end(state: State) -> Decision:
    assert state.session.exit_code is not None
    ended = SessionChanged(replace(state.session, phase=Phase.ENDED))
    return change(ended, effects=[EndRun(exit_code=state.session.exit_code)])
