"""What a server must have before it can serve: its folder to itself, a port, a log."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from orchestrate.errors import InputRefused
from orchestrate.server.private_files import write_private
from orchestrate.server.state import StateFolder

_LARGEST_LOG_BYTES = 10_000_000
_BACKLOG = 1024


@contextmanager
def sole_server(folder: StateFolder) -> Iterator[None]:
    """Be the only server of the folder; raises InputRefused if there is one."""
    descriptor = os.open(folder.server_lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputRefused(
                f"a server already works in {folder.root}", hint="see `orchestrate server status`"
            ) from error
        yield
    finally:
        os.close(descriptor)


def listen(folder: StateFolder, *, port: int) -> socket.socket:
    """A listening socket: on the port asked for, else on the one that agents of the last server know, else on any."""
    if port:
        return _bind(port)
    try:
        listener = _bind(_remembered_port(folder))
    except InputRefused:
        listener = _bind(0)
    write_private(folder.port, str(listener.getsockname()[1]).encode())
    return listener


def open_log(path: Path) -> TextIO:
    """The log, to be added to; one that has grown large is put aside first."""
    if path.exists() and path.stat().st_size > _LARGEST_LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    path.touch(mode=0o600)
    return path.open("a", encoding="utf-8", buffering=1)


def _remembered_port(folder: StateFolder) -> int:
    try:
        return int(folder.port.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0


def _bind(port: int) -> socket.socket:
    # asyncio switches Nagle's algorithm off only where the protocol is named; with it, frames wait for 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        raise InputRefused(
            f"the server cannot listen on 127.0.0.1:{port}: {getattr(error, 'strerror', None) or error}",
            hint="leave out --port, or name a free one",
        ) from error
    return listener
