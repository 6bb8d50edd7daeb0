"""Whether a process lives: by the lock that it holds, or by its number, told from another one that got it later."""

import fcntl
import os
import sys
from pathlib import Path

import psutil

#: Two readings of one process's start by the clock differ by rounding only.
_CLOCK_TOLERANCE_SECONDS = 3.0
_STATE_FIELD = 0
_START_FIELD = 19


def process_start(pid: int) -> float | None:
    """When the process was started; None if it has ended.

    On Linux in ticks since boot, which no change of the clock moves; elsewhere in seconds since 1970.
    """
    return _start_ticks(pid) if sys.platform == "linux" else _start_seconds(pid)


def is_same_process(pid: int, *, started: float) -> bool:
    """Whether the process that was started then still runs."""
    now = process_start(pid)
    if now is None:
        return False
    return now == started if sys.platform == "linux" else abs(now - started) <= _CLOCK_TOLERANCE_SECONDS


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock of that file; asked with a shared lock that is given back at once."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _start_ticks(pid: int) -> float | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[_STATE_FIELD] in (b"Z", b"X") else float(fields[_START_FIELD])


def _start_seconds(pid: int) -> float | None:
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else float(process.create_time())
    except (psutil.Error, ValueError):
        return None
