"""Cancelling a task for somebody: the row keeps who asked and when until the service says that its run is over.

What runs is cancelled at the service, and only the run's own status confirms it. A launch without an answer is looked up
first: an agent that it made is cancelled as soon as it is known. Where positively nothing was made, and for a task that
waits, there is nothing to cancel but the intent.
"""

from dataclasses import replace

from orchestrate.core import requesting
from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, SessionChanged, change
from orchestrate.core.effects import LookUpAgent, SetTimer
from orchestrate.core.events import Timer, TimerKind
from orchestrate.core.follow_ups import given_up as without_message
from orchestrate.core.launching import doubtful, given_up
from orchestrate.core.recovery import taken_up_row
from orchestrate.core.request_events import CancelRequested
from orchestrate.core.requesting import Refusal
from orchestrate.core.state import State, apply
from orchestrate.core.turns import is_between_runs
from orchestrate.core.watching import BY_DEADLINE, cancel_orders
from orchestrate.model.names import Timestamp
from orchestrate.model.rows import Cancel, TaskRow
from orchestrate.model.vocabulary import LaunchDelay, TaskStatus

#: How long an engine that only answers waits for a service to confirm what was cancelled.
_ENDING_SECONDS = 60.0


def on_cancel_requested(state: State, event: CancelRequested) -> Decision:
    """The task ends, or will not begin; asked again, or after its end by a cancel, there is nothing more to do."""
    if requesting.is_too_late(state):
        return NOTHING
    row = state.rows.get(event.task)
    if row is None:
        return requesting.refused(state, event.request, requesting.unknown_task(event.task))
    if requesting.was_done(state, event.request) or row.status in (TaskStatus.CANCELLED, TaskStatus.PRUNED):
        return requesting.done(state, event.request, _details(row))
    if row.status not in (TaskStatus.PENDING, TaskStatus.RUNNING):
        return requesting.refused(state, event.request, _over(row))
    if row.status == TaskStatus.RUNNING and not state.session.settings.has_service:
        return change(requesting.closed(state, event.request))
    decision = asked_for(state, row, cancel=Cancel(by=event.by, at=event.at), at=event.at)
    told = f"{event.by} cancelled {row.name}" + ("" if row.status == TaskStatus.RUNNING else ", which waited") + "."
    decision += change(requesting.remembered(state, event.request), AttentionRaised(told))
    after = apply(state, decision.changes)
    return decision + requesting.done(after, event.request, _details(after.rows[row.name]))


def asked_for(state: State, row: TaskRow, *, cancel: Cancel, at: Timestamp) -> Decision:
    """What a cancel of this task means now; it waits or runs."""
    if row.status == TaskStatus.PENDING:
        note = f"stopped by {cancel.by} before its launch"
        stopped = replace(
            row, status=TaskStatus.PRUNED, cancel=cancel, note=note, not_before=None, finished_at=at, last_update=at
        )
        return change(RowChanged(stopped))
    row = replace(row, cancel=_first_wish(row, cancel), last_update=at)
    if is_between_runs(row) and row.queue[0].sent_at is None:
        return change(RowChanged(without_message(row, at=at)))
    if row.run_id is None and row.launch is not None and row.launch.delay not in (None, LaunchDelay.UNKNOWN_OUTCOME):
        return change(RowChanged(given_up(row, at=at)))
    if state.session.settings.answers_only:
        return change(RowChanged(row)) + _seen_to_its_end(state, row) + taken_up_row(state, row, at=at)
    if row.run_id is None and row.launch is not None and row.launch.delay is not None:
        row = doubtful(row, at=at)
        return change(RowChanged(row), effects=[LookUpAgent(row=row)])
    return change(RowChanged(row), effects=() if is_between_runs(row) else cancel_orders(row))


def _first_wish(row: TaskRow, cancel: Cancel) -> Cancel:
    """Who asked first is remembered; a deadline is nobody, and after it alone a task may be tried again."""
    return cancel if row.cancel is None or row.cancel.by == BY_DEADLINE else row.cancel


def _seen_to_its_end(state: State, row: TaskRow) -> Decision:
    """An engine that only answers stays until this cancel is confirmed, but not for ever."""
    session = state.session
    seconds = session.settings.max_runtime_seconds or _ENDING_SECONDS
    timer = SetTimer(timer=Timer(TimerKind.CHECKPOINT), delay_seconds=seconds)
    ending = SessionChanged(replace(session, ending=session.ending | {row.name}))
    return change(ending, effects=() if session.ending else [timer])


def _over(row: TaskRow) -> Refusal:
    words = "handed off already" if row.status == TaskStatus.HANDED_OFF else "is in error"
    return Refusal("not_cancellable", f"{row.name} {words}; there is nothing to cancel.")


def _details(row: TaskRow) -> dict[str, object]:
    details: dict[str, object] = {"task": row.name, "status": row.status.value}
    if row.cancel is not None:
        details |= {"by": row.cancel.by, "at": row.cancel.at}
    return details if row.agent_id is None else {**details, "agentId": row.agent_id, "runId": row.run_id}
