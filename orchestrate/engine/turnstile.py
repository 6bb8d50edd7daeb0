"""A turnstile lets calls of one class through: at the class's rate, so many at a time, the most urgent first.

A call that meets a 429 was not carried out; it goes back to its place and leaves again with the same bytes. So whoever
calls sees no rate limit, except one that lasts: then it is told, and may do something else meanwhile.

Where a service may have little room, a class starts slowly: so many calls are in flight as it was seen to carry out,
and at first a few. So those that hear of a full service are never more than what it took before.
"""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import TypeVar

import anyio

from orchestrate.engine.rate import Rate
from orchestrate.errors import OutcomeUnknown, ProtocolBroken, RateLimited, ServiceError, Unavailable
from orchestrate.ports import Clock

_Answer = TypeVar("_Answer")
#: The lowest goes first; equal ones in the order in which they came.
Urgency = tuple[int, ...]


@dataclass(order=True, slots=True)
class _Waiting:
    urgency: Urgency
    number: int
    #: Set when it may look again whether it is its turn.
    called: anyio.Event = field(compare=False, default_factory=anyio.Event)
    #: Why it is sent away in the place of leaving.
    dismissed: ServiceError | None = field(compare=False, default=None)


class Turnstile:
    """Where calls of one class pass."""

    def __init__(self, *, clock: Clock, rate: Rate, at_a_time: int | None, at_first: int | None = None) -> None:
        self._clock = clock
        self._rate = rate
        self._at_a_time = math.inf if at_a_time is None else at_a_time
        self._at_first = self._at_a_time if at_first is None else at_first
        #: Calls that were carried out since the class started, or started anew.
        self._carried_out = 0
        self._in_flight = 0
        self._numbers = count()
        self._queue: list[_Waiting] = []

    @property
    def rate(self) -> Rate:
        """What the class has learned."""
        return self._rate

    @property
    def is_open(self) -> bool:
        """True while a call would not have to wait."""
        return not self._queue and self._has_room() and self._rate.seconds_to_wait(self._clock.monotonic()) <= 0

    async def carry(
        self,
        call: Callable[[], Awaitable[_Answer]],
        *,
        urgency: Urgency,
        bears: Callable[[RateLimited], bool],
    ) -> _Answer:
        """The call's answer; a rate limit that somebody ``bears`` is waited for, any other is raised."""
        number = next(self._numbers)
        while True:
            waited = await self._enter(urgency, number)
            left_at = self._clock.monotonic()
            try:
                answer = await call()
            except RateLimited as error:
                self._refused(error, left_at=left_at)
                if not bears(error):
                    raise
            except ServiceError as error:
                if _was_taken(error):
                    self._rate.taken(self._clock.monotonic(), waited=waited)
                raise
            else:
                self._rate.taken(self._clock.monotonic(), waited=waited)
                self._carried_out += 1
                return answer
            finally:
                self._in_flight -= 1
                self._call_first()

    def start_slowly(self) -> None:
        """Forget how much the service was seen to carry out: it has no room for more."""
        self._carried_out = 0

    def dismiss(self, reason: Callable[[float], ServiceError]) -> None:
        """Send away all that wait; ``reason`` is told for how many seconds nothing will leave."""
        waiting, self._queue = self._queue, []
        seconds = self._rate.seconds_to_wait(self._clock.monotonic())
        for each in waiting:
            each.dismissed = reason(seconds)
            each.called.set()

    def _refused(self, error: RateLimited, *, left_at: float) -> None:
        now = self._clock.monotonic()
        self._rate.refused(now, left_at=left_at, asked_seconds=error.retry_after_seconds)

    async def _enter(self, urgency: Urgency, number: int) -> bool:
        """Wait for one's turn, and take it; answers whether there was anything to wait for."""
        if self.is_open:
            self._go(self._clock.monotonic())
            return False
        waiting = _Waiting(urgency, number)
        heappush(self._queue, waiting)
        try:
            await self._wait_for_turn(waiting)
        except BaseException:
            self._withdraw(waiting)
            raise
        heappop(self._queue)
        self._go(self._clock.monotonic())
        self._call_first()
        return True

    async def _wait_for_turn(self, waiting: _Waiting) -> None:
        """Only the first one looks at the clock; whoever leaves calls the next."""
        while True:
            if waiting.dismissed is not None:
                raise waiting.dismissed
            is_first = self._queue[0] is waiting and self._has_room()
            pause = self._rate.seconds_to_wait(self._clock.monotonic()) if is_first else math.inf
            if pause <= 0:
                return
            if is_first:
                with anyio.move_on_after(pause):
                    await waiting.called.wait()
            else:
                await waiting.called.wait()
            waiting.called = anyio.Event()

    def _has_room(self) -> bool:
        return self._in_flight < min(max(self._carried_out, self._at_first), self._at_a_time)

    def _go(self, now: float) -> None:
        self._in_flight += 1
        self._rate.left(now)

    def _withdraw(self, waiting: _Waiting) -> None:
        if waiting in self._queue:
            self._queue = sorted(each for each in self._queue if each is not waiting)
        self._call_first()

    def _call_first(self) -> None:
        if self._queue and self._has_room():
            self._queue[0].called.set()


def _was_taken(error: ServiceError) -> bool:
    """True where the service answered, and not that it is too much."""
    return not isinstance(error, (OutcomeUnknown, ProtocolBroken)) and not (
        isinstance(error, Unavailable) and error.status is None
    )
