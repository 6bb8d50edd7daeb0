"""Events about the service as a whole. Dataclasses only, no behaviour."""

from dataclasses import dataclass

from orchestrate.core.events import Event
from orchestrate.model.names import AgentId, TaskName


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveAnswered(Event):
    """The service archived the agent of a finished task, or would not."""

    task: TaskName
    agent_id: AgentId
    accepted: bool
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsSlowed(Event):
    """The service asks for fewer calls, and for longer than a moment; reported at most once a minute."""

    message: str
