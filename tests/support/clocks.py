"""Clocks for tests of what happens at a moment, without an event loop of their own."""

import anyio.lowlevel

from tests.support.builders import START


class StoppedClock:
    """The moment at which a test's day begins; only sleeping lets time pass, and nothing waits."""

    def __init__(self) -> None:
        self.seconds = START

    def now(self) -> float:
        return self.seconds

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds


class TickingClock(StoppedClock):
    """Time that passes by sleeping; real turns of the loop, no real waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.sleeps = 0

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        self.sleeps += 1
        await anyio.lowlevel.checkpoint()
