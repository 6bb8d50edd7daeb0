"""A kill that is certain: cancel, see that it ended, and look again until nobody is left.

Parents come before children, for a living parent launches children anew. What was in flight when the launches stopped
shows in a later look, so one look that finds nobody proves nothing: two of them do, some time apart. A cancel is asked
for until the run itself says that it is over; a refusal alone neither ends the asking nor counts as an end.

Its calls pass the gate: the service that it is given waits for rate limits, each class of calls for its own.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus
from itertools import groupby
from typing import Protocol, TypeVar

import anyio

from orchestrate.core.lineage import Sighting
from orchestrate.errors import Refused, ServiceError
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.wire import Agent, Run
from orchestrate.ports import Clock

_Answer = TypeVar("_Answer")

#: Looks in a row that have to find nobody alive.
QUIET_LOOKS = 2
#: Cancels of one level that are under way at the same time.
_AT_ONCE = 8
#: Pauses between two looks at a run that was cancelled; the longest is kept.
_CONFIRM_SECONDS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
#: After so many looks a cancel is asked for once more.
_LOOKS_BEFORE_ASKING_AGAIN = 6
#: Calls that get no useful answer are repeated so often before the agent is left for the next look.
_TRIES = 5
PATIENCE_SECONDS = 600.0


class KillService(Protocol):
    """What a kill asks of the service."""

    async def get_agent(self, agent_id: AgentId) -> Agent:
        """The agent of this id."""
        ...

    async def get_run(self, agent_id: AgentId, run_id: RunId) -> Run:
        """The run as it is now: the truth."""
        ...

    async def cancel_run(self, agent_id: AgentId, run_id: RunId) -> None:
        """Ask for the run's end; only its status confirms it."""
        ...


#: Everybody who may be alive, parents before children, as far as one look can tell.
Census = Callable[[], Awaitable[Sequence[Sighting]]]


class Fate(StrEnum):
    """What became of a victim."""

    CANCELLED = "cancelled"
    #: Its run was over before, however it ended.
    OVER = "over"
    #: The service knows no such agent.
    ABSENT = "absent"
    ALIVE = "alive"


@dataclass(slots=True)
class Toll:
    """What a kill came to."""

    #: By agent, in the order of the cancels.
    fates: dict[AgentId, Fate] = field(default_factory=dict)
    victims: dict[AgentId, Sighting] = field(default_factory=dict)
    #: What the service said to a cancel that it did not take, by agent.
    refusals: dict[AgentId, str] = field(default_factory=dict)
    looks: int = 0
    seconds: float = 0.0
    is_certain: bool = False

    @property
    def alive(self) -> list[AgentId]:
        """Agents that were not seen to end."""
        return [agent_id for agent_id, fate in self.fates.items() if fate is Fate.ALIVE]

    def count(self, fate: Fate) -> int:
        """How many met this fate."""
        return sum(each is fate for each in self.fates.values())


@dataclass(frozen=True, slots=True)
class KillPace:
    """What differs between a service far away and one on this machine."""

    #: Between two looks that find nobody: new agents are missing in lists for a while.
    quiet_seconds: float
    #: Seconds a cancel that the service's habit comes to: for the estimate, since the gate learns the true limit.
    cancel_seconds: float = 0.0
    #: The kill gives up after so long without anybody ending.
    patience_seconds: float = PATIENCE_SECONDS


class Killer:
    """Ends everybody whom the census shows; ``run`` it once."""

    def __init__(
        self,
        service: KillService,
        census: Census,
        *,
        clock: Clock,
        pace: KillPace,
        tell: Callable[[Toll], None] = lambda _: None,
        left_to_engines: Iterable[AgentId] = (),
    ) -> None:
        self._service = service
        self._census = census
        self._clock = clock
        self._pace = pace
        self._tell = tell
        #: Agents whose own engine cancels them just now; they are asked for only if that comes to nothing.
        self._left = set(left_to_engines)
        self._toll = Toll()
        #: Runs that were seen to be over; a run that has ended stays so.
        self._over: set[tuple[AgentId, RunId]] = set()
        self._moved_at = clock.monotonic()

    async def run(self) -> Toll:
        """Look, end and look again; certain once two looks in a row found nobody."""
        began_at = self._moved_at = self._clock.monotonic()
        quiet = 0
        while quiet < QUIET_LOOKS and not self._is_hopeless():
            if quiet:
                await self._clock.sleep(self._pace.quiet_seconds)
            self._toll.looks += 1
            ended = await self._look_and_end()
            quiet = 0 if ended or self._toll.alive else quiet + 1
        self._toll.is_certain = quiet == QUIET_LOOKS
        self._toll.seconds = self._clock.monotonic() - began_at
        return self._toll

    async def _look_and_end(self) -> bool:
        """One look and what follows; True if somebody was there to be ended."""
        found = [each for each in await self._asked(self._census) if not self._is_known_over(each)]
        before = self._toll.count(Fate.CANCELLED)
        was_alive = False
        for _, level in groupby(found, key=lambda each: each.depth):
            was_alive = await self._end_level(tuple(level)) or was_alive
        return was_alive or self._toll.count(Fate.CANCELLED) > before

    async def _end_level(self, level: Sequence[Sighting]) -> bool:
        limit, alive = anyio.CapacityLimiter(_AT_ONCE), list[bool]()

        async def end(sighting: Sighting) -> None:
            async with limit:
                alive.append(await self._end(sighting))
                self._tell(self._toll)

        async with anyio.create_task_group() as tasks:
            for each in level:
                tasks.start_soon(end, each)
        return any(alive)

    async def _end(self, sighting: Sighting) -> bool:
        """See one agent to its end; True if it was alive when it was looked at."""
        self._toll.victims[sighting.agent_id] = sighting
        try:
            run_id = sighting.run_id or await self._latest_run(sighting.agent_id)
            if run_id is None:
                self._settled(sighting, Fate.ABSENT)
                return False
            return await self._ended(sighting, run_id)
        except ServiceError as error:
            if isinstance(error, Refused) and error.status == HTTPStatus.NOT_FOUND:
                self._settled(sighting, Fate.ABSENT)
                return False
            self._toll.refusals[sighting.agent_id] = error.message
            self._settled(sighting, Fate.ALIVE)
            return True

    async def _ended(self, sighting: Sighting, run_id: RunId) -> bool:
        agent_id = sighting.agent_id
        if not sighting.may_run and (await self._run(agent_id, run_id)).status.is_terminal:
            self._is_over(sighting, run_id, Fate.OVER)
            return False
        was_taken = agent_id in self._left or await self._cancelled(agent_id, run_id)
        self._left.discard(agent_id)
        for looks in range(2 * _LOOKS_BEFORE_ASKING_AGAIN):
            run = await self._run(agent_id, run_id)
            if run.status.is_terminal:
                self._is_over(sighting, run_id, Fate.CANCELLED if was_taken else Fate.OVER)
                return was_taken
            if looks == _LOOKS_BEFORE_ASKING_AGAIN:
                was_taken = await self._cancelled(agent_id, run_id) or was_taken
            await self._clock.sleep(_CONFIRM_SECONDS[min(looks, len(_CONFIRM_SECONDS) - 1)])
        self._settled(sighting, Fate.ALIVE)
        return True

    async def _cancelled(self, agent_id: AgentId, run_id: RunId) -> bool:
        """True if the service took the cancel; what it said otherwise is kept until the run is over."""
        try:
            await self._asked(lambda: self._service.cancel_run(agent_id, run_id))
        except ServiceError as error:
            self._toll.refusals[agent_id] = error.message
            return False
        self._toll.refusals.pop(agent_id, None)
        return True

    async def _latest_run(self, agent_id: AgentId) -> RunId | None:
        agent = await self._asked(lambda: self._service.get_agent(agent_id))
        return None if agent.latest_run_id is None else RunId(agent.latest_run_id)

    async def _run(self, agent_id: AgentId, run_id: RunId) -> Run:
        return await self._asked(lambda: self._service.get_run(agent_id, run_id))

    async def _asked(self, call: Callable[[], Awaitable[_Answer]]) -> _Answer:
        """The answer; a refusal is one, and what is not answered is asked for a few times."""
        tries = 0
        while True:
            try:
                return await call()
            except Refused:
                raise
            except ServiceError:
                tries += 1
                if tries == _TRIES or self._is_hopeless():
                    raise
                await self._clock.sleep(_CONFIRM_SECONDS[tries])

    def _is_known_over(self, sighting: Sighting) -> bool:
        return sighting.run_id is not None and (sighting.agent_id, sighting.run_id) in self._over

    def _is_over(self, sighting: Sighting, run_id: RunId, fate: Fate) -> None:
        self._over.add((sighting.agent_id, run_id))
        self._toll.refusals.pop(sighting.agent_id, None)
        self._settled(sighting, fate)

    def _settled(self, sighting: Sighting, fate: Fate) -> None:
        if self._toll.fates.get(sighting.agent_id) is Fate.CANCELLED and fate in (Fate.OVER, Fate.ABSENT):
            return
        self._toll.fates[sighting.agent_id] = fate
        if fate is not Fate.ALIVE:
            self._moved_at = self._clock.monotonic()

    def _is_hopeless(self) -> bool:
        return self._clock.monotonic() - self._moved_at > self._pace.patience_seconds


def expected_seconds(count: int, pace: KillPace) -> float:
    """How long so many cancels take at least, with the looks that prove the end."""
    return count * pace.cancel_seconds + (QUIET_LOOKS - 1) * pace.quiet_seconds


def told_refusals(toll: Toll) -> Mapping[AgentId, str]:
    """What the service said of those that are alive still."""
    return {agent_id: toll.refusals.get(agent_id, "it did not end") for agent_id in toll.alive}
