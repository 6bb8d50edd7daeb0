"""A planner that is an agent itself holds a slot of the service while it waits for others. It does not do so for ever.

Where none of its agents is alive and the service takes none for ten minutes, the engine says so and leaves with an exit
code of its own: its planner hands off ``blocked``, which frees the slot. What was refused waits in the workspace.
"""

from dataclasses import replace

from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, Phase, SessionChanged, change
from orchestrate.core.effects import SetTimer
from orchestrate.core.events import Event, LaunchDelayed, Timer, TimerFired, TimerKind
from orchestrate.core.operating import EXIT_BLOCKED, left
from orchestrate.core.state import State, apply, is_held
from orchestrate.model.timestamps import seconds_between
from orchestrate.model.vocabulary import LaunchDelay

#: Seconds without a single agent after which a planner gives its slot up.
PATIENCE_SECONDS = 600.0
_WORDS = (
    "no agent of this planner is alive, and for 10 minutes the service has taken none. Hand off `blocked`: this planner "
    "holds a slot itself. Run again to go on; nothing is lost"
)


def noticed(state: State, event: Event) -> Decision:
    """Since when the service takes nobody while nobody works; the state is the one after the event."""
    session = state.session
    if session.phase != Phase.RUNNING or not _is_agent(state):
        return NOTHING
    if session.starves_since is not None:
        return NOTHING if _is_alone(state) else change(SessionChanged(replace(session, starves_since=None)))
    if not isinstance(event, LaunchDelayed) or event.delay != LaunchDelay.CAPACITY or not _is_alone(state):
        return NOTHING
    row = state.rows.get(event.task)
    if row is None or not is_held(row):
        return NOTHING
    timer = SetTimer(timer=Timer(TimerKind.STARVED), delay_seconds=PATIENCE_SECONDS)
    return change(SessionChanged(replace(session, starves_since=event.at)), effects=[timer])


def on_starved(state: State, event: TimerFired) -> Decision:
    """Ten minutes are over: if nobody was taken meanwhile the engine leaves."""
    session = state.session
    passed = seconds_between(session.starves_since, event.at)
    if session.phase != Phase.RUNNING or passed is None or passed < PATIENCE_SECONDS:
        return NOTHING
    told = change(AttentionRaised(f"{_WORDS}."))
    return told + left(apply(state, told.changes), EXIT_BLOCKED)


def _is_agent(state: State) -> bool:
    """True for an engine that runs in an agent, which may take a slot of the service."""
    settings = state.session.settings
    return not settings.answers_only and (settings.depth > 0 or settings.own_agent_id is not None)


def _is_alone(state: State) -> bool:
    return state.running - state.held - state.awaiting == 0
