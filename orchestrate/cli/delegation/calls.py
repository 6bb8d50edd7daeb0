"""Calls to the service through turnstiles, as a run makes them, for a command that lives for a moment.

A rate limit of a moment is waited for here; one that lasts is told. What was not done for want of a connection is
tried a few times: the same bytes with the same key. What may have been done is never sent again.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from orchestrate.cloud.client import CloudClient
from orchestrate.core.pacing import spread
from orchestrate.engine.gate import QUOTA_CODE
from orchestrate.engine.launch import LOOK_UP_SECONDS, look_for
from orchestrate.engine.rate import Rate
from orchestrate.engine.turnstile import Turnstile
from orchestrate.errors import CapacityReached, RateLimited, Unavailable
from orchestrate.model.call_classes import CallClass
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import Agent, AgentPage, AgentUsage, Artifact, Created, Me, Model, Run
from orchestrate.ports import Clock

_Answer = TypeVar("_Answer")

#: All waits for one call together; then the caller is told.
_LONGEST_WAIT = 20.0
#: Pauses before a call that was not done is made again.
_PAUSES = (0.3, 1.0)


class GatedCalls:
    """The calls that delegation verbs make."""

    def __init__(
        self, client: CloudClient, *, clock: Clock, kind: RuntimeKind, longest_wait_seconds: float = _LONGEST_WAIT
    ) -> None:
        self._client = client
        self._clock = clock
        self._longest_wait = longest_wait_seconds
        #: Our own server tells at once whether an agent is there.
        self._look_up_seconds = LOOK_UP_SECONDS if kind is RuntimeKind.CLOUD else 0.0
        self.kind = kind
        self._turnstiles = {
            each: Turnstile(clock=clock, rate=Rate(seed=f"delegation/{each}"), at_a_time=None) for each in CallClass
        }

    @property
    def clock(self) -> Clock:
        """The time that these calls keep."""
        return self._clock

    async def me(self) -> Me:
        """Whose key it is."""
        return await self._through(CallClass.GET, self._client.me)

    async def models(self) -> tuple[Model, ...]:
        """The catalogue."""
        return await self._through(CallClass.GET, self._client.models)

    async def create_agent(self, body: bytes, *, key: str) -> Created:
        """An agent with exactly this body."""
        return await self._through(CallClass.CREATE, lambda: self._client.create_agent(body, key=key))

    async def create_run(self, agent_id: AgentId, body: bytes, *, key: str) -> Run:
        """A follow-up with exactly this body."""
        return await self._through(CallClass.FOLLOW_UP, lambda: self._client.create_run(agent_id, body, key=key))

    async def get_agent(self, agent_id: AgentId) -> Agent:
        """The agent as it is now."""
        return await self._through(CallClass.GET, lambda: self._client.get_agent(agent_id))

    async def look_for(self, agent_id: AgentId) -> Agent | None:
        """The agent; None once the service has said for long enough that there is none."""
        return await look_for(self.get_agent, agent_id, clock=self._clock, seconds=self._look_up_seconds)

    async def get_run(self, agent_id: AgentId, run_id: RunId) -> Run:
        """The run as it is now."""
        return await self._through(CallClass.GET, lambda: self._client.get_run(agent_id, run_id))

    async def list_runs(self, agent_id: AgentId) -> tuple[Run, ...]:
        """All runs of the agent."""
        return await self._through(CallClass.LIST, lambda: self._client.list_runs(agent_id))

    async def agent_page(self, *, cursor: str | None = None, include_archived: bool = False) -> AgentPage:
        """One page of agents."""
        return await self._through(
            CallClass.LIST, lambda: self._client.agent_page(cursor=cursor, include_archived=include_archived)
        )

    async def agents(self, *, include_archived: bool = False) -> AsyncGenerator[Agent, None]:
        """The agents of all pages, each once."""
        cursor, cursors, seen = None, set[str](), set[str]()
        while True:
            page = await self.agent_page(cursor=cursor, include_archived=include_archived)
            for agent in page.items:
                if agent.id not in seen:
                    seen.add(agent.id)
                    yield agent
            cursor = page.next_cursor
            if not cursor or cursor in cursors:
                return
            cursors.add(cursor)

    async def cancel_run(self, agent_id: AgentId, run_id: RunId) -> None:
        """Ask for the run's end."""
        await self._through(CallClass.CANCEL, lambda: self._client.cancel_run(agent_id, run_id))

    async def set_archived(self, agent_id: AgentId, *, archived: bool) -> None:
        """Archive the agent, or take it back."""
        call = self._client.archive_agent if archived else self._client.unarchive_agent
        await self._through(CallClass.ARCHIVE, lambda: call(agent_id))

    async def usage(self, agent_id: AgentId) -> AgentUsage:
        """What the agent took."""
        return await self._through(CallClass.GET, lambda: self._client.usage(agent_id))

    async def artifacts(self, agent_id: AgentId) -> tuple[Artifact, ...]:
        """What the agent left for people."""
        return await self._through(CallClass.GET, lambda: self._client.list_artifacts(agent_id))

    def open_artifact(self, agent_id: AgentId, path: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """One of those, in pieces."""
        return self._client.open_artifact(agent_id, path)

    async def _through(self, its_class: CallClass, call: Callable[[], Awaitable[_Answer]]) -> _Answer:
        began_at = self._clock.monotonic()
        for number, pause in enumerate((*_PAUSES, None)):
            try:
                return await self._turnstiles[its_class].carry(
                    call, urgency=(1,), bears=lambda error: self._bears(its_class, error, began_at)
                )
            except Unavailable as error:
                if pause is None or isinstance(error, RateLimited | CapacityReached) or error.code == QUOTA_CODE:
                    raise
                asked = error.retry_after_seconds or 0.0
                if asked > self._longest_wait:
                    raise
                await self._clock.sleep(max(asked, spread(pause, seed=f"{its_class}/{number}")))
        raise AssertionError("the last pause is None")

    def _bears(self, its_class: CallClass, error: RateLimited, began_at: float) -> bool:
        now = self._clock.monotonic()
        wait = max(self._turnstiles[its_class].rate.seconds_to_wait(now), error.retry_after_seconds or 0.0)
        return now - began_at + wait <= self._longest_wait
