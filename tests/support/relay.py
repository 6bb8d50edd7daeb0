"""A relay between a client and a server on this machine: it notes the heads of requests and can cut streams.

::

    with relay_to(server.port) as relay:
        ...                                   # the client talks to relay.url
        relay.cut_streams()
        assert relay.heads("/stream")[1]["last-event-id"] == "7"
"""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

_HEAD = re.compile(rb"(?:GET|POST|DELETE) (\S+) HTTP/1\.1\r\n((?:[^\r\n]+\r\n)*)\r\n")


@dataclass
class Relay:
    """Passes bytes on, but for the Host header, which has to name the server."""

    server_port: int
    listener: socket.socket
    #: Path and headers of every request, in the order in which they came.
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    _streams: list[socket.socket] = field(default_factory=list)
    _open: list[socket.socket] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def heads(self, path_end: str) -> list[dict[str, str]]:
        """Headers of the requests whose path ends so."""
        with self._lock:
            return [headers for path, headers in self.requests if path.partition("?")[0].endswith(path_end)]

    def cut_streams(self) -> None:
        """Break every connection that carries a stream, from both sides."""
        with self._lock:
            streams, self._streams = self._streams, []
        for connection in streams:
            _close(connection)

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.server_port))
                with self._lock:
                    self._open += [client, server]
                threading.Thread(target=self._upward, args=(client, server), daemon=True).start()
                threading.Thread(target=_pump, args=(server, client), daemon=True).start()

    def close(self) -> None:
        _close(self.listener)
        for connection in self._open:
            _close(connection)

    def _upward(self, client: socket.socket, server: socket.socket) -> None:
        own, theirs = self.url.removeprefix("http://").encode(), f"127.0.0.1:{self.server_port}".encode()
        with suppress(OSError):
            while data := client.recv(65536):
                self._note(data, client)
                server.sendall(data.replace(own, theirs, 1))
        _close(server)

    def _note(self, data: bytes, client: socket.socket) -> None:
        for found in _HEAD.finditer(data):
            lines = [line.partition(": ") for line in found[2].decode().splitlines()]
            path, headers = found[1].decode(), {name.lower(): value for name, _, value in lines}
            with self._lock:
                self.requests.append((path, headers))
                if path.endswith("/stream"):
                    self._streams.append(client)


@contextmanager
def relay_to(port: int) -> Iterator[Relay]:
    """The relay while it listens."""
    relay = Relay(port, socket.create_server(("127.0.0.1", 0)))
    thread = threading.Thread(target=relay.serve, daemon=True)
    thread.start()
    try:
        yield relay
    finally:
        relay.close()
        thread.join()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    _close(sink)


def _close(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
