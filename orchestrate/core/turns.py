"""Whose turn it is: a message to an agent goes out once the run before it has ended, one after the other.

Meanwhile its task runs on: the row is between two runs, so nothing that depends on it starts. Each order for a message
counts a step, and only the answer to the present step counts.
"""

from dataclasses import replace

from orchestrate.core.budgets import charged_for_message
from orchestrate.core.changes import AttentionRaised, Decision, RowChanged, change
from orchestrate.core.effects import LookUpRuns
from orchestrate.core.state import State
from orchestrate.model.messages import QueuedMessage
from orchestrate.model.names import RunId, Timestamp
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import MessageDelay, TaskStatus

#: Ends after which nobody has a word with the agent any more.
_FINAL = frozenset({TaskStatus.ERROR, TaskStatus.CANCELLED, TaskStatus.PRUNED})


def is_between_runs(row: TaskRow) -> bool:
    """True while a run of the agent has ended and the next message is on its way."""
    return row.status == TaskStatus.RUNNING and bool(row.queue) and _is_due(row.queue[0])


def undelivered(row: TaskRow) -> tuple[QueuedMessage, ...]:
    """The messages that began no run."""
    return tuple(message for message in row.queue if message.run_id is None)


def is_follow_up(row: TaskRow) -> bool:
    """True where the row's present run was begun by a message."""
    return any(run.id == row.run_id for run in row.runs)


def without_ended(row: TaskRow, run_id: RunId) -> TaskRow:
    """The row whose queue has no message of this run any more; it has ended."""
    queue = tuple(message for message in row.queue if message.run_id != run_id)
    return row if queue == row.queue else replace(row, queue=queue)


def called(row: TaskRow, *, at: Timestamp) -> TaskRow:
    """The row, which is over, with its first message due: it runs again once there is a slot, and money, for it."""
    first, *others = row.queue
    first = replace(first, due_at=at, former=row.status, delay=None, delays=0, sent_at=None)
    return replace(row, queue=(first, *others), last_update=at)


def for_next_agent(row: TaskRow) -> tuple[QueuedMessage, ...]:
    """The messages that began no run, as they were taken in."""
    return tuple(replace(message, due_at=None, former=None) for message in undelivered(row))


def next_turn(state: State, row: TaskRow, *, at: Timestamp) -> Decision:
    """The row, as the end of the agent's run has left it, runs on with the first message of its queue."""
    row = charged_for_message(state, called(row, at=at))
    row = replace(row, status=TaskStatus.RUNNING, accepted=None, cancel=None, finished_at=None)
    return looked_at(row, at=at)


def looked_at(row: TaskRow, *, at: Timestamp) -> Decision:
    """The agent's runs are listed: before the message is sent, and where it may have been sent."""
    message = row.queue[0]
    row = with_first(row, delay=MessageDelay.UNKNOWN_OUTCOME if message.sent_at is not None else None, at=at)
    return change(RowChanged(row), effects=[LookUpRuns(row=row)])


def with_first(row: TaskRow, *, at: Timestamp, **fields: object) -> TaskRow:
    """The row with its first message changed so, a step further."""
    first, *others = row.queue
    changed = replace(first, step=first.step + 1, **fields)  # type: ignore[arg-type]  # fields of the message
    return replace(row, queue=(changed, *others), last_update=at)


def left_over(before: State, after: State, decision: Decision) -> Decision:
    """Messages of tasks that have just ended for good: they are taken out, and an operator hears of them."""
    changed = {item.row.name for item in decision.changes if isinstance(item, RowChanged)}
    dropped = Decision()
    for name in sorted(changed):
        row, former = after.rows[name], before.rows.get(name)
        if (
            row.queue
            and row.status in _FINAL
            and not _runs_again(row)
            and (former is None or former.status != row.status)
        ):
            dropped += without_queue(row)
    return dropped


def without_queue(row: TaskRow) -> Decision:
    """The row without messages; told where some were never sent."""
    lost = undelivered(row)
    row = replace(row, queue=())
    if not lost:
        return change(RowChanged(row))
    count = "1 message was" if len(lost) == 1 else f"{len(lost)} messages were"
    files = ", ".join(f"messages/{message.id}.md" for message in lost[:3])
    more = "" if len(lost) <= 3 else ", ..."  # noqa: PLR2004  as many as the line names
    return change(RowChanged(row), AttentionRaised(f"{row.name}: {count} not sent, it has ended ({files}{more})."))


def _runs_again(row: TaskRow) -> bool:
    """True for a task in error that only waits for its turn with a message."""
    return row.is_called and _is_due(row.queue[0])


def _is_due(message: QueuedMessage) -> bool:
    """True once it is this message's turn, until its run has begun."""
    return message.due_at is not None and message.run_id is None
