"""Money in the seeded world: what agents cost, when the service tells it, and whether the plan's bounds were kept.

Every agent of a seed costs the same, and never more than what a launch sets aside: so what all agents together really
cost must stay within the budget, whatever the engine counts.
"""

from collections.abc import Iterable
from random import Random

from orchestrate.core.accounts import units
from orchestrate.core.state import State
from orchestrate.model.names import TaskName
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus
from tests.support.world_plans import MOST_CENTS
from tests.support.world_service import SimulatedAgent

#: Seconds from the end of a run until its cost can be known; None for a cost that is never told.
_LAGS = (0.0, 0.0, 1.0, 30.0, 30.0, 500.0, 5000.0, None)


class Purse:
    """What agents of one seed cost."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"money {seed}")
        self._cents = self.random.choice([0.0, 1.5, float(MOST_CENTS), self.random.uniform(1, MOST_CENTS)])
        self._lag = self.random.choice(_LAGS)

    def known(self, agent: SimulatedAgent, *, now: float) -> float | None:
        """What the service tells of this agent's cost by now."""
        if self._lag is None or not agent.is_over(now) or agent.is_gone or now < agent.ends_at + self._lag:
            return None
        return self._cents

    def check_launch(self, plan: Plan, agents: int) -> None:
        """An agent was made: all of them together keep the plan's bounds."""
        limits = plan.limits
        assert limits.max_agents is None or agents <= limits.max_agents, f"{agents} agents of {limits.max_agents}"
        cost = agents * self._cents
        assert limits.budget_cents is None or cost <= limits.budget_cents + 0.01 * agents, (
            f"{agents} agents cost {cost} cents of {limits.budget_cents}"
        )

    def check_end(self, state: State, agents: Iterable[SimulatedAgent]) -> None:
        """Nothing of what was told is forgotten, and no agent is left out of the accounts."""
        told = sum(units(charge.cents) for row in state.rows.values() for charge in row.charges if charge.cents)
        assert units(state.workspace.spent) == told, f"{state.workspace.spent} cents spent, {told} told"
        charged = {(row.name, charge.attempt) for row in state.rows.values() for charge in row.charges}
        missing = [agent.id for agent in agents if not self._is_counted(agent, charged, state)]
        assert not missing, f"agents that nobody counts: {missing}"

    @staticmethod
    def _is_counted(agent: SimulatedAgent, charged: set[tuple[TaskName, int]], state: State) -> bool:
        """True but where nobody can know: made under another id, with no answer, for a task that nobody wants any more."""
        request = agent.request
        if (request.task, request.attempt) in charged:
            return True
        return agent.id != request.agent_id and state.rows[request.task].status == TaskStatus.PRUNED


def holds(state: State, pending: Iterable[TaskRow]) -> bool:
    """True where a bound of the plan keeps the engine from launching one of these tasks."""
    limits = state.plan.limits
    charges = [charge for row in state.rows.values() for charge in row.charges]
    if limits.max_agents is not None and len(charges) >= limits.max_agents:
        return True
    if limits.budget_cents is None:
        return False
    taken = sum(charge.reserved if charge.cents is None else charge.cents for charge in charges)
    unknown = float(limits.reserve_cents or 0)
    for row in (row for row in pending if row.status == TaskStatus.PENDING):
        known = [charge.cents for charge in charges if charge.type == row.type and charge.cents is not None]
        if taken + max(known, default=unknown) > limits.budget_cents:
            return True
    return False
