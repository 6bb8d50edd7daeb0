"""A loopback server that answers each request with scripted bytes and remembers what it was sent."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import SocketAttribute, SocketStream


@dataclass
class Request:
    """One request as it came."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass
class ScriptedServer:
    """``script`` gives, for each request, the pieces to send; None in their place closes the connection."""

    script: Callable[[Request], Sequence[bytes | None]]
    url: str = ""
    requests: list[Request] = field(default_factory=list)
    connections: int = 0

    async def serve(self, stream: SocketStream) -> None:
        """Answer one connection until either side closes it."""
        self.connections += 1
        async with stream:
            unread = b""
            while True:
                try:
                    request, unread = await _read_request(stream, unread)
                except (anyio.EndOfStream, anyio.BrokenResourceError):
                    return
                self.requests.append(request)
                for piece in self.script(request):
                    if piece is None:
                        return
                    await stream.send(piece)


@asynccontextmanager
async def serving(script: Callable[[Request], Sequence[bytes | None]]) -> AsyncIterator[ScriptedServer]:
    """The server while it listens on a free port of 127.0.0.1."""
    server = ScriptedServer(script)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    server.url = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"
    async with listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, server.serve)
        yield server
        group.cancel_scope.cancel()


def answer(status: int, body: bytes = b"", **headers: str) -> bytes:
    """A whole answer with its length."""
    fields = {"content-length": str(len(body)), **{name.replace("_", "-"): value for name, value in headers.items()}}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} Scripted\r\n{head}\r\n".encode() + body


STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
STREAM_END = b"0\r\n\r\n"


def chunk(text: str) -> bytes:
    """One piece of a streamed body."""
    data = text.encode()
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


async def _read_request(stream: SocketStream, unread: bytes) -> tuple[Request, bytes]:
    while b"\r\n\r\n" not in unread:
        unread += await stream.receive()
    head, _, unread = unread.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", "0"))
    while len(unread) < length:
        unread += await stream.receive()
    return Request(method, target, headers, unread[:length]), unread[length:]
