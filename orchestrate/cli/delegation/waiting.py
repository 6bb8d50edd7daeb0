"""Waiting for the end of a run: the service is asked now and then, for a stream may end early and says nothing then."""

from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.errors import Unavailable
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import Run

#: The cloud takes 20 calls a minute of a kind, for everything that has this key.
_LOOK_SECONDS = {RuntimeKind.CLOUD: 15.0, RuntimeKind.LOCAL: 0.2}


async def ended(calls: GatedCalls, agent_id: AgentId, run_id: RunId) -> Run:
    """The run once it is over; a service that cannot answer now is asked again later."""
    while True:
        try:
            run = await calls.get_run(agent_id, run_id)
            if run.status.is_terminal:
                return run
        except Unavailable as error:
            await calls.clock.sleep(min(error.retry_after_seconds or 0.0, 60.0))
        await calls.clock.sleep(_LOOK_SECONDS[calls.kind])
