"""Lanes to a server on this machine: plain HTTP/1.1 over one socket, with nothing between it and the engine.

A request over httpx and httpcore costs ten times the CPU of its two system calls, and stands twice on the way from a
task's end to the launch of its dependant. What they do for it is little: there is no encryption, no proxy, no redirect,
and one request at a time. Failures are httpx's own, so that nobody above has to tell the lanes apart.
"""

import select
from collections.abc import AsyncIterator

import anyio
import anyio.abc
import httpx

from orchestrate.cloud.answer_parser import AnswerParser
from orchestrate.cloud.lanes import Outgoing, require_method

#: Bytes that are read at a time.
_CHUNK = 64 * 1024
_FORBIDDEN = (b"\r", b"\n", b"\0")


class DirectLane:
    """One request at a time to one address; its connection is kept as long as both sides agree to it."""

    def __init__(self, base_url: str, *, timeout_seconds: float, keep_seconds: float) -> None:
        url = httpx.URL(base_url)
        self._host, self._port = url.host, url.port or 80
        self._root = url.raw_path.rstrip(b"/")
        self._host_line = b"Host: " + url.netloc
        self._timeout_seconds = timeout_seconds
        self._keep_seconds = keep_seconds
        self._connection: _Connection | None = None

    async def begin(self, request: Outgoing) -> httpx.Response:
        """The answer's head; its body comes with reading, and closing it ends the request."""
        require_method(request)
        data = self._written(request)
        connection = await self._connected()
        parser = AnswerParser()
        try:
            await connection.ask(data, parser, seconds=self._timeout_seconds, silence_seconds=request.silence_seconds)
        except BaseException:
            await connection.aclose()
            raise
        body = _Body(connection, parser, seconds=request.silence_seconds)
        return httpx.Response(parser.status, headers=parser.headers, stream=body)

    async def aclose(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await self._connection.aclose()

    def _written(self, request: Outgoing) -> bytes:
        path = self._root + request.path.encode("ascii")
        lines = [b"%s %s HTTP/1.1" % (request.method.encode(), path), self._host_line]
        lines += [name + b": " + value for name, value in request.headers]
        if request.method == "POST":
            lines.append(b"Content-Length: %d" % len(request.body or b""))
        if any(each in line for line in lines for each in _FORBIDDEN):
            raise httpx.LocalProtocolError("a header holds the end of a line")
        return b"\r\n".join((*lines, b"", request.body or b""))

    async def _connected(self) -> "_Connection":
        """The connection of the request before if it can still be used, else a new one."""
        if self._connection is not None:
            if self._connection.is_usable(self._keep_seconds):
                return self._connection
            await self._connection.aclose()
        self._connection = None
        try:
            with anyio.fail_after(self._timeout_seconds):
                stream = await anyio.connect_tcp(self._host, self._port)
        except TimeoutError as error:
            raise httpx.ConnectTimeout("no connection in time") from error
        except OSError as error:
            raise httpx.ConnectError(str(error)) from error
        self._connection = _Connection(stream)
        return self._connection


class _Connection:
    """An open socket."""

    def __init__(self, stream: anyio.abc.SocketStream) -> None:
        self._stream = stream
        self._socket = stream.extra(anyio.abc.SocketAttribute.raw_socket)  # noqa: S610  anyio's, no query
        self._look = select.poll()
        self._look.register(self._socket, select.POLLIN)
        self._used_at = anyio.current_time()
        self._is_open = True

    def is_usable(self, keep_seconds: float) -> bool:
        """Whether it is open, young, and silent: something to be read that nobody asked for is its end."""
        if not self._is_open or anyio.current_time() - self._used_at > keep_seconds:
            return False
        return self._socket.fileno() >= 0 and not self._look.poll(0)

    async def ask(self, data: bytes, parser: AnswerParser, *, seconds: float, silence_seconds: float) -> None:
        """Send the request and read the answer's head; one scope for both, for there are three calls a task."""
        is_sent = False
        try:
            with anyio.fail_after(seconds) as scope:
                await self._send(data)
                is_sent = True
                while not parser.has_head:
                    scope.deadline = anyio.current_time() + silence_seconds
                    await self._receive(parser)
        except TimeoutError as error:
            if is_sent:
                raise _silent() from error
            raise httpx.WriteTimeout("the server does not take the request") from error

    async def receive(self, parser: AnswerParser, *, seconds: float) -> None:
        """Hand the parser what comes next, or the end."""
        try:
            with anyio.fail_after(seconds):
                await self._receive(parser)
        except TimeoutError as error:
            raise _silent() from error

    async def _send(self, data: bytes) -> None:
        try:
            await self._stream.send(data)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise httpx.WriteError("the connection broke") from error

    async def _receive(self, parser: AnswerParser) -> None:
        try:
            data = await self._stream.receive(_CHUNK)
        except anyio.EndOfStream:
            parser.end()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise httpx.ReadError("the connection broke") from error
        else:
            parser.feed(data)

    def rest(self) -> None:
        """Nobody uses it from now on."""
        self._used_at = anyio.current_time()

    async def aclose(self) -> None:
        if self._is_open:
            self._is_open = False
            with anyio.CancelScope(shield=True):
                await self._stream.aclose()


def _silent() -> httpx.ReadTimeout:
    return httpx.ReadTimeout("the server says nothing")


class _Body(httpx.AsyncByteStream):
    """The body of one answer as it comes."""

    def __init__(self, connection: _Connection, parser: AnswerParser, *, seconds: float) -> None:
        self._connection = connection
        self._parser = parser
        self._seconds = seconds

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parser = self._parser
        while parser.pieces or not parser.is_over:
            if parser.pieces:
                yield parser.take()
            else:
                await self._connection.receive(parser, seconds=self._seconds)

    async def aclose(self) -> None:
        """The connection is kept only if the answer was read to its end."""
        if self._parser.leaves_connection_open:
            self._connection.rest()
        else:
            await self._connection.aclose()
