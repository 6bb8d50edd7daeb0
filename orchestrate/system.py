"""The machine's clock and processes; the one place that asks the operating system for them."""

import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio


class SystemClock:
    """The real time."""

    def now(self) -> float:
        """Seconds since 1970; may jump when the machine's clock is set."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that never go back; only differences mean anything."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait so long."""
        await anyio.sleep(seconds)


def sleep_blocking(seconds: float) -> None:
    """Wait so long in code that has no event loop; everything else in the process goes on only in other threads."""
    time.sleep(seconds)


def spawn_detached(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.DEVNULL,
    stderr: int = subprocess.DEVNULL,
) -> int:
    """Start a program in a session of its own that lives on when this process ends; answers its process id.

    The streams are file descriptors. A thread waits for the program, so that its end leaves no zombie behind.
    """
    process = subprocess.Popen(
        list(argv), env=dict(env), cwd=cwd, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
    )
    threading.Thread(target=process.wait, name=f"waits for {process.pid}", daemon=True).start()
    return process.pid
