"""Money in the seeded world: what agents cost, when the service tells it, and whether the plan's bounds were kept.

Every agent of a seed costs the same, and never more than what a launch sets aside: so what all agents together really
cost must stay within the budget, whatever the engine counts.
"""

from collections.abc import Iterable
from random import Random

from orchestrate.core.accounts import units
from orchestrate.core.state import State
from orchestrate.model.grants import least
from orchestrate.model.names import TaskName
from orchestrate.model.rows import Charge, TaskRow
from orchestrate.model.vocabulary import TaskStatus, TaskType
from tests.support.world_plans import MOST_CENTS
from tests.support.world_service import SimulatedAgent

#: Seconds from the end of a run until its cost can be known; None for a cost that is never told.
_LAGS = (0.0, 0.0, 1.0, 30.0, 30.0, 500.0, 5000.0, None)


class Purse:
    """What agents of one seed cost."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"money {seed}")
        self.cents = self.random.choice([0.0, 1.5, float(MOST_CENTS), self.random.uniform(1, MOST_CENTS)])
        self._lag = self.random.choice(_LAGS)

    def known(self, agent: SimulatedAgent, *, now: float) -> float | None:
        """What the service tells of this agent's cost by now."""
        is_told = self.is_told(agent, now=now) and not agent.is_gone
        return self.cents * len(agent.runs) if is_told else None

    def is_told(self, agent: SimulatedAgent, *, now: float) -> bool:
        """True once the cost of an agent that is over has reached the books."""
        return self._lag is not None and agent.is_over(now) and now >= agent.ends_at + self._lag

    def check_launch(self, *, max_agents: float | None, budget_cents: float | None, agents: int, runs: int) -> None:
        """An agent was made, or went on: all of them together, in the whole tree, keep the bounds."""
        assert max_agents is None or agents <= max_agents, f"{agents} agents of {max_agents}"
        cost = runs * self.cents
        assert budget_cents is None or cost <= budget_cents + 0.01 * runs, (
            f"{runs} runs cost {cost} cents of {budget_cents}"
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
    """True where a bound of the plan, or of the planner above, keeps the engine from launching one of these tasks."""
    limits, own = state.plan.limits, state.workspace.grant
    max_agents = least(limits.max_agents, None if own is None else own.max_agents)
    budget = least(limits.budget_cents, None if own is None else own.budget_cents)
    charges = [charge for row in state.rows.values() for charge in row.charges]
    shares = [share for row in state.rows.values() for share in row.shares_out]
    agents = len(charges) + sum(share.given_agents + share.used_agents for share in shares)
    taken = sum(charge.set_aside + (charge.cents or 0.0) for charge in charges)
    taken += sum(share.given_cents + share.used_cents for share in shares)
    unknown = float(limits.reserve_cents or (0 if own is None else own.grant.reserve or 0))
    for row in (row for row in pending if row.status == TaskStatus.PENDING or row.is_called):
        known = [charge.cents for charge in charges if charge.type == row.type and charge.cents is not None]
        below = (0, 0.0) if row.is_called else _given_with(state, row, _of_workers(charges, unknown))
        if max_agents is not None and not row.is_called and agents + 1 + below[0] > max_agents:
            return True
        if budget is not None and taken + max(known, default=unknown) + below[1] > budget:
            return True
    return False


def _of_workers(charges: Iterable[Charge], unknown: float) -> float:
    """What a launch below is taken to cost: as much as the dearest worker so far."""
    known = [charge.cents for charge in charges if charge.type == TaskType.WORKER and charge.cents is not None]
    return max(known, default=unknown)


def _given_with(state: State, row: TaskRow, unknown: float) -> tuple[int, float]:
    """The least that a launch of this task gives away: agents and cents."""
    if row.type != TaskType.SUBPLANNER:
        return 0, 0.0
    kept = next((share.grant for share in row.shares if share.attempt == row.attempts + 1), None)
    if kept is not None:
        return kept.agents or 0, kept.cents or 0.0
    task = state.plan.tasks_by_name.get(row.name)
    agents, cents = (None, None) if task is None else (task.max_agents, task.budget_cents)
    return 1 if agents is None else agents, unknown if cents is None else float(cents)
