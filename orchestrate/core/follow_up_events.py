"""Events about messages to agents: what a look at an agent's runs said, and what became of a follow-up.

``message_id`` and ``step`` are those of the order which is answered; the answer to a former one came late.
"""

from dataclasses import dataclass

from orchestrate.core.events import Event
from orchestrate.model.names import RequestId, RunId, TaskName
from orchestrate.model.vocabulary import MessageDelay


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsSeen(Event):
    """The agent's runs were listed: its newest one and, where a message may have been sent, the one that it began."""

    task: TaskName
    message_id: RequestId
    step: int
    newest: RunId | None = None
    found: RunId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpSent(Event):
    """The message began this run."""

    task: TaskName
    message_id: RequestId
    step: int
    run_id: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpDelayed(Event):
    """Nothing was done and nothing is wrong: the message goes out later."""

    task: TaskName
    message_id: RequestId
    step: int
    delay: MessageDelay
    message: str
    retry_after_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpRefused(Event):
    """The message will never be taken; no run was begun."""

    task: TaskName
    message_id: RequestId
    step: int
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpOutcomeUnknown(Event):
    """The message left, or may have left before, and nobody knows whether it began a run."""

    task: TaskName
    message_id: RequestId
    step: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SteerRequested(Event):
    """Another process has a message for the agent of this task; its text is on the disk."""

    request: RequestId
    task: TaskName
    digest: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DropRequested(Event):
    """Another process takes a message back that has not left yet."""

    request: RequestId
    task: TaskName
    message: RequestId
    by: str
