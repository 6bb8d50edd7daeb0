"""The same tree at a service whose lists lag by up to a minute, with engines that push their states.

An engine pushes a second after its start and every ten seconds while its planner lives; nothing after that. Ids of agents
follow from their planner and their number, as derived ids do: what a state knows to wait can be asked for by id. By id
the service knows an agent within ``LONGEST_UNSEEN``, as before.
"""

from orchestrate.core.lineage import Roots, Sighting, believed, members, merged
from orchestrate.errors import RateLimited
from orchestrate.model.names import AgentId, RunId, WorkspaceId
from tests.support.kill_world import DEEPEST, ROOT, KillWorld, Living, _sighting

LISTED_WITHIN = 60.0
_FIRST_PUSH, _PUSHES_EVERY = 1.0, 10.0
#: Of the slow world.
_PLANNERS = 20


class PushedKillWorld(KillWorld):
    """Its census reads what was pushed, unless a test takes that away."""

    reads_pushed = True
    #: Tasks of a plan that miss nothing when its state is pushed.
    ready = 12

    def __init__(self, *arguments, **options):
        self._listed_at: dict[AgentId, float] = {}
        #: By planner: how many it has asked for, and how many of these its pushed state names; those without have none.
        self._asked: dict[AgentId, int] = {}
        self._pushed: dict[AgentId, int] = {}
        super().__init__(*arguments, **options)

    def _make(self, parent, agent_id):
        super()._make(parent, agent_id)
        lag = self._random.choice([0.0, self._random.uniform(0, LISTED_WITHIN)])
        self._listed_at[agent_id] = self._clock.monotonic() + lag
        if self.agents[agent_id].depth < DEEPEST:
            self._tasks.start_soon(self._push_on_and_on, self.agents[agent_id])

    def _next_id(self, planner):
        if planner is None:
            return self._new_id()
        self._asked[planner.id] = self._asked.get(planner.id, 0) + 1
        return _id_of(planner.id, self._asked[planner.id])

    async def _push_on_and_on(self, planner: Living) -> None:
        await self._clock.sleep(_FIRST_PUSH)
        while planner.ended_at is None:
            self._pushed[planner.id] = self._asked.get(planner.id, 0)
            await self._clock.sleep(_PUSHES_EVERY)

    def _listed(self):
        return [agent for agent in self.agents.values() if self._listed_at[agent.id] <= self._clock.monotonic()]

    async def census(self):
        rows = [
            Sighting(each.id, each.run_id, workspace=ROOT, depth=1)
            for each in self.agents.values()
            if each.parent is None
        ]
        rows += [Sighting(agent_id, workspace=ROOT, depth=1) for agent_id in sorted(self.intents)]
        pushed = list(self._shown()) if self.reads_pushed else []
        listed = [_sighting(agent) for agent in await self._answer("list", self._listed)]
        shown = believed(pushed, merged(listed))
        return members(merged([*shown, *rows, *listed]), Roots(workspaces=frozenset({ROOT})))

    def _shown(self):
        """Who is named in a state that was pushed, and who may have been launched since."""
        for planner, named in self._pushed.items():
            workspace, depth = WorkspaceId(f"of {planner}"), self.agents[planner].depth + 1
            for number in range(1, named + self.ready + 1):
                is_named = number <= named
                agent_id = _id_of(planner, number)
                run_id = RunId(f"run-{agent_id}") if is_named and agent_id in self.agents else None
                yield Sighting(agent_id, run_id, workspace=workspace, parent=planner, depth=depth, may_run=is_named)


class SlowKillWorld(PushedKillWorld):
    """At the cloud's own limits: 20 calls of a class a minute, launches included; 20 planners of two levels launch on."""

    a_second = 1 / 3
    launches_one_by_one = True
    ready = 3

    def __init__(self, *arguments, **options):
        self._planners: list[AgentId] = []
        self.cancels = 0
        self.gets = 0
        self.refused = 0
        super().__init__(*arguments, **options)

    def _take(self, kind):
        try:
            super()._take(kind)
        except RateLimited:
            self.refused += kind == "cancel"
            raise
        self.cancels += kind == "cancel"
        self.gets += kind == "get"

    def _takes_launch(self):
        try:
            self._take("create")
        except RateLimited:
            return False
        return True

    def _grow(self, count):
        """Eight planners, twelve below them, and workers of all."""
        while len(self.agents) < count:
            number = len(self.agents)
            among = self._planners[: 8 if number < _PLANNERS else _PLANNERS]
            parent = None if number < 8 else self.agents[self._random.choice(among)]
            agent_id = self._new_id() if parent is None else self._next_id(parent)
            if number < _PLANNERS:
                self._planners.append(agent_id)
            self._make(parent, agent_id)

    async def _launch_on_and_on(self, planner):
        if planner is None or planner.id in self._planners:
            await super()._launch_on_and_on(planner)

    async def _push_on_and_on(self, planner):
        if planner.id in self._planners:
            await super()._push_on_and_on(planner)


def _id_of(planner: AgentId, number: int) -> AgentId:
    return AgentId(f"{planner}.{number}")
