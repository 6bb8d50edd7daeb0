"""Events about the service as a whole. Dataclasses only, no behaviour."""

from dataclasses import dataclass

from orchestrate.core.events import Event
from orchestrate.model.names import AgentId, RunId, TaskName
from orchestrate.model.vocabulary import AgentStatus


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


@dataclass(frozen=True, slots=True)
class Namesake:
    """An agent of the service that may be a task's, by its id, name or metadata."""

    task: TaskName
    agent_id: AgentId
    status: AgentStatus
    #: Its latest run; None where it has none yet.
    run_id: RunId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesakesSeen(Event):
    """Which agents the service has of the tasks that were asked about; ``unknown`` says why nobody can tell."""

    agents: tuple[Namesake, ...] = ()
    unknown: str | None = None
