"""Messages to the agent of a task: taken in durably, sent once the agent's run has ended, in order.

An agent in the cloud takes no input in the middle of a turn, and neither does a program that our own server runs. So a
message always becomes a follow-up. One to a task that is over has its turn at once, and the task runs again.
"""

from dataclasses import replace

from orchestrate.core import requesting
from orchestrate.core.budgets import bound_ahead
from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, change
from orchestrate.core.follow_up_events import DropRequested, SteerRequested
from orchestrate.core.follow_ups import without_first
from orchestrate.core.requesting import Refusal
from orchestrate.core.scheduling import hold_reason, start_ready_tasks
from orchestrate.core.state import State, apply
from orchestrate.core.turns import called, is_between_runs
from orchestrate.model.messages import QueuedMessage
from orchestrate.model.names import RequestId, message_key_for
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus

#: Most messages that wait for one agent.
MOST_MESSAGES = 200

_OVER = frozenset({TaskStatus.HANDED_OFF, TaskStatus.ERROR})


def on_steer_requested(state: State, event: SteerRequested) -> Decision:
    """The message stands in the queue of its task, and whoever asked hears that it becomes a follow-up."""
    if requesting.is_too_late(state):
        return NOTHING
    row = state.rows.get(event.task)
    if row is None:
        return requesting.refused(state, event.request, requesting.unknown_task(event.task))
    if requesting.was_done(state, event.request):
        return requesting.done(state, event.request, _details(row, event.request))
    refusal = _refusal(state, row)
    if refusal is not None:
        return requesting.refused(state, event.request, refusal)
    row = replace(row, queue=(*row.queue, _message(state, row, event)), last_update=event.at)
    if row.is_called and len(row.queue) == 1:
        row = called(row, at=event.at)
    decision = change(RowChanged(row), requesting.remembered(state, event.request))
    decision += start_ready_tasks(apply(state, decision.changes), event)
    after = apply(state, decision.changes)
    row = after.rows[row.name]
    decision += change(AttentionRaised(f"{event.by} has a message for {row.name}; it is sent {_when(after, row)}."))
    return decision + requesting.done(after, event.request, _details(row, event.request))


def on_drop_requested(state: State, event: DropRequested) -> Decision:
    """The message is taken back if it positively has not left."""
    if requesting.is_too_late(state):
        return NOTHING
    row = state.rows.get(event.task)
    if row is None:
        return requesting.refused(state, event.request, requesting.unknown_task(event.task))
    details: dict[str, object] = {"task": row.name, "messageId": event.message}
    if requesting.was_done(state, event.request):
        return requesting.done(state, event.request, details)
    refusal = _drop_refusal(row, event.message)
    if refusal is not None:
        return requesting.refused(state, event.request, refusal)
    told = AttentionRaised(f"{event.by} took message {event.message} to {row.name} back.")
    decision = change(told, requesting.remembered(state, event.request))
    after = apply(state, decision.changes)
    if is_between_runs(row) and row.queue[0].id == event.message:
        decision += without_first(after, row, at=event.at)
    else:
        kept = tuple(message for message in row.queue if message.id != event.message)
        decision += change(RowChanged(replace(row, queue=kept, last_update=event.at)))
    return decision + requesting.done(apply(state, decision.changes), event.request, details)


def _message(state: State, row: TaskRow, event: SteerRequested) -> QueuedMessage:
    return QueuedMessage(
        id=event.request,
        key=message_key_for(state.workspace.workspace_id, row.name, event.request),
        digest=event.digest,
        by=event.by,
        at=event.at,
        base_run_id=row.run_id,
    )


def _refusal(state: State, row: TaskRow) -> Refusal | None:
    """Why nobody can have a word with this task's agent."""
    if state.session.stop is not None:
        return Refusal("stopped", "this run was killed; nothing is sent any more.", "orchestrate run . --revive")
    if row.status == TaskStatus.PENDING:
        hint = "write it into the task in plan.json" if row.attempts == 0 else "type it again once the task runs"
        return Refusal("not_launched", f"{row.name} waits; it has no agent yet.", hint)
    if row.status not in (TaskStatus.RUNNING, *_OVER):
        words = f"{row.name} is {row.status}; its agent takes no messages."
        return Refusal("task_over", words, f"orchestrate respawn . {row.name}")
    if row.cancel is not None:
        return Refusal("being_cancelled", f"{row.name} is being cancelled.")
    if row.status in _OVER and (row.agent_id is None or row.run_id is None):
        return Refusal("no_agent", f"{row.name} has no agent.", f"orchestrate respawn . {row.name}")
    if len(row.queue) >= MOST_MESSAGES:
        return Refusal("queue_full", f"{len(row.queue)} messages wait for {row.name} already.")
    return None


def _drop_refusal(row: TaskRow, message_id: RequestId) -> Refusal | None:
    message = next((each for each in row.queue if each.id == message_id), None)
    if message is None:
        if any(run.message == message_id for run in row.runs):
            return Refusal("message_sent", f"message {message_id} was sent and answered.")
        hint = f"orchestrate steer . {row.name} --list"
        return Refusal("unknown_message", f"no message {message_id} waits for {row.name}.", hint)
    if message.run_id is not None:
        return Refusal("message_sent", f"message {message_id} is with the agent.", f"orchestrate cancel . {row.name}")
    if message.sent_at is not None:
        return Refusal("message_leaves", f"message {message_id} is being sent at this moment.")
    return None


def _details(row: TaskRow, message_id: RequestId) -> dict[str, object]:
    ids = [message.id for message in row.queue]
    details: dict[str, object] = {
        "task": row.name,
        "messageId": message_id,
        "outcome": "revert_to_followup",
        "status": row.status.value,
    }
    return {**details, "position": ids.index(message_id) + 1} if message_id in ids else details


def _when(state: State, row: TaskRow) -> str:
    if len(row.queue) > 1:
        return "after those before it"
    if is_between_runs(row):
        return "now, and the task runs again"
    if not row.is_called:
        return "once its run has ended"
    if state.session.settings.answers_only:
        return "by the next run, and the task runs again then"
    held = hold_reason(state)
    if held is not None:
        return f"once launches are free ({held})"
    return "once the budget has room for it" if bound_ahead(state) is not None else "once a slot is free"
