"""Asking the service to cancel a run, or to archive an agent."""

from orchestrate.core.effects import ArchiveAgent, CancelRun
from orchestrate.core.events import CancelAnswered
from orchestrate.core.service_events import ArchiveAnswered
from orchestrate.errors import ServiceError
from orchestrate.ports import AgentService


async def cancel_run(effect: CancelRun, *, service: AgentService) -> CancelAnswered:
    """Whether the service took the cancel; only the run's status says that it ended."""
    try:
        await service.cancel_run(effect.agent_id, effect.run_id)
    except ServiceError as error:
        return CancelAnswered(task=effect.task, run_id=effect.run_id, accepted=False, message=error.message)
    return CancelAnswered(task=effect.task, run_id=effect.run_id, accepted=True)


async def archive_agent(effect: ArchiveAgent, *, service: AgentService) -> ArchiveAnswered:
    """Whether the service archived the agent; where nobody knows, the next refusal asks for another one."""
    try:
        await service.archive_agent(effect.agent_id)
    except ServiceError as error:
        return ArchiveAnswered(task=effect.task, agent_id=effect.agent_id, accepted=False, message=error.message)
    return ArchiveAnswered(task=effect.task, agent_id=effect.agent_id, accepted=True)
