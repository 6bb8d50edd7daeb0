"""A tree of planners that launch anew while they are killed, under one seed and virtual time.

The service refuses, delays, loses answers, takes its time with cancels and shows new agents late in its lists; a request
that has left arrives even if its sender has ended meanwhile. It takes so many calls of a class, and answers 429 to more. The
root engine obeys its tombstone as the real one does.
"""

from dataclasses import dataclass
from random import Random

import anyio

from orchestrate.core.lineage import Roots, Sighting, members, merged
from orchestrate.errors import OutcomeUnknown, RateLimited, Refused, Unavailable
from orchestrate.model.names import AgentId, RunId, WorkspaceId
from orchestrate.model.timestamps import to_timestamp
from orchestrate.model.vocabulary import AgentStatus, RunStatus
from orchestrate.model.wire import Agent, Run

ROOT = WorkspaceId("root")
#: With the way of a request, less than the pause between two quiet looks.
LONGEST_UNSEEN = 7.0
_LONGEST_WAY = 2.0
#: An engine looks for its tombstone so often.
_OBEYS_WITHIN = 0.25
DEEPEST = 3
#: Calls of a class that the service takes at once, and how many more each second: as the cloud's, sixty times faster.
_BURST, _A_SECOND = 20, 20.0


@dataclass
class Living:
    """An agent with its run."""

    id: AgentId
    parent: AgentId | None
    workspace: WorkspaceId
    depth: int
    visible_at: float
    made_at: float
    ended_at: float | None = None

    @property
    def run_id(self) -> RunId:
        return RunId(f"run-{self.id}")


class KillWorld:
    """The service, with the engines that launch at it."""

    a_second = _A_SECOND
    launches_one_by_one = False

    def __init__(self, seed: int, *, clock, tasks, start: int = 200, luck: float = 0.15) -> None:
        self._random, self._clock, self._tasks, self._luck = Random(seed), clock, tasks, luck
        self.agents: dict[AgentId, Living] = {}
        #: Intents of the root engine: on its disk before their requests leave.
        self.intents: set[AgentId] = set()
        self.is_stopped = False
        self._buckets: dict[str, tuple[float, float]] = {}
        self._grow(start)
        tasks.start_soon(self._launch_on_and_on, None)
        for agent in list(self.agents.values()):
            if agent.depth < DEEPEST:
                tasks.start_soon(self._launch_on_and_on, agent)

    @property
    def alive(self) -> list[Living]:
        return [agent for agent in self.agents.values() if agent.ended_at is None]

    async def census(self) -> list[Sighting]:
        """As the verbs take it: rows and intents of the root, then what the service lists."""
        rows = [
            Sighting(agent.id, agent.run_id, workspace=ROOT, depth=1)
            for agent in self.agents.values()
            if agent.parent is None
        ]
        rows += [Sighting(agent_id, workspace=ROOT, depth=1) for agent_id in sorted(self.intents)]
        listed = [_sighting(agent) for agent in await self._answer("list", self._listed)]
        return members(merged([*rows, *listed]), Roots(workspaces=frozenset({ROOT})))

    async def get_agent(self, agent_id: AgentId) -> Agent:
        return await self._answer("get", lambda: _agent(self._found(agent_id)))

    async def get_run(self, agent_id: AgentId, run_id: RunId) -> Run:
        return await self._answer("get", lambda: _run(self._found(agent_id, is_made=True)))

    async def cancel_run(self, agent_id: AgentId, run_id: RunId) -> None:
        await self._answer("cancel", lambda: self._cancel(self._found(agent_id, is_made=True)), may_be_done=True)

    def _grow(self, count: int) -> None:
        """Three levels: planners, planners below them, and workers."""
        while len(self.agents) < count:
            parents = [agent for agent in self.agents.values() if agent.depth < DEEPEST]
            is_top = len(self.agents) < 8 or not parents
            self._make(None if is_top else self._random.choice(parents), self._new_id())

    def _make(self, parent: Living | None, agent_id: AgentId) -> None:
        now = self._clock.monotonic()
        self.agents[agent_id] = Living(
            agent_id,
            None if parent is None else parent.id,
            ROOT if parent is None else WorkspaceId(f"of {parent.id}"),
            1 if parent is None else parent.depth + 1,
            visible_at=now + self._random.choice([0.0, self._random.uniform(0, LONGEST_UNSEEN)]),
            made_at=now,
        )
        if self.agents[agent_id].depth < DEEPEST:
            self._tasks.start_soon(self._launch_on_and_on, self.agents[agent_id])

    async def _launch_on_and_on(self, planner: Living | None) -> None:
        """Launch another one every few seconds, for as long as the planner lives and its engine may."""
        while True:
            await self._clock.sleep(self._random.uniform(1, 20))
            if planner is None and self.is_stopped:
                return
            if planner is not None and planner.ended_at is not None:
                return
            agent_id = self._next_id(planner)
            if planner is None:
                self.intents.add(agent_id)
            if self.launches_one_by_one:
                await self._arrive(planner, agent_id)
            else:
                self._tasks.start_soon(self._arrive, planner, agent_id)

    async def _arrive(self, planner: Living | None, agent_id: AgentId) -> None:
        await self._clock.sleep(self._random.uniform(0, _LONGEST_WAY))
        while not self._takes_launch():
            if self.is_stopped if planner is None else planner.ended_at is not None:
                return
            await self._clock.sleep(self._random.uniform(1, 20))
        self._make(planner, agent_id)
        if planner is None:
            await self._clock.sleep(self._random.uniform(0, 1))
            if self.is_stopped:  # the engine got its answer after the stop
                self._tasks.start_soon(self._end, self.agents[agent_id])

    def _next_id(self, planner: Living | None) -> AgentId:
        """The id of the next agent that this engine launches."""
        return self._new_id()

    def _takes_launch(self) -> bool:
        """Whether the service makes one more agent now."""
        return True

    async def stop(self) -> None:
        """A tombstone stands in the root's workspace."""
        await self._clock.sleep(self._random.uniform(0, _OBEYS_WITHIN))
        self.is_stopped = True

    def _cancel(self, agent: Living) -> None:
        if agent.ended_at is not None:
            raise Refused("the run is over", code="run_not_cancellable", status=409)
        if self._random.random() < self._luck / 3:
            raise Refused("something is in the way", code="agent_busy", status=409)
        self._tasks.start_soon(self._end, agent)

    async def _end(self, agent: Living) -> None:
        await self._clock.sleep(self._random.uniform(0, 2))
        agent.ended_at = agent.ended_at or self._clock.monotonic()

    async def _answer(self, kind, call, *, may_be_done=False):
        self._take(kind)
        await self._clock.sleep(self._random.uniform(0.01, 0.3))
        if self._random.random() < self._luck:
            if may_be_done and self._random.random() < 0.5:
                if self._random.random() < 0.5:
                    call()
                raise OutcomeUnknown("no answer")
            raise Unavailable("503")
        return call()

    def _take(self, kind):
        """One call of this class, if there is one left."""
        now = self._clock.monotonic()
        left, since = self._buckets.get(kind, (float(_BURST), now))
        left = min(float(_BURST), left + (now - since) * self.a_second)
        if left < 1:
            self._buckets[kind] = (left, now)
            raise RateLimited("slow down", retry_after_seconds=self._random.choice([None, (1 - left) / self.a_second]))
        self._buckets[kind] = (left - 1, now)

    def _listed(self) -> list[Living]:
        return [agent for agent in self.agents.values() if agent.visible_at <= self._clock.monotonic()]

    def _found(self, agent_id: AgentId, *, is_made: bool = False) -> Living:
        agent = self.agents.get(agent_id)
        if agent is None or (not is_made and agent.visible_at > self._clock.monotonic()):
            raise Refused("no such agent", code="not_found", status=404)
        return agent

    def _new_id(self) -> AgentId:
        return AgentId(f"bc-{len(self.agents):04}-{self._random.getrandbits(32):08x}")


def _sighting(agent: Living) -> Sighting:
    return Sighting(agent.id, agent.run_id, workspace=agent.workspace, parent=agent.parent)


def _agent(agent: Living) -> Agent:
    return Agent(id=agent.id, status=AgentStatus.ACTIVE, latest_run_id=agent.run_id)


def _run(agent: Living) -> Run:
    status = RunStatus.RUNNING if agent.ended_at is None else RunStatus.CANCELLED
    now = to_timestamp(0.0)
    return Run(id=agent.run_id, agent_id=agent.id, status=status, created_at=now, updated_at=now)


async def killed(seed: int, *, clock, killer, start: int = 200, made=KillWorld):
    """One seed from its stop to an hour after the kill; the world and the toll."""
    async with anyio.create_task_group() as tasks:
        world = made(seed, clock=clock, tasks=tasks, start=start)
        await clock.sleep(Random(seed).uniform(0, 30))
        await world.stop()
        toll = await killer(world).run()
        ended_at = clock.monotonic()
        await clock.sleep(3600)
        tasks.cancel_scope.cancel()
    late = [agent for agent in world.agents.values() if agent.made_at > ended_at]
    return world, toll, late
