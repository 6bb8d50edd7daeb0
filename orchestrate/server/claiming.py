"""What a server must have before it can serve: its folder to itself, a port, a log."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import orjson

import orchestrate
from orchestrate.errors import InputRefused
from orchestrate.server.private_files import write_private
from orchestrate.server.processes import is_locked, process_start
from orchestrate.server.state import StateFolder
from orchestrate.system import sleep_blocking

_LARGEST_LOG_BYTES = 10_000_000
_BACKLOG = 1024
_TRIES = 5
_TRY_AGAIN_SECONDS = 0.02


class FolderLock:
    """The lock of a folder, held; its file says who holds it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    def tell(self, content: bytes) -> None:
        """Have the file say this and nothing else."""
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, content, 0)

    def tells(self, content: bytes) -> bool:
        """Whether the file says exactly this."""
        return os.pread(self._descriptor, len(content) + 1, 0) == content

    def is_in_place(self) -> bool:
        """Whether others who want the lock meet this one; not so once its file was removed or replaced."""
        try:
            return os.path.samestat(self._path.stat(), os.fstat(self._descriptor))
        except OSError:
            return False


@contextmanager
def sole_server(folder: StateFolder) -> Iterator[FolderLock]:
    """Be the only server of the folder; raises InputRefused if there is one."""
    descriptor = os.open(folder.server_lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    lock = FolderLock(folder.server_lock, descriptor)
    try:
        if not _try_to_lock(descriptor):
            raise InputRefused(f"a server already works in {folder.root}", hint="see `orchestrate server status`")
        started = process_start(os.getpid()) or 0
        lock.tell(orjson.dumps({"pid": os.getpid(), "started": started, "version": orchestrate.__version__}))
        try:
            yield lock
        finally:
            lock.tell(b"")
    finally:
        os.close(descriptor)


def is_held(folder: StateFolder) -> bool:
    """Whether a server has the folder to itself now."""
    return is_locked(folder.server_lock)


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


def _try_to_lock(descriptor: int) -> bool:
    """True once the lock is ours; somebody who only looks whether it is held lets go of it at once."""
    for _ in range(_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sleep_blocking(_TRY_AGAIN_SECONDS)
        else:
            return True
    return False


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
