"""What a service cannot do is told apart from what it does not have: "no such thing" may mean either."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TypeVar

from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.refusals import DelegationRefused
from orchestrate.errors import Refused
from orchestrate.model.names import AgentId

_Answer = TypeVar("_Answer")


async def supported(
    calls: GatedCalls, agent_id: AgentId, what: str, ask: Callable[[AgentId], Awaitable[_Answer]]
) -> _Answer:
    """The answer; UNSUPPORTED where the service knows the agent and not the question."""
    try:
        return await ask(agent_id)
    except Refused as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        await calls.get_agent(agent_id)
        message = f"the service does not tell {what} of its agents"
        raise DelegationRefused(Code.UNSUPPORTED, message, request_id=error.request_id) from error
