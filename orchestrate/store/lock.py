"""``.lock``: the one engine that may write a workspace.

The lock is the kernel's (``flock``): it ends with its process, however that ends, and nobody steals it. The file is
never unlinked, or two engines could lock two files. Its content is for messages, and for engines on another host, whose
lock a network disk may not show: while their beat is younger than a minute they are believed to be alive.
"""

import fcntl
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import orjson

from orchestrate.errors import InputRefused
from orchestrate.model.names import EngineId, Timestamp
from orchestrate.model.timestamps import epoch_seconds, to_timestamp
from orchestrate.store.files import Folder, failure

LOCK = ".lock"
#: How often the holder renews its beat.
BEAT_SECONDS = 5.0
#: A beat of another host that is older says that its engine is gone.
BEAT_EXPIRES_SECONDS = 60.0

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds, or held, the lock."""

    engine: EngineId
    host: str
    boot_id: str
    pid: int
    since: Timestamp
    beat: Timestamp

    @property
    def is_here(self) -> bool:
        """True if this machine ran it, so that the kernel's lock tells the truth about it."""
        return self.host == _host()

    def has_fresh_beat(self, now: float) -> bool:
        """True while a holder that we cannot see is believed to be alive."""
        beat = epoch_seconds(self.beat)
        return beat is not None and abs(now - beat) < BEAT_EXPIRES_SECONDS

    def described(self) -> str:
        """``pid 4121, since 14:02``, with the host where it is another one."""
        since = epoch_seconds(self.since)
        clock = "an unknown time" if since is None else f"{datetime.fromtimestamp(since, UTC).astimezone():%H:%M}"
        where = "" if self.is_here else f"host {self.host}, "
        return f"{where}pid {self.pid}, since {clock}"


class WorkspaceLock:
    """The right to write a workspace, from ``acquire`` to ``release``."""

    def __init__(self, folder: Folder, *, engine: EngineId) -> None:
        self._folder = folder
        self._engine = engine
        self._descriptor: int | None = None
        self._holder: Holder | None = None

    def acquire(self, now: float) -> None:
        """Take the lock or refuse at once; a reader that asks who holds it may be in the way for a moment."""
        descriptor = _locked(self._folder)
        if descriptor is None:
            raise taken(self._folder, read_holder(self._folder))
        former = _parsed(os.pread(descriptor, 4096, 0))
        if former is not None and not former.is_here and former.has_fresh_beat(now):
            os.close(descriptor)
            raise taken(self._folder, former)
        self._descriptor = descriptor
        moment = to_timestamp(now)
        try:
            self._write(Holder(self._engine, _host(), _boot_id(), os.getpid(), since=moment, beat=moment))
        except BaseException:
            self.release()
            raise

    def beat(self, now: float) -> None:
        """Say that the holder is alive; wanted every ``BEAT_SECONDS``."""
        if self._holder is not None:
            self._write(replace(self._holder, beat=to_timestamp(now)))

    def release(self) -> None:
        """Give the lock back; the emptied file says that the holder left in order."""
        descriptor, self._descriptor, self._holder = self._descriptor, None, None
        if descriptor is None:
            return
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
        os.close(descriptor)

    def _write(self, holder: Holder) -> None:
        assert self._descriptor is not None, "the lock is not held"
        document = {
            "engine": holder.engine,
            "host": holder.host,
            "bootId": holder.boot_id,
            "pid": holder.pid,
            "since": holder.since,
            "beat": holder.beat,
        }
        data = orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
        try:
            os.pwrite(self._descriptor, data, 0)
            os.ftruncate(self._descriptor, len(data))
            os.fsync(self._descriptor)
        except OSError as error:
            raise failure(error, self._folder.path / LOCK) from error
        self._holder = holder


@contextmanager
def waited_lock(folder: Folder, name: str) -> Iterator[None]:
    """Hold the lock of this file, after whoever holds it now; the kernel frees it with its process."""
    descriptor = folder.open(name, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def read_holder(folder: Folder) -> Holder | None:
    """Who stands in the lock file, alive or not; None after an orderly end."""
    return _parsed(folder.read(LOCK) or b"")


def living_holder(folder: Folder, *, now: float) -> Holder | None:
    """The engine that runs this workspace now, for readers.

    On this machine the kernel knows. It is asked with a shared lock that is given back at once; an engine that starts in
    that very moment tries again.
    """
    holder = read_holder(folder)
    if holder is None:
        return None
    if not holder.is_here:
        return holder if holder.has_fresh_beat(now) else None
    with folder.opened(LOCK, os.O_RDONLY) as descriptor:
        return None if _flock(descriptor, fcntl.LOCK_SH) else holder


def taken(folder: Folder, holder: Holder | None) -> InputRefused:
    """The refusal to a second engine."""
    who = "" if holder is None else f" ({holder.described()})"
    watch = f"orchestrate watch {shlex.quote(str(folder.path))}"
    return InputRefused(f"an engine already runs this workspace{who}.", hint=watch)


def _locked(folder: Folder) -> int | None:
    """A descriptor that holds the lock of the file that is there now; None if somebody else holds it."""
    while True:
        descriptor = folder.open(LOCK, os.O_RDWR | os.O_CREAT)
        try:
            is_ours = _flock(descriptor, fcntl.LOCK_EX)
            if is_ours and _is_still_there(folder, descriptor):
                return descriptor
        except OSError as error:
            os.close(descriptor)
            raise failure(error, folder.path / LOCK) from error
        os.close(descriptor)
        if not is_ours:
            return None


def _flock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_still_there(folder: Folder, descriptor: int) -> bool:
    """Somebody may have removed the file between our opening and locking it."""
    try:
        with folder.opened(LOCK, os.O_RDONLY) as other:
            return os.path.sameopenfile(descriptor, other)
    except FileNotFoundError:
        return False


def _parsed(data: bytes) -> Holder | None:
    try:
        document = orjson.loads(data)
        return Holder(
            engine=EngineId(str(document["engine"])),
            host=str(document["host"]),
            boot_id=str(document["bootId"]),
            pid=int(document["pid"]),
            since=Timestamp(str(document["since"])),
            beat=Timestamp(str(document["beat"])),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _host() -> str:
    return os.uname().nodename


def _boot_id() -> str:
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""
