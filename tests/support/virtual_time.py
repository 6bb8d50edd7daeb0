"""A clock that jumps: an event loop that, instead of waiting, moves its time to the next timer.

Use it for tests without sockets, processes and threads: hours of waiting pass in milliseconds. A loop that has nothing to do
and no timer would wait for ever; here it fails at once and says so.
"""

import asyncio
import functools
import selectors

import anyio


class _JumpingSelector(selectors.DefaultSelector):
    """Where the loop would wait for a timer, the time jumps to it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000_000.0

    def select(self, timeout=None):
        ready = super().select(0)
        if ready:
            return ready
        if timeout is None:
            raise RuntimeError("deadlock: nothing runs and no timer is set")
        self.now += timeout
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """The event loop of tests under virtual time."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


class LoopClock:
    """The Clock port on the running loop's time."""

    def now(self) -> float:
        return 1_767_225_600.0 + self.monotonic()

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)


def run(main):
    """Run a coroutine function under virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main())


def virtually(test):
    """Have an async test run under virtual time."""

    @functools.wraps(test)
    def run_virtually(**fixtures):
        run(lambda: test(**fixtures))

    return run_virtually
