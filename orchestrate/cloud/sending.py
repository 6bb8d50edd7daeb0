"""Sending requests and reading answers, over lanes; redirects are never followed, no cookie is kept.

Plain HTTP is for a server on this machine only, and takes the direct way; everything else goes through httpx.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import anyio
import httpx

from orchestrate.cloud.address import proxy_for
from orchestrate.cloud.answers import Answer
from orchestrate.cloud.direct import DirectLane
from orchestrate.cloud.lanes import HttpxLane, Lane, Lanes, Outgoing
from orchestrate.cloud.problems import Call, Problems
from orchestrate.cloud.sockets import GatheringBackend
from orchestrate.errors import InputRefused, ServiceError

#: Open connections that are kept for the next calls; how many calls are in flight is their caller's affair.
_SPARE_CALLS = 32
#: Open connections of ended streams that are kept for the next ones.
_SPARE_STREAMS = 256
#: Seconds; the service sends a heartbeat about every 15.
_STREAM_SILENCE = 120.0
#: Seconds that an unused connection is kept.
_KEEP_ALIVE = 60.0
#: A call as a whole may take this many times the longest silence.
_WHOLE_CALL = 4
#: Seconds to wait for the end of a stream that has said its last word, so that its connection can be used again.
_LAST_BYTES = 0.25
_LARGEST_ANSWER = 64 * 1024 * 1024


class StreamBody:
    """The chunks of one streamed body, each as soon as it comes."""

    def __init__(self, response: httpx.Response, *, on_error: Callable[[Exception], ServiceError]) -> None:
        self._chunks = response.aiter_bytes()
        self._on_error = on_error

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            return await anext(self._chunks)
        except httpx.RequestError as error:
            raise self._on_error(error) from error

    async def read_to_end(self) -> None:
        """Skip what is left, for a moment only: a connection is kept only if its body was read to the end."""
        try:
            with anyio.move_on_after(_LAST_BYTES):
                async for _ in self:
                    continue
        except ServiceError:
            return  # nobody waits for these bytes; the connection is not kept then


class Sender:
    """Carries requests to one base URL with one set of headers."""

    def __init__(
        self, *, base_url: str, headers: Mapping[str, str], timeout_seconds: float, problems: Problems
    ) -> None:
        self._headers = _raw(headers)
        self._problems = problems
        self._deadline = _WHOLE_CALL * timeout_seconds
        self._call_silence = timeout_seconds
        self._stream_silence = _STREAM_SILENCE
        make_lane = _lane_maker(base_url, timeout_seconds=timeout_seconds)
        self._calls = Lanes(make_lane, spare=_SPARE_CALLS)
        self._streams = Lanes(make_lane, spare=_SPARE_STREAMS)

    async def send(
        self, call: Call, path: str, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """The answer if it is a success; every other outcome is raised."""
        own = self._headers + _raw(headers) if headers else self._headers
        request = Outgoing(call.method, path, own, body, self._call_silence)
        lane = self._calls.take()
        try:
            with anyio.fail_after(self._deadline):
                response = await lane.begin(request)
                return await self._read(call, response)
        except (httpx.RequestError, TimeoutError) as error:
            raise self._problems.no_answer(call, error) from error
        finally:
            await self._calls.give_back(lane)

    @asynccontextmanager
    async def open_stream(
        self, call: Call, path: str, *, headers: Mapping[str, str], media_type: str | None = None
    ) -> AsyncIterator[StreamBody]:
        """The body of a successful answer while it comes; closed at the end, also in its middle."""
        request = Outgoing(call.method, path, self._headers + _raw(headers), None, self._stream_silence)
        lane = self._streams.take()
        try:
            response = await self._begin(call, lane, request, media_type=media_type)
            try:
                yield StreamBody(response, on_error=lambda error: self._problems.no_answer(call, error))
            finally:
                await response.aclose()
        finally:
            await self._streams.give_back(lane)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._calls.aclose()
        await self._streams.aclose()

    async def _begin(self, call: Call, lane: Lane, request: Outgoing, *, media_type: str | None) -> httpx.Response:
        try:
            with anyio.fail_after(self._deadline):
                response = await lane.begin(request)
                if response.is_success and media_type in (None, _media_type(response)):
                    return response
                answer = await self._read(call, response)
        except (httpx.RequestError, TimeoutError) as error:
            raise self._problems.no_answer(call, error) from error
        raise self._problems.broken(call, answer, f"it is no {media_type}")

    async def _read(self, call: Call, response: httpx.Response) -> Answer:
        size, chunks = 0, []
        try:
            async for chunk in response.aiter_bytes():
                chunks.append(chunk)
                size += len(chunk)
                if size > _LARGEST_ANSWER:
                    break
        finally:
            await response.aclose()
        answer = Answer(response.status_code, response.headers, b"".join(chunks))
        if not response.is_success:
            raise self._problems.refused(call, answer)
        if size > _LARGEST_ANSWER:
            raise self._problems.broken(call, answer, f"it has more than {_LARGEST_ANSWER} bytes")
        return answer


def _media_type(response: httpx.Response) -> str:
    media_type: str = response.headers.get("content-type", "")
    return media_type.partition(";")[0].strip().lower()


def _raw(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("ascii"), value.encode("utf-8")) for name, value in headers.items()]


def _lane_maker(base_url: str, *, timeout_seconds: float) -> Callable[[], Lane]:
    if base_url.startswith("http:"):
        return lambda: DirectLane(base_url, timeout_seconds=timeout_seconds, keep_seconds=_KEEP_ALIVE)
    make_transport = _transport_maker(base_url)
    return lambda: HttpxLane(make_transport(), base_url=base_url, timeout_seconds=timeout_seconds)


def _transport_maker(base_url: str) -> Callable[[], httpx.AsyncHTTPTransport]:
    """Transports share one TLS context: each of their own would cost 30 ms."""
    context = httpx.create_ssl_context()
    proxy = proxy_for(base_url)
    backend = GatheringBackend()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=_KEEP_ALIVE)

    def make() -> httpx.AsyncHTTPTransport:
        transport = httpx.AsyncHTTPTransport(verify=context, proxy=proxy, limits=limits, trust_env=False)
        transport._pool._network_backend = backend  # noqa: SLF001  httpx hands no backend on; tests see one write a request
        return transport

    try:
        make()
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        raise InputRefused(
            "the proxy of this machine's settings cannot be used", hint="name an http:// or https:// proxy, or none"
        ) from error
    return make
