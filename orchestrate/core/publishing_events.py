"""Events of the state's way to git. Dataclasses only, no behaviour."""

from dataclasses import dataclass

from orchestrate.core.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class StateNotPublished(Event):
    """The state could not be pushed; the run goes on, and it is tried again."""

    ref: str
    reason: str
    #: True for a right or an address that will not do: asking again is of no use.
    is_refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StatePublished(Event):
    """The state is on the remote again; reported after failures only."""

    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSuperseded(Event):
    """The remote has the state of an engine that took this workspace later, in another copy of it."""

    ref: str
