"""Asking what an agent cost. A service that does not know, or gives no answer, has not said "nothing"."""

from math import isfinite

from orchestrate.core.effects import AskUsage
from orchestrate.core.usage_events import UsageAnswered
from orchestrate.errors import ServiceError
from orchestrate.model.names import RunId
from orchestrate.model.wire import AgentUsage, Cost
from orchestrate.ports import AgentService


async def ask_usage(effect: AskUsage, *, service: AgentService) -> UsageAnswered:
    """What is known of the agent's cost, over all its runs up to the one that is asked for."""
    try:
        usage = await service.usage(effect.agent_id)
    except ServiceError:
        usage = AgentUsage()
    cents = cents_of(usage) if _covers(usage, effect.run_id) else None
    tokens = usage.total_usage.total_tokens
    return UsageAnswered(task=effect.task, attempt=effect.attempt, run_id=effect.run_id, cents=cents, tokens=tokens)


def cents_of(usage: AgentUsage) -> float | None:
    """The agent's total, else the sum over its runs where each of them has a cost."""
    total = _charged(usage.cost)
    if total is not None:
        return total
    costs = [_charged(run.cost) for run in usage.runs]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def _covers(usage: AgentUsage, run_id: RunId | None) -> bool:
    """False where other runs have a cost and this one has none yet: the sum lags behind it."""
    known = {run.id for run in usage.runs if _charged(run.cost) is not None}
    return not known or run_id is None or run_id in known


def _charged(cost: Cost | None) -> float | None:
    """What was charged, else the raw cost; None for what is no amount."""
    if cost is None:
        return None
    amount = cost.raw_cost_cents if cost.charged_cents is None else cost.charged_cents
    return amount if amount is not None and isfinite(amount) and amount >= 0 else None
