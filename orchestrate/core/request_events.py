"""Events about requests: what other processes ask of the engine, and what became of their files."""

from dataclasses import dataclass

from orchestrate.core.events import Event
from orchestrate.model.names import RequestId, TaskName


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
