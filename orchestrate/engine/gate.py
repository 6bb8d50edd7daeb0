"""One gate for every call to the service: what one call is told to wait, all of them wait."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from orchestrate.core.events import ServiceUnreachable
from orchestrate.engine.inbox import Inbox
from orchestrate.errors import CapacityReached, OutcomeUnknown, RateLimited, Unavailable
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.wire import Agent, Created, Frame, Run
from orchestrate.ports import AgentService, Clock

_Answer = TypeVar("_Answer")

#: Pause after a rate limit that names none.
_PAUSE_SECONDS = 3.0
_LONGEST_PAUSE_SECONDS = 3600.0
#: An unreachable service is told once a minute.
_TOLD_EVERY_SECONDS = 60.0


class GatedService:
    """The service behind the gate; itself an ``AgentService``."""

    def __init__(self, service: AgentService, *, clock: Clock, inbox: Inbox) -> None:
        self._service = service
        self._clock = clock
        self._inbox = inbox
        self._closed_until = clock.monotonic()
        self._told_at: float | None = None

    async def create_agent(self, body: bytes, *, key: str) -> Created:
        """Create an agent with exactly this body."""
        return await self._through(lambda: self._service.create_agent(body, key=key))

    async def get_agent(self, agent_id: AgentId) -> Agent:
        """The agent of this id."""
        return await self._through(lambda: self._service.get_agent(agent_id))

    async def first_run(self, agent_id: AgentId) -> Run | None:
        """The agent's oldest run."""
        return await self._through(lambda: self._service.first_run(agent_id))

    async def get_run(self, agent_id: AgentId, run_id: RunId) -> Run:
        """The run as it is now: the truth."""
        return await self._through(lambda: self._service.get_run(agent_id, run_id))

    def stream_run(
        self, agent_id: AgentId, run_id: RunId, *, last_event_id: str | None = None
    ) -> AbstractAsyncContextManager[AsyncIterator[Frame]]:
        """The run's frames; a stream is only read, so it never waits at the gate."""
        return self._service.stream_run(agent_id, run_id, last_event_id=last_event_id)

    async def cancel_run(self, agent_id: AgentId, run_id: RunId) -> None:
        """Ask for the run's end; a cancel never waits at the gate."""
        await self._service.cancel_run(agent_id, run_id)

    async def _through(self, call: Callable[[], Awaitable[_Answer]]) -> _Answer:
        while (pause := self._closed_until - self._clock.monotonic()) > 0:
            await self._clock.sleep(pause)
        try:
            answer = await call()
        except RateLimited as error:
            self._close(error)
            raise
        except CapacityReached:
            raise
        except (Unavailable, OutcomeUnknown) as error:
            self._tell(error)
            raise
        self._told_at = None
        return answer

    def _close(self, error: RateLimited) -> None:
        pause = min(error.retry_after_seconds or _PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS)
        self._closed_until = max(self._closed_until, self._clock.monotonic() + pause)

    def _tell(self, error: Unavailable | OutcomeUnknown) -> None:
        now = self._clock.monotonic()
        if self._told_at is None or now - self._told_at >= _TOLD_EVERY_SECONDS:
            self._told_at = now
            self._inbox.put(
                ServiceUnreachable(message=f"the service did not answer ({error.message}); it is asked again.")
            )
