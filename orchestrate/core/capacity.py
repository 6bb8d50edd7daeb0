"""Launches that the service takes no more of now: they wait their turn, one is tried at a time, and no try is counted.

How many agents the service takes is learned. A refusal says that there is no room beside the agents that run; a launch
that is taken says that there is. Where a run of ours has ended there is room again, and the next launch goes at once;
beside that a timer tries one. Waiting and ready tasks stand in one line, by priority and then the plan's order.

Where agents count until they are archived, waiting alone would never end. So with each refusal one agent of a finished
task is archived, the oldest first, and the next launch is tried.

A used-up quota parks all launches until it is given anew, or where nobody says when, for longer and longer pauses.
"""

from dataclasses import replace

from orchestrate.core.changes import (
    NOTHING,
    AttentionRaised,
    Change,
    Decision,
    Line,
    Phase,
    RowChanged,
    SessionChanged,
    change,
)
from orchestrate.core.effects import ArchiveAgent, Effect, SetTimer
from orchestrate.core.events import AgentLaunched, Event, LaunchDelayed, Timer, TimerFired, TimerKind
from orchestrate.core.pacing import LONGEST_ASKED_SECONDS, REASONS, delay_seconds
from orchestrate.core.queue import added
from orchestrate.core.service_events import ArchiveAnswered
from orchestrate.core.state import State, is_held
from orchestrate.model.names import TaskName, Timestamp
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import seconds_between
from orchestrate.model.vocabulary import LaunchDelay, TaskStatus

_FINISHED = (TaskStatus.HANDED_OFF, TaskStatus.ERROR, TaskStatus.CANCELLED)


def learned(state: State, event: Event) -> Decision:
    """What an event that was just taken in says of the service's room; the state is the one after it."""
    if state.session.phase != Phase.RUNNING or state.session.settings.answers_only:
        return NOTHING
    match event:
        case LaunchDelayed():
            return _refused(state, event)
        case AgentLaunched():
            return _taken(state, event)
        case TimerFired(timer=Timer(kind=TimerKind.TURN)):
            return _tried(state)
        case ArchiveAnswered():
            return _archived(state, event)
        case _:
            return NOTHING


def next_held(state: State) -> TaskRow | None:
    """The first launch of those that wait, once there is room for it."""
    line = state.session.line
    if line is None or line.waiting is None or not has_room(state):
        return None
    return state.rows[line.waiting.item]


def has_room(state: State) -> bool:
    """True while the service is not known to be full."""
    line = state.session.line
    return line is None or line.room is None or state.running - state.held < line.room or not state.running


def armed(state: State) -> Decision:
    """The timer that tries one more launch, where somebody waits for room, none is set and no answer will tell more."""
    line = state.session.line
    if line is None or line.has_timer or state.awaiting or has_room(state):
        return NOTHING
    seconds = delay_seconds(LaunchDelay.CAPACITY, delays=1, seed=state.workspace.workspace_id)
    return change(SessionChanged(replace(state.session, line=replace(line, has_timer=True))), effects=[_timer(seconds)])


def taken_up(state: State, *, at: Timestamp) -> Decision:
    """The line as the rows of a former engine tell it; the first launch is tried when the earliest of them is due."""
    held = [row for row in state.rows_in_order() if is_held(row)]
    if not held:
        return NOTHING
    is_parked = any(row.launch is not None and row.launch.delay == LaunchDelay.QUOTA for row in held)
    reason = LaunchDelay.QUOTA if is_parked else LaunchDelay.CAPACITY
    line = Line(room=0 if is_parked else _occupied(state), reason=reason, has_timer=True)
    for row in held:
        line = _joined(state, line, row.name)
    seconds = min(max(0.0, seconds_between(at, row.not_before) or 0.0) for row in held)
    seconds = min(seconds, LONGEST_ASKED_SECONDS)
    return change(SessionChanged(replace(state.session, line=line)), effects=[_timer(seconds)])


def on_archive_answered(state: State, event: ArchiveAnswered) -> Decision:
    """The row remembers that its agent was archived, so that it is done once."""
    row = state.rows.get(event.task)
    if row is None or row.agent_id != event.agent_id or not event.accepted or row.status not in _FINISHED:
        return NOTHING
    return change(RowChanged(replace(row, archived_at=event.at, last_update=event.at)))


def _refused(state: State, event: LaunchDelayed) -> Decision:
    row = state.rows.get(event.task)
    if row is None or not is_held(row) or row.last_update != event.at:
        return NOTHING  # it came late, or it is no matter of room
    before = state.session.line
    room = _occupied(state) if event.delay == LaunchDelay.CAPACITY else 0
    line = replace(before or Line(), room=room, is_trying=False, reason=event.delay)
    line = _joined(state, line, row.name)
    effects: list[Effect] = []
    if not line.has_timer:  # launches that left together are refused together, and that counts as once
        line = replace(line, refusals=line.refusals + 1, has_timer=True)
        effects.append(_timer(_seconds(line, event)))
    oldest = _oldest_finished(state, line) if event.delay == LaunchDelay.CAPACITY else None
    if oldest is not None and oldest.agent_id is not None:
        effects.append(ArchiveAgent(task=oldest.name, agent_id=oldest.agent_id))
        line = replace(line, archiving=oldest.name)
    told: tuple[Change, ...] = ()
    if before is None or before.reason != event.delay or (before.waiting is None and not before.refusals):
        told = (AttentionRaised(_words(row, event)),)
    return change(SessionChanged(replace(state.session, line=line)), *told, effects=effects)


def _taken(state: State, event: AgentLaunched) -> Decision:
    row, line = state.rows.get(event.task), state.session.line
    if row is None or row.run_id != event.run_id or row.last_update != event.at:
        return NOTHING  # it came late, and says nothing of the room that there is now
    if line is None or (line.reason == LaunchDelay.QUOTA and not line.is_trying):
        return NOTHING
    room: int | None = max(line.room or 0, _occupied(state))
    if line.is_trying:
        room = None if line.reason == LaunchDelay.QUOTA else _occupied(state) + 1
    line = replace(line, room=room, refusals=0)
    return change(SessionChanged(replace(state.session, line=line)))


def _tried(state: State) -> Decision:
    line = state.session.line
    if line is None:
        return NOTHING
    return change(SessionChanged(replace(state.session, line=replace(_trying(state, line), has_timer=False))))


def _archived(state: State, event: ArchiveAnswered) -> Decision:
    line = state.session.line
    if line is None or line.archiving != event.task:
        return NOTHING
    line = replace(line, archiving=None)
    line = _trying(state, line) if event.accepted else replace(line, spared=line.spared | {event.task})
    return change(SessionChanged(replace(state.session, line=line)))


def _trying(state: State, line: Line) -> Line:
    """Room for one more than there are, to see whether the service takes it."""
    return replace(line, room=state.running - state.held + 1, is_trying=True)


def _joined(state: State, line: Line, name: TaskName) -> Line:
    assert state.blueprint is not None
    return replace(line, waiting=added(line.waiting, name, rank=state.blueprint.rank(name)))


def _occupied(state: State) -> int:
    """Agents of ours that the service has, as far as is known."""
    return state.running - state.held - state.awaiting


def _oldest_finished(state: State, line: Line) -> TaskRow | None:
    """The agent that nobody will miss first; none while another one is being archived."""
    if not state.session.settings.archive or line.archiving is not None:
        return None
    finished = (row for row in state.rows_in_order() if _may_be_archived(row) and row.name not in line.spared)
    return min(finished, key=lambda row: row.finished_at or "", default=None)


def _may_be_archived(row: TaskRow) -> bool:
    return row.status in _FINISHED and row.result_status is not None and row.archived_at is None


def _seconds(line: Line, event: LaunchDelayed) -> float:
    """Until one launch is tried; also a quota that is said to last for days is asked for again once an hour."""
    seconds = delay_seconds(
        event.delay, delays=line.refusals, seed=event.agent_id, asked_seconds=event.retry_after_seconds
    )
    return min(seconds, LONGEST_ASKED_SECONDS)


def _timer(seconds: float) -> SetTimer:
    return SetTimer(timer=Timer(TimerKind.TURN), delay_seconds=seconds)


def _words(row: TaskRow, event: LaunchDelayed) -> str:
    until = ""
    if event.delay == LaunchDelay.QUOTA and event.retry_after_seconds is not None:
        until = f" until {row.not_before}"
    words = f"{REASONS[event.delay]}{until}; {row.name} and what comes after it wait their turn, no try was counted"
    return f"{words} ({event.message})."
