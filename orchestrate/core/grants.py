"""What the planner above granted: read from the service before anything is launched, never taken from the plan.

An engine that runs in an agent asks the service for that agent. Until the grant is known nothing new is launched; where
nobody answers it is asked for again, and where the answer is no, or makes no sense, the run ends without a launch.
"""

from dataclasses import replace

from orchestrate.core.accounts import cents
from orchestrate.core.changes import (
    NOTHING,
    AttentionRaised,
    Decision,
    SessionChanged,
    WorkspaceChanged,
    change,
)
from orchestrate.core.effects import ReadGrant, SetTimer
from orchestrate.core.events import Timer, TimerFired, TimerKind
from orchestrate.core.grant_events import GrantRead, GrantUnread
from orchestrate.core.pacing import delay_seconds
from orchestrate.core.state import State
from orchestrate.model.grants import OwnGrant
from orchestrate.model.vocabulary import LaunchDelay


def asked(state: State) -> Decision:
    """The question for this engine's own grant, where it runs in an agent."""
    settings = state.session.settings
    if settings.own_agent_id is None or settings.answers_only:
        return NOTHING
    waits = SessionChanged(replace(state.session, awaits_grant=True))
    return change(waits, effects=[ReadGrant(agent_id=settings.own_agent_id)])


def on_grant_read(state: State, event: GrantRead) -> Decision:
    """From now on the lesser of grant and plan binds; what another planner took here before does not count."""
    if not state.session.awaits_grant:
        return NOTHING
    known, accounts = state.workspace.grant, state.accounts
    own = OwnGrant(event.agent_id, event.grant)
    if known is not None and known.agent_id == event.agent_id:
        own = replace(known, grant=event.grant)
    elif accounts.agents_taken:
        own = replace(own, agents_before=accounts.agents_taken, cents_before=cents(accounts.settled + accounts.used))
    decision = change(SessionChanged(replace(state.session, awaits_grant=False, grant_misses=0)))
    if own != known:
        decision += change(WorkspaceChanged(replace(state.workspace, grant=own)))
        decision += change(*(() if event.note is None else (AttentionRaised(event.note),)))
    return decision


def on_grant_unread(state: State, event: GrantUnread) -> Decision:
    """Without the grant nobody knows what may be launched: it is asked for again, or nothing is launched."""
    session = state.session
    if not session.awaits_grant:
        return NOTHING
    if event.is_final:
        session = replace(session, awaits_grant=False, hold=session.hold or event.message)
        do = "" if event.hint is None else f" {event.hint}"
        return change(SessionChanged(session), AttentionRaised(f"{event.message}. Nothing is launched.{do}"))
    misses = session.grant_misses + 1
    seconds = delay_seconds(LaunchDelay.UNREACHABLE, delays=misses, seed=state.workspace.workspace_id)
    told = f"{event.message}. Nothing is launched until it is known; it is asked for again."
    return change(
        SessionChanged(replace(session, grant_misses=misses)),
        *((AttentionRaised(told),) if misses == 1 else ()),
        effects=[SetTimer(timer=Timer(TimerKind.GRANT, attempt=misses), delay_seconds=seconds)],
    )


def on_grant_due(state: State, event: TimerFired) -> Decision:
    """The pause is over: the grant is asked for again."""
    session = state.session
    if not session.awaits_grant or event.timer.attempt != session.grant_misses:
        return NOTHING
    assert session.settings.own_agent_id is not None
    return change(effects=[ReadGrant(agent_id=session.settings.own_agent_id)])


def on_effect_failed(state: State, message: str) -> Decision:
    """A bug of ours kept the grant from being read: nothing is launched."""
    return on_grant_unread(state, GrantUnread(message=f"the grant could not be read: {message}", is_final=True))
