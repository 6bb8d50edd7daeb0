"""Events of the andon, the cord that stops launching in a whole tree. Dataclasses only, no behaviour."""

from dataclasses import dataclass

from orchestrate.core.events import Event
from orchestrate.model.names import RequestId, Timestamp
from orchestrate.model.rows import Andon


@dataclass(frozen=True, slots=True, kw_only=True)
class AndonRaiseRequested(Event):
    """Another process pulls the cord."""

    request: RequestId
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AndonClearRequested(Event):
    """Another process lets go of the cord."""

    request: RequestId
    by: str
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AndonSeen(Event):
    """What the tree's andon is, as its root publishes it, with what other planners have raised since."""

    andon: Andon


@dataclass(frozen=True, slots=True, kw_only=True)
class AndonUnknown(Event):
    """The tree's andon could not be read three times in a row; what was known last holds."""

    since: Timestamp
    reason: str
    #: True where nothing may be launched meanwhile.
    is_strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AndonKnown(Event):
    """The tree's andon can be read again."""
