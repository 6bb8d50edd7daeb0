"""One gate for every call to the service, with a turnstile for each class of calls, because the service counts so.

What one call is told to wait, all calls of its class wait. A rate limit of a moment is waited for here, and no caller
sees it; one that lasts is told, and launches come back as delayed, so that they stand in the state as what they are.
Where the service takes no more agents, or the quota is used up, launches that still wait at the gate are not sent to
hear the same; and since nobody is told beforehand how much room there is, launches start slowly.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

from orchestrate.core.events import ServiceUnreachable
from orchestrate.core.pacing import LONGEST_ASKED_SECONDS
from orchestrate.core.service_events import CallsSlowed
from orchestrate.engine.inbox import Inbox
from orchestrate.engine.rate import Rate
from orchestrate.engine.turnstile import Turnstile, Urgency
from orchestrate.errors import CapacityReached, RateLimited, Refused, ServiceError, Unavailable
from orchestrate.model.call_classes import CallClass
from orchestrate.model.durations import duration
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.wire import Agent, AgentPage, AgentUsage, Created, Frame, Run
from orchestrate.ports import AgentService, Clock

_Answer = TypeVar("_Answer")

#: The code of an account whose quota is used up.
QUOTA_CODE = "usage_limit_exceeded"
#: Calls of one class in flight; a stream leaves the gate once it is open.
_AT_A_TIME = 64
#: Launches in flight before the service was seen to take more; the smallest plan has room for so many agents.
_LAUNCHES_AT_FIRST = 8
#: A launch that has to wait for longer is told so and comes back later.
_LONGEST_AT_THE_GATE = 20.0
#: Trouble shorter than this is not told.
_TOLD_AFTER_SECONDS = 10.0
_TOLD_EVERY_SECONDS = 60.0
#: Inside a class look-ups go first: whoever looks up does not know whether there is an agent.
_LOOK_UP: Urgency = (0,)
_USUAL: Urgency = (1,)
#: What a run cost is wanted by no task.
_LATER: Urgency = (2,)


class GatedService:
    """The service behind the gate; itself an ``AgentService``."""

    def __init__(self, service: AgentService, *, clock: Clock, inbox: Inbox, seed: str = "") -> None:
        self._service = service
        self._clock = clock
        self._inbox = inbox
        self._turnstiles = {
            each: Turnstile(
                clock=clock,
                rate=Rate(seed=f"{seed}/{each}"),
                at_a_time=_AT_A_TIME,
                at_first=_LAUNCHES_AT_FIRST if each is CallClass.CREATE else None,
            )
            for each in CallClass
        }
        #: Since when, by kind of call, there was no useful answer.
        self._silent_since: dict[str, float] = {}
        self._told_at: dict[type, float] = {}
        self._is_left = False

    def get_rate(self) -> float:
        """How many gets a second the service takes, as far as is known; infinite before it refused one."""
        return self._turnstiles[CallClass.GET].rate.per_second

    async def create_agent(self, body: bytes, *, key: str, urgency: Urgency = _USUAL) -> Created:
        """Create an agent with exactly this body."""
        if self._is_left and not self._turnstiles[CallClass.CREATE].is_open:
            raise _not_sent(0.0)
        return await self._through(
            CallClass.CREATE,
            "create agent",
            lambda: self._service.create_agent(body, key=key),
            urgency=urgency,
            bears=self._bears_at_launch,
        )

    async def get_agent(self, agent_id: AgentId) -> Agent:
        """The agent of this id."""
        return await self._through(
            CallClass.GET, "get agent", lambda: self._service.get_agent(agent_id), urgency=_LOOK_UP
        )

    async def first_run(self, agent_id: AgentId) -> Run | None:
        """The agent's oldest run."""
        return await self._through(
            CallClass.LIST, "list runs", lambda: self._service.first_run(agent_id), urgency=_LOOK_UP
        )

    async def get_run(self, agent_id: AgentId, run_id: RunId) -> Run:
        """The run as it is now: the truth."""
        return await self._through(CallClass.GET, "get run", lambda: self._service.get_run(agent_id, run_id))

    @asynccontextmanager
    async def stream_run(
        self, agent_id: AgentId, run_id: RunId, *, last_event_id: str | None = None
    ) -> AsyncIterator[AsyncIterator[Frame]]:
        """The run's frames; a stream that breaks is not told, the look at the run that follows tells what is wrong."""
        async with AsyncExitStack() as stack:
            frames = await self._turnstiles[CallClass.STREAM].carry(
                lambda: stack.enter_async_context(
                    self._service.stream_run(agent_id, run_id, last_event_id=last_event_id)
                ),
                urgency=_USUAL,
                bears=self._bears,
            )
            yield frames

    async def cancel_run(self, agent_id: AgentId, run_id: RunId) -> None:
        """Ask for the run's end; what was asked for before has been asked for long enough."""
        await self._turnstiles[CallClass.CANCEL].carry(
            lambda: self._service.cancel_run(agent_id, run_id), urgency=_USUAL, bears=self._bears
        )

    async def usage(self, agent_id: AgentId) -> AgentUsage:
        """What the agent took over all its runs."""
        return await self._through(CallClass.GET, "get usage", lambda: self._service.usage(agent_id), urgency=_LATER)

    async def agent_page(self, *, cursor: str | None = None, include_archived: bool = False) -> AgentPage:
        """One page of agents, those that were made last."""
        return await self._through(
            CallClass.LIST,
            "list agents",
            lambda: self._service.agent_page(cursor=cursor, include_archived=include_archived),
            urgency=_LOOK_UP,
        )

    async def list_runs(self, agent_id: AgentId) -> Sequence[Run]:
        """All runs of the agent."""
        return await self._through(
            CallClass.LIST, "list runs", lambda: self._service.list_runs(agent_id), urgency=_LOOK_UP
        )

    async def create_run(self, agent_id: AgentId, body: bytes, *, key: str) -> Run:
        """Send exactly these bytes as a follow-up."""
        return await self._through(
            CallClass.FOLLOW_UP, "create run", lambda: self._service.create_run(agent_id, body, key=key)
        )

    async def unarchive_agent(self, agent_id: AgentId) -> None:
        """Take follow-ups again."""
        await self._through(CallClass.ARCHIVE, "unarchive agent", lambda: self._service.unarchive_agent(agent_id))

    async def archive_agent(self, agent_id: AgentId) -> None:
        """Take no follow-ups from now on."""
        await self._through(CallClass.ARCHIVE, "archive agent", lambda: self._service.archive_agent(agent_id))

    def leave(self) -> None:
        """No launch waits any more: those that would come back at once as delayed."""
        self._is_left = True
        self._turnstiles[CallClass.CREATE].dismiss(_not_sent)

    async def _through(
        self,
        its_class: CallClass,
        kind: str,
        call: Callable[[], Awaitable[_Answer]],
        *,
        urgency: Urgency = _USUAL,
        bears: Callable[[RateLimited], bool] | None = None,
    ) -> _Answer:
        async def told() -> _Answer:
            began_at = self._clock.monotonic()
            try:
                answer = await call()
            except ServiceError as error:
                self._note_failure(kind, error, began_at=began_at)
                raise
            self._silent_since.pop(kind, None)
            return answer

        turnstile = self._turnstiles[its_class]
        try:
            return await turnstile.carry(told, urgency=urgency, bears=bears or self._bears)
        except Unavailable as error:
            if isinstance(error, CapacityReached) or error.code == QUOTA_CODE:
                turnstile.start_slowly()
                turnstile.dismiss(_same_refusal(error))
            raise

    def _bears(self, error: RateLimited) -> bool:
        """Whether a rate limit is waited for at the gate; one that lasts is told."""
        asked = error.retry_after_seconds or 0.0
        if asked >= _TOLD_AFTER_SECONDS and self._may_tell(CallsSlowed):
            self._inbox.put(CallsSlowed(message=_slowed_words(error, asked)))
        return True

    def _bears_at_launch(self, error: RateLimited) -> bool:
        self._bears(error)
        turnstile = self._turnstiles[CallClass.CREATE]
        if self._is_left:
            return False
        if turnstile.rate.seconds_to_wait(self._clock.monotonic()) <= _LONGEST_AT_THE_GATE:
            return True
        turnstile.dismiss(_not_sent)
        return False

    def _note_failure(self, kind: str, error: ServiceError, *, began_at: float) -> None:
        if _is_an_answer(error):
            self._silent_since.pop(kind, None)
            return
        seconds = self._clock.monotonic() - self._silent_since.setdefault(kind, began_at)
        if seconds >= _TOLD_AFTER_SECONDS and self._may_tell(ServiceUnreachable):
            words = f"no useful answer of the service to {kind!r} for {seconds:.0f} s ({error.message})"
            self._inbox.put(ServiceUnreachable(message=f"{words}; it is asked again, agents go on."))

    def _may_tell(self, kind: type) -> bool:
        """True once a minute for each kind of news."""
        now = self._clock.monotonic()
        if now - self._told_at.get(kind, float("-inf")) < _TOLD_EVERY_SECONDS:
            return False
        self._told_at[kind] = now
        return True


def _is_an_answer(error: ServiceError) -> bool:
    """True where the service works and says no, or later."""
    return isinstance(error, (Refused, RateLimited, CapacityReached)) or error.code == QUOTA_CODE


def _not_sent(seconds: float) -> RateLimited:
    return RateLimited("the service asks for fewer calls; this one was not sent", retry_after_seconds=seconds)


def _same_refusal(full: Unavailable) -> Callable[[float], Unavailable]:
    asked = full.retry_after_seconds
    return lambda _seconds: type(full)(full.message, code=full.code, status=full.status, retry_after_seconds=asked)


def _slowed_words(error: RateLimited, asked: float) -> str:
    words = f"the service asks for fewer calls and for a pause of {duration(round(asked))} ({error.message})"
    if asked <= LONGEST_ASKED_SECONDS:
        return f"{words}; agents go on."
    return f"{words}; it is asked again after {duration(round(LONGEST_ASKED_SECONDS))}, agents go on."
