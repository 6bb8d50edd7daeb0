"""What other processes may ask of whoever runs a workspace: a record for each kind of request, and the answer.

A kind is its record here, its reading in ``model.inbox_format``, its event in ``core.request_events`` with a handler in
the core, and an arm in ``engine.listening``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar

from orchestrate.model.names import RequestId, TaskName

_NOTHING: Mapping[str, object] = MappingProxyType({})


class RequestKind(StrEnum):
    """What another process may ask of the engine."""

    ACCEPT = "accept"
    CANCEL = "cancel"
    RESPAWN = "respawn"
    SPAWN = "spawn"
    STEER = "steer"
    DROP = "drop-message"
    ANDON_RAISE = "andon-raise"
    ANDON_CLEAR = "andon-clear"


@dataclass(frozen=True, slots=True)
class InboxRequest:
    """Base of all requests."""

    kind: ClassVar[str]

    id: RequestId
    #: Who asks, for people.
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptRequest(InboxRequest):
    """A person says that the task is done on this branch."""

    kind: ClassVar[str] = RequestKind.ACCEPT

    task: TaskName
    branch: str
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequest(InboxRequest):
    """The task is to be stopped, whether it runs or waits."""

    kind: ClassVar[str] = RequestKind.CANCEL

    task: TaskName


@dataclass(frozen=True, slots=True, kw_only=True)
class RespawnRequest(InboxRequest):
    """These tasks are to be tried anew, all of them or none."""

    kind: ClassVar[str] = RequestKind.RESPAWN

    tasks: tuple[TaskName, ...]
    #: Also those that handed off.
    again: bool = False
    #: Also the task on whose branch each of them works: the one that a verifier checks.
    source: bool = False
    #: Also those that ran on the branches of the former attempts.
    cascade: bool = False
    #: For each task that is to start from a branch of its own: which.
    starting_refs: Mapping[TaskName, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpawnRequest(InboxRequest):
    """This task is to be added to the run, beside the plan's file."""

    kind: ClassVar[str] = RequestKind.SPAWN

    #: The task as ``plan.json`` would have it.
    definition: Mapping[str, object] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SteerRequest(InboxRequest):
    """A message for the agent of this task; its text is in the file that the request's id names."""

    kind: ClassVar[str] = RequestKind.STEER

    task: TaskName
    #: SHA-256 of the text.
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DropRequest(InboxRequest):
    """A message that has not left yet is taken back."""

    kind: ClassVar[str] = RequestKind.DROP

    task: TaskName
    message: RequestId


@dataclass(frozen=True, slots=True, kw_only=True)
class AndonRaiseRequest(InboxRequest):
    """Nothing is to be launched any more in the whole tree."""

    kind: ClassVar[str] = RequestKind.ANDON_RAISE

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AndonClearRequest(InboxRequest):
    """Launching may go on."""

    kind: ClassVar[str] = RequestKind.ANDON_CLEAR

    note: str | None = None


@dataclass(frozen=True, slots=True)
class UnknownRequest(InboxRequest):
    """A request of a kind that this version does not know."""

    kind: ClassVar[str] = ""

    named: str


@dataclass(frozen=True, slots=True)
class InboxAnswer:
    """What became of a request."""

    id: RequestId
    #: True when it was carried out, now or earlier.
    is_done: bool
    #: Why it was refused, as a word for programs and in a sentence; empty when it was carried out.
    code: str = ""
    message: str = ""
    hint: str | None = None
    #: What came of it.
    details: Mapping[str, object] = field(default_factory=lambda: _NOTHING, hash=False)
