"""Lanes: HTTP transports that carry one request at a time.

httpx walks all connections and waiting requests of a pool at every request. One transport for each request in flight
keeps that walk at one connection; the lane used last is taken first, so that its open connection is used again.
"""

from collections.abc import Callable

import anyio
import httpx


class Lanes:
    """Lends transports; at most ``limit`` at a time, of which up to ``spare`` stay open while nobody uses them."""

    def __init__(self, make: Callable[[], httpx.AsyncBaseTransport], *, limit: int | None, spare: int) -> None:
        self._make = make
        self._spare = spare
        self._idle: list[httpx.AsyncBaseTransport] = []
        self._slots = None if limit is None else anyio.Semaphore(limit, fast_acquire=True)

    async def take(self) -> httpx.AsyncBaseTransport:
        """A transport of one's own until it is given back."""
        if self._slots is not None:
            await self._slots.acquire()
        return self._idle.pop() if self._idle else self._make()

    async def give_back(self, lane: httpx.AsyncBaseTransport) -> None:
        """Let others use it; its last response must be closed."""
        if self._slots is not None:
            self._slots.release()
        if len(self._idle) < self._spare:
            self._idle.append(lane)
        else:
            await lane.aclose()

    async def aclose(self) -> None:
        """Close the lanes that nobody uses."""
        while self._idle:
            await self._idle.pop().aclose()
