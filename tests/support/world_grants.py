"""Planners in the seeded world: what the one above grants, and what those below launch of what they are given.

An agent that plans launches agents of its own as soon as it is made, as many as the request that made it lets it and no
more. The sum over the whole tree must keep the root's limits, whatever the engine counts.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from orchestrate.core.grant_events import GrantRead, GrantUnread, SubtreeCounted
from orchestrate.model.grants import Grant, least
from orchestrate.model.names import AgentId
from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import TaskType
from tests.support.builders import agent_of
from tests.support.world_plans import MOST_CENTS, MOST_TASKS

if TYPE_CHECKING:
    from orchestrate.core.effects import CountSubtree
    from tests.support.world import World
    from tests.support.world_service import SimulatedAgent

#: The agent that the engine of a seed runs in, where it has a planner above.
OWN_AGENT = agent_of("own")
#: Agents of a planner that nobody bounds.
_MOST_BELOW = 4


class Planners:
    """The planners of one seed, above and below its engine."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"grants {seed}")
        self._has_planners = self.random.random() < 0.6
        self.granted = self._drawn() if self.random.random() < 0.3 else None
        #: How many agents each planner has launched.
        self._below: dict[AgentId, int] = {}

    def planted(self, plan: Plan) -> Plan:
        """The plan with some of its workers as subplanners."""
        if not self._has_planners:
            return plan
        document = plan.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        for task in document["tasks"]:
            if task["type"] == TaskType.WORKER and self.random.random() < 0.4:
                task["type"] = TaskType.SUBPLANNER.value
                task.pop("measurements", None)
                if self.random.random() < 0.2:
                    task["maxAgents"] = self.random.randint(1, 3)
                if self.random.random() < 0.2:
                    task["budgetCents"] = self.random.randint(0, 1000)
        return Plan.model_validate(document)

    def made(self, world: World, agent: SimulatedAgent) -> None:
        """An agent was made: a planner launches its own at once, and the whole tree keeps what bounds the root."""
        grant = agent.request.grant
        if grant is not None:
            self._below[agent.id] = self._launched(grant, cents=world.purse.cents)
        self.check(world)

    def check(self, world: World) -> None:
        """The agents and runs of the whole tree keep what bounds the root."""
        below = sum(self._below.values())
        runs = sum(len(agent.runs) for agent in world.service.agents.values())
        limits, own = world.whole_plan.limits, self.granted or Grant()
        world.purse.check_launch(
            max_agents=least(limits.max_agents, own.agents),
            budget_cents=least(limits.budget_cents, own.cents),
            agents=len(world.service.agents) + below,
            runs=runs + below,
        )

    def read(self, *, is_answered: bool) -> GrantRead | GrantUnread:
        """What the service says of the grant of the engine's own agent."""
        if not is_answered or self.granted is None:
            return GrantUnread(message="no answer")
        return GrantRead(agent_id=OWN_AGENT, grant=self.granted)

    def count(self, world: World, effect: CountSubtree, *, is_answered: bool) -> SubtreeCounted:
        """What the service shows below this agent; nothing is certain while it works."""
        agent, now = world.service.agents.get(effect.agent_id), world.timeline.now
        if not is_answered or agent is None or not agent.is_over(now):
            return SubtreeCounted(task=effect.task, attempt=effect.attempt)
        agents = self._below.get(agent.id, 0)
        cents = agents * world.purse.cents if world.purse.is_told(agent, now=now) else None
        return SubtreeCounted(task=effect.task, attempt=effect.attempt, agents=agents, cents=cents)

    def _launched(self, grant: Grant, *, cents: float) -> int:
        affordable = None if grant.cents is None or not cents else int(grant.cents // cents)
        most = least(grant.agents, affordable)
        most = _MOST_BELOW if most is None else int(most)
        return self.random.choice([most, self.random.randint(0, most)])

    def _drawn(self) -> Grant:
        agents = self.random.choice([None, self.random.randint(1, 2 * MOST_TASKS)])
        cents = self.random.choice([None, float(self.random.randint(300, 6000))])
        return Grant(agents=agents, cents=cents, reserve=float(MOST_CENTS))
