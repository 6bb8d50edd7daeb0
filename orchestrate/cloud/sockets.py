"""Connections for the transports: a request leaves in one write, and whether the other side hung up is asked cheaply.

httpcore writes the head of a request and its body one after the other, which is two packets, and a server that wakes up
twice. It also looks at the connection twice for each request, whether there is something to be read that nobody asked
for: then the other side has closed it. Its own look gathers all that is known of the connection each time.
"""

import select
import ssl
from collections.abc import Iterable
from typing import Any

import httpcore

#: A larger body is not gathered: it would only be copied.
_GATHERED_BYTES = 64 * 1024


class GatheringBackend(httpcore.AsyncNetworkBackend):
    """Opens such connections."""

    def __init__(self) -> None:
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  httpcore has it so
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to this address."""
        inner = await self._inner.connect_tcp(host, port, timeout, local_address, socket_options)
        return GatheringStream(inner)

    async def sleep(self, seconds: float) -> None:
        """Wait before another try."""
        await self._inner.sleep(seconds)


class GatheringStream(httpcore.AsyncNetworkStream):
    """What is written leaves with the empty write at a request's end, or before anything is read."""

    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner = inner
        self._waiting: list[bytes] = []
        self._size = 0
        self._look: select.poll | None = None
        self._socket: Any = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  httpcore has it so
        """The next bytes; none at the end."""
        if self._waiting:
            await self._flush(timeout)
        return await self._inner.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109  httpcore has it so
        """Take these bytes; an empty write sends what has gathered."""
        if buffer:
            self._waiting.append(buffer)
            self._size += len(buffer)
        if self._waiting and (not buffer or self._size > _GATHERED_BYTES):
            await self._flush(timeout)

    async def aclose(self) -> None:
        """Close the connection; what was not sent is not sent any more."""
        self._waiting.clear()
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  httpcore has it so
    ) -> httpcore.AsyncNetworkStream:
        """The same connection, encrypted from now on."""
        return GatheringStream(await self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """What httpcore wants to know of the connection."""
        return self._is_readable() if info == "is_readable" else self._inner.get_extra_info(info)

    async def _flush(self, timeout: float | None) -> None:  # noqa: ASYNC109  passed on
        data = b"".join(self._waiting)
        self._waiting.clear()
        self._size = 0
        await self._inner.write(data, timeout)

    def _is_readable(self) -> bool:
        if self._look is None:
            self._socket = self._inner.get_extra_info("socket")
            self._look = select.poll()
            self._look.register(self._socket, select.POLLIN)
        return self._socket.fileno() < 0 or bool(self._look.poll(0))
