"""Messages of people to the agent of a task: those that wait, and the runs that former ones began."""

from dataclasses import dataclass

from orchestrate.model.names import IdempotencyKey, RequestId, RunId, Timestamp
from orchestrate.model.vocabulary import MessageDelay, TaskStatus


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that goes to the agent as a follow-up once its run has ended; the text is in a file of its own."""

    id: RequestId
    #: Derived from the workspace, the task and the id: every resend has it.
    key: IdempotencyKey
    #: SHA-256 of the text.
    digest: str
    by: str
    at: Timestamp
    #: The agent's newest run before this message was sent: what is newer may be its own.
    base_run_id: RunId | None = None
    #: The run that it began; set while that run goes on.
    run_id: RunId | None = None
    #: Since when it is its turn: the run before it has ended.
    due_at: Timestamp | None = None
    #: Where the task stood then.
    former: TaskStatus | None = None
    #: Set once the request may have left; nobody sends again without a look before.
    sent_at: Timestamp | None = None
    #: Why the last answer said "later".
    delay: MessageDelay | None = None
    delays: int = 0
    #: Counts the orders that were given for it; an answer to a former one changes nothing.
    step: int = 0
    #: Cents that its run sets aside; 0 before its turn.
    reserved: float = 0.0


@dataclass(frozen=True, slots=True)
class FollowUpRun:
    """A run that a message began."""

    id: RunId
    message: RequestId
    attempt: int
    at: Timestamp
    #: The agent's newest run before it.
    after: RunId | None = None
