"""The machine's clock and processes; the one place that asks the operating system for them."""

import signal
import subprocess
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TypeVar

import anyio

#: Nothing to read, and nobody who reads: what anyio takes for the streams of a process.
DEVNULL = subprocess.DEVNULL

_Result = TypeVar("_Result")


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


def run_event_loop(main: Callable[[], Awaitable[_Result]]) -> _Result:
    """Run an async function to its end; on uvloop where that can be loaded, which takes a quarter off a run's CPU."""
    return anyio.run(main, backend_options={"use_uvloop": _has_uvloop()})


def sleep_blocking(seconds: float) -> None:
    """Wait so long in code that has no event loop; everything else in the process goes on only in other threads."""
    time.sleep(seconds)


def spawn_detached(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    stdin: int = DEVNULL,
    stdout: int = DEVNULL,
    stderr: int = DEVNULL,
) -> int:
    """Start a program in a session of its own that lives on when this process ends; answers its process id.

    The streams are file descriptors. A thread waits for the program, so that its end leaves no zombie behind.
    """
    process = subprocess.Popen(
        list(argv), env=dict(env), cwd=cwd, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
    )
    threading.Thread(target=process.wait, name=f"waits for {process.pid}", daemon=True).start()
    return process.pid


def run_to_end(argv: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> tuple[int, str]:
    """Run a program without input; answers its exit status and all that it said."""
    finished = subprocess.run(
        list(argv),
        env=dict(env),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return finished.returncode, finished.stdout


def run_in_foreground(argv: Sequence[str]) -> int:
    """Run a program on this terminal and answer its exit status, 128 and the signal's number where one ended it.

    A Ctrl-C reaches the program as well and a SIGTERM is handed on: what follows from them is the program's to say.
    """
    process = subprocess.Popen(list(argv))
    previous = signal.signal(signal.SIGTERM, lambda number, _frame: process.send_signal(number))
    try:
        status = _wait_through_interrupts(process)
    finally:
        signal.signal(signal.SIGTERM, previous)
    return status if status >= 0 else 128 - status


def _has_uvloop() -> bool:
    """Whether the import works: the package may be there and built for another interpreter."""
    try:
        import_module("uvloop")
    except ImportError:
        return False
    return True


def _wait_through_interrupts(process: subprocess.Popen[bytes]) -> int:
    while True:
        with suppress(KeyboardInterrupt):
            return process.wait()
