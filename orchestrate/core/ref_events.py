"""Events about refs: what the remote was asked, and what it said."""

from dataclasses import dataclass

from orchestrate.core.events import Event
from orchestrate.model.names import TaskName


@dataclass(frozen=True, slots=True)
class WantedRef:
    """A branch of one attempt of a task that the remote is asked for, and the ref that the attempt started from."""

    task: TaskName
    attempt: int
    branch: str
    start: str | None = None
    #: How many runs messages had begun then: a run may move the branch.
    runs: int = 0


@dataclass(frozen=True, slots=True)
class SeenRef:
    """What the remote said of a wanted ref: commits, or None for what is not there."""

    task: TaskName
    attempt: int
    branch: str
    sha: str | None = None
    start_sha: str | None = None
    #: Those of what was wanted.
    runs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RefsSeen(Event):
    """The remote answered for all of these; where ``unknown`` says why it could not be asked, nothing else counts."""

    refs: tuple[SeenRef, ...]
    unknown: str | None = None
