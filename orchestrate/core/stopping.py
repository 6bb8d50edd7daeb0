"""A tombstone in the workspace: nothing is launched any more, and everything that runs is cancelled.

Those who may launch others come first: what a living parent launches anew would have to be cancelled again. What waits
goes on waiting, for a run that somebody revives.
"""

from dataclasses import replace

from orchestrate.core.cancelling import asked_for
from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, SessionChanged, change
from orchestrate.core.request_events import StopFound
from orchestrate.core.state import State, apply
from orchestrate.model.rows import Cancel, TaskRow
from orchestrate.model.vocabulary import TaskStatus, TaskType


def on_stop_found(state: State, event: StopFound) -> Decision:
    """The kill of a workspace reaches its engine; the same tombstone seen again changes nothing."""
    if state.session.stop == event.stop:
        return NOTHING
    hold = f"stopped by {event.by}"
    held = SessionChanged(replace(state.session, stop=event.stop, hold=hold, awaits_stop=False))
    if not state.session.settings.has_service:
        return change(held)
    running = [row for row in state.rows_in_order() if row.status == TaskStatus.RUNNING]
    told = f"{event.by} stopped this run: nothing more is launched, {len(running)} running are cancelled."
    decision = change(held, AttentionRaised(told))
    state = apply(state, decision.changes)
    for row in sorted(running, key=_parents_first):
        ending = asked_for(state, row, cancel=Cancel(by=event.by, at=event.at), at=event.at)
        state, decision = apply(state, ending.changes), decision + ending
    return decision


def _parents_first(row: TaskRow) -> bool:
    return row.type != TaskType.SUBPLANNER
