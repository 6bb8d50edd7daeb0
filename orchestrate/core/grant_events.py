"""Events of what planners give to those below them."""

from dataclasses import dataclass

from orchestrate.core.events import Event
from orchestrate.model.grants import Grant
from orchestrate.model.names import AgentId, TaskName


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantRead(Event):
    """The service showed what the planner above gave to the agent that this engine runs in."""

    agent_id: AgentId
    grant: Grant
    #: What was odd about it, for the operator.
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantUnread(Event):
    """It could not be read; ``is_final`` where asking again would not help."""

    message: str
    hint: str | None = None
    is_final: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtreeCounted(Event):
    """What the agents below an attempt's agent came to; None while that is not certain, or cannot be told."""

    task: TaskName
    attempt: int
    agents: int | None = None
    #: Their cost; None while one of them is not known.
    cents: float | None = None
