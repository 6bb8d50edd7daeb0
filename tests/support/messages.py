"""Rows with messages."""

from dataclasses import replace

from orchestrate.model.messages import QueuedMessage
from orchestrate.model.names import IdempotencyKey, RequestId
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import a_handed_off_row, moment, run_of

M1 = RequestId("22222222-0000-4000-8000-000000000001")
M2 = RequestId("22222222-0000-4000-8000-000000000002")


def a_message(message: RequestId = M1, **fields: object) -> QueuedMessage:
    """A message that waits."""
    plain = QueuedMessage(message, IdempotencyKey(f"key of {message}"), "0" * 64, "ana", moment())
    return replace(plain, **fields)


def a_between_row(*others: QueuedMessage, row: dict[str, object] | None = None, **fields: object) -> TaskRow:
    """A task that handed off and whose first message is on its way."""
    due = {"due_at": moment(), "former": TaskStatus.HANDED_OFF, "base_run_id": run_of("a"), "step": 1}
    first = a_message(**{**due, **fields})
    return a_handed_off_row(
        **{"status": TaskStatus.RUNNING, "finished_at": None, "queue": (first, *others), **(row or {})}
    )
