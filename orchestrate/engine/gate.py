"""One gate for every call to the service: what one call is told to wait, all of them wait.

A gate that opens lets the waiting calls through one after the other, so that they do not arrive as one burst. A
service that gives no useful answer is told once that has lasted: a single blip is nobody's concern.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from orchestrate.core.events import ServiceUnreachable
from orchestrate.engine.inbox import Inbox
from orchestrate.errors import CapacityReached, RateLimited, Refused, ServiceError
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.wire import Agent, AgentUsage, Created, Frame, Run
from orchestrate.ports import AgentService, Clock

_Answer = TypeVar("_Answer")

#: The code of an account whose quota is used up.
QUOTA_CODE = "usage_limit_exceeded"
#: Pause after a rate limit that names none.
_PAUSE_SECONDS = 3.0
_LONGEST_PAUSE_SECONDS = 3600.0
#: Between two of the calls that waited at the closed gate.
_SPACING_SECONDS = 0.25
#: Trouble shorter than this is not told.
_TOLD_AFTER_SECONDS = 10.0
_TOLD_EVERY_SECONDS = 60.0


class GatedService:
    """The service behind the gate; itself an ``AgentService``."""

    def __init__(self, service: AgentService, *, clock: Clock, inbox: Inbox) -> None:
        self._service = service
        self._clock = clock
        self._inbox = inbox
        self._closed_until = clock.monotonic()
        #: Calls that wait for the gate to open.
        self._waiting = 0
        #: Since when, by kind of call, there was no useful answer.
        self._silent_since: dict[str, float] = {}
        self._told_at = float("-inf")

    async def create_agent(self, body: bytes, *, key: str) -> Created:
        """Create an agent with exactly this body."""
        return await self._through("create agent", lambda: self._service.create_agent(body, key=key))

    async def get_agent(self, agent_id: AgentId) -> Agent:
        """The agent of this id."""
        return await self._through("get agent", lambda: self._service.get_agent(agent_id))

    async def first_run(self, agent_id: AgentId) -> Run | None:
        """The agent's oldest run."""
        return await self._through("list runs", lambda: self._service.first_run(agent_id))

    async def get_run(self, agent_id: AgentId, run_id: RunId) -> Run:
        """The run as it is now: the truth."""
        return await self._through("get run", lambda: self._service.get_run(agent_id, run_id))

    @asynccontextmanager
    async def stream_run(
        self, agent_id: AgentId, run_id: RunId, *, last_event_id: str | None = None
    ) -> AsyncIterator[AsyncIterator[Frame]]:
        """The run's frames; a stream that breaks is not told, the look at the run that follows tells what is wrong."""
        await self._wait_until_open()
        try:
            async with self._service.stream_run(agent_id, run_id, last_event_id=last_event_id) as frames:
                yield frames
        except RateLimited as error:
            self._close(error)
            raise

    async def cancel_run(self, agent_id: AgentId, run_id: RunId) -> None:
        """Ask for the run's end; a cancel never waits at the gate."""
        try:
            await self._service.cancel_run(agent_id, run_id)
        except RateLimited as error:
            self._close(error)
            raise

    async def usage(self, agent_id: AgentId) -> AgentUsage:
        """What the agent took over all its runs."""
        return await self._through("get usage", lambda: self._service.usage(agent_id))

    async def _through(self, kind: str, call: Callable[[], Awaitable[_Answer]]) -> _Answer:
        await self._wait_until_open()
        began_at = self._clock.monotonic()
        try:
            answer = await call()
        except ServiceError as error:
            self._note_failure(kind, error, began_at=began_at)
            raise
        self._silent_since.pop(kind, None)
        return answer

    async def _wait_until_open(self) -> None:
        while (pause := self._closed_until - self._clock.monotonic()) > 0:
            place, self._waiting = self._waiting, self._waiting + 1
            try:
                await self._clock.sleep(pause + place * _SPACING_SECONDS)
            finally:
                self._waiting -= 1

    def _note_failure(self, kind: str, error: ServiceError, *, began_at: float) -> None:
        if isinstance(error, RateLimited):
            self._close(error)
        if _is_an_answer(error):
            self._silent_since.pop(kind, None)
            return
        now = self._clock.monotonic()
        seconds = now - self._silent_since.setdefault(kind, began_at)
        if seconds >= _TOLD_AFTER_SECONDS and now - self._told_at >= _TOLD_EVERY_SECONDS:
            self._told_at = now
            words = f"no useful answer of the service to {kind!r} for {seconds:.0f} s ({error.message})"
            self._inbox.put(ServiceUnreachable(message=f"{words}; it is asked again, agents go on."))

    def _close(self, error: RateLimited) -> None:
        pause = min(error.retry_after_seconds or _PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS)
        self._closed_until = max(self._closed_until, self._clock.monotonic() + pause)


def _is_an_answer(error: ServiceError) -> bool:
    """True where the service works and says no, or later."""
    return isinstance(error, (Refused, RateLimited, CapacityReached)) or error.code == QUOTA_CODE
