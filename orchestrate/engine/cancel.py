"""Asking the service to cancel a run."""

from orchestrate.core.effects import CancelRun
from orchestrate.core.events import CancelAnswered
from orchestrate.errors import ServiceError
from orchestrate.ports import AgentService


async def cancel_run(effect: CancelRun, *, service: AgentService) -> CancelAnswered:
    """Whether the service took the cancel; only the run's status says that it ended."""
    try:
        await service.cancel_run(effect.agent_id, effect.run_id)
    except ServiceError as error:
        return CancelAnswered(task=effect.task, run_id=effect.run_id, accepted=False, message=error.message)
    return CancelAnswered(task=effect.task, run_id=effect.run_id, accepted=True)
