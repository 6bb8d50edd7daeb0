"""Lanes: ways to one address that carry one request at a time.

httpx walks all connections and waiting requests of a pool at every request. One transport for each request in flight
keeps that walk at one connection; the lane used last is taken first, so that its open connection is used again.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import httpx


class Outgoing(NamedTuple):
    """A request that is ready to be sent."""

    method: str
    #: With its query, below the lane's address.
    path: str
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes | None
    #: How long the other side may say nothing.
    silence_seconds: float


def require_method(request: Outgoing) -> None:
    """Nothing but these two ever leaves: this program deletes nothing at a service."""
    if request.method not in ("GET", "POST"):
        raise ValueError("requests are GET and POST only")


class Lane(Protocol):
    """Carries requests to one address; it fails as httpx does."""

    async def begin(self, request: Outgoing) -> httpx.Response:
        """The answer's head; the body comes with reading, and closing the response ends the request."""

    async def aclose(self) -> None:
        """Close its connection."""


class HttpxLane:
    """A transport of httpx: for encryption and proxies.

    It is used without `httpx.AsyncClient` on top: its cookies, redirects and authentication flow cost a fifth of a
    request and do nothing that is wanted here.
    """

    def __init__(self, transport: httpx.AsyncBaseTransport, *, base_url: str, timeout_seconds: float) -> None:
        self._transport = transport
        self._base_url = base_url
        self._timeout_seconds = timeout_seconds

    async def begin(self, request: Outgoing) -> httpx.Response:
        """The answer's head; the body comes with reading."""
        require_method(request)
        timeout = httpx.Timeout(self._timeout_seconds, read=request.silence_seconds)
        return await self._transport.handle_async_request(
            httpx.Request(
                request.method,
                self._base_url + request.path,
                headers=list(request.headers),
                content=request.body,
                extensions={"timeout": timeout.as_dict()},
            )
        )

    async def aclose(self) -> None:
        """Close its connections."""
        await self._transport.aclose()


class Lanes:
    """Lends lanes, of which up to ``spare`` stay open while nobody uses them."""

    def __init__(self, make: Callable[[], Lane], *, spare: int) -> None:
        self._make = make
        self._spare = spare
        self._idle: list[Lane] = []

    def take(self) -> Lane:
        """A lane of one's own until it is given back."""
        return self._idle.pop() if self._idle else self._make()

    async def give_back(self, lane: Lane) -> None:
        """Let others use it; its last response must be closed."""
        if len(self._idle) < self._spare:
            self._idle.append(lane)
        else:
            await lane.aclose()

    async def aclose(self) -> None:
        """Close the lanes that nobody uses."""
        while self._idle:
            await self._idle.pop().aclose()
