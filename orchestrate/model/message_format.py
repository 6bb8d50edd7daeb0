"""Messages and the runs that they began as they stand in a row's document, and back."""

from collections.abc import Iterable

from orchestrate.model.fields import Fields
from orchestrate.model.messages import FollowUpRun, QueuedMessage
from orchestrate.model.names import IdempotencyKey, RequestId, RunId, Timestamp, is_request_id
from orchestrate.model.vocabulary import MessageDelay, TaskStatus


def queue_document(queue: Iterable[QueuedMessage]) -> list[dict[str, object]]:
    """The messages that wait, each as a JSON object; what says nothing is left out."""
    return [_message_document(message) for message in queue]


def runs_document(runs: Iterable[FollowUpRun]) -> list[dict[str, object]]:
    """The runs that messages began."""
    return [
        {"id": run.id, "message": run.message, "attempt": run.attempt, "at": run.at, "after": run.after} for run in runs
    ]


def decode_message(fields: Fields) -> QueuedMessage | None:
    """A message; None where it lacks what it is sent by, for its id names a file."""
    message_id, key, digest = fields.named("id", RequestId), fields.named("key", IdempotencyKey), fields.text("digest")
    if message_id is None or not is_request_id(message_id) or key is None or digest is None:
        return None
    return QueuedMessage(
        id=message_id,
        key=key,
        digest=digest,
        by=fields.text("by") or "",
        at=fields.named("at", Timestamp) or Timestamp(""),
        base_run_id=fields.named("baseRunId", RunId),
        run_id=fields.named("runId", RunId),
        due_at=fields.named("dueAt", Timestamp),
        former=fields.word("former", TaskStatus),
        sent_at=fields.named("sentAt", Timestamp),
        delay=fields.word("delay", MessageDelay),
        delays=fields.whole_number("delays") or 0,
        step=fields.whole_number("step") or 0,
        reserved=fields.amount("reservedCents") or 0.0,
    )


def decode_run(fields: Fields) -> FollowUpRun | None:
    """A run that a message began; None where it is not said which."""
    run_id, message = fields.named("id", RunId), fields.named("message", RequestId)
    if run_id is None or message is None:
        return None
    return FollowUpRun(
        id=run_id,
        message=message,
        attempt=fields.whole_number("attempt") or 0,
        at=fields.named("at", Timestamp) or Timestamp(""),
        after=fields.named("after", RunId),
    )


def _message_document(message: QueuedMessage) -> dict[str, object]:
    document: dict[str, object] = {
        "id": message.id,
        "key": message.key,
        "digest": message.digest,
        "by": message.by,
        "at": message.at,
        "baseRunId": message.base_run_id,
    }
    further = (
        ("runId", message.run_id),
        ("dueAt", message.due_at),
        ("former", message.former),
        ("sentAt", message.sent_at),
        ("delay", message.delay),
        ("delays", message.delays or None),
        ("step", message.step or None),
        ("reservedCents", message.reserved or None),
    )
    document.update((key, value) for key, value in further if value is not None)
    return document
