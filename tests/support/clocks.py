"""Clocks for tests of what happens at a moment, without an event loop of their own."""

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
