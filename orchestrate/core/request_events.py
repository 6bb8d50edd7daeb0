"""Events about requests: what other processes ask of the engine, and what became of their files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from orchestrate.core.events import Event
from orchestrate.model.names import RequestId, TaskName
from orchestrate.model.stops import StopScope


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptRequested(Event):
    """Another process hands on a person's word: the task is done on this branch."""

    request: RequestId
    task: TaskName
    branch: str
    by: str
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceWritten(Event):
    """The handoff that a person stands for is on disk, at ``path`` in the workspace."""

    request: RequestId
    task: TaskName
    branch: str
    by: str
    path: str
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequested(Event):
    """Another process wants this task stopped, whether it runs or waits."""

    request: RequestId
    task: TaskName
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RespawnRequested(Event):
    """Another process wants these tasks tried anew."""

    request: RequestId
    tasks: tuple[TaskName, ...]
    by: str
    again: bool = False
    source: bool = False
    cascade: bool = False
    #: Where those start that go on from a branch of their own.
    starting_refs: Mapping[TaskName, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpawnRequested(Event):
    """Another process adds a task to the run; ``definition`` is the task as ``plan.json`` would have it."""

    request: RequestId
    by: str
    definition: Mapping[str, object] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StopFound(Event):
    """A tombstone stands in the workspace: somebody killed it, for the whole tree or for this workspace alone."""

    stop: str
    by: str
    scope: StopScope


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestUnmet(Event):
    """A request cannot be carried out, whatever the state: its kind is unknown, or a file of ours cannot be written."""

    request: RequestId
    code: str
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSetAside(Event):
    """A file in the inbox was no request and was moved away; ``request`` is the id that its name has."""

    message: str
    request: RequestId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestAnswered(Event):
    """The answer is on disk; ``message`` says why it is not."""

    request: RequestId
    message: str | None = None
