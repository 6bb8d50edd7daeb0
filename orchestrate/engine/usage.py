"""Asking what an agent cost. A service that does not know, or gives no answer, has not said "nothing"."""

from math import isfinite

from orchestrate.core.effects import AskUsage
from orchestrate.core.usage_events import UsageAnswered
from orchestrate.errors import ServiceError
from orchestrate.model.wire import AgentUsage, Cost
from orchestrate.ports import AgentService


async def ask_usage(effect: AskUsage, *, service: AgentService) -> UsageAnswered:
    """What is known of the agent's cost, over all its runs."""
    try:
        usage = await service.usage(effect.agent_id)
    except ServiceError:
        usage = AgentUsage()
    return UsageAnswered(
        task=effect.task, attempt=effect.attempt, cents=cents_of(usage), tokens=usage.total_usage.total_tokens
    )


def cents_of(usage: AgentUsage) -> float | None:
    """The agent's total, else the sum over its runs where each of them has a cost."""
    total = _charged(usage.cost)
    if total is not None:
        return total
    costs = [_charged(run.cost) for run in usage.runs]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def _charged(cost: Cost | None) -> float | None:
    """What was charged, else the raw cost; None for what is no amount."""
    if cost is None:
        return None
    amount = cost.raw_cost_cents if cost.charged_cents is None else cost.charged_cents
    return amount if amount is not None and isfinite(amount) and amount >= 0 else None
