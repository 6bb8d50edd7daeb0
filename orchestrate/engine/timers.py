"""Timers: the core never sleeps, it asks to be told."""

from orchestrate.core.effects import SetTimer
from orchestrate.core.events import TimerFired
from orchestrate.ports import Clock


class Timers:
    """Waits on the engine's clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def wait(self, effect: SetTimer) -> TimerFired:
        """The timer's event when it is due."""
        await self._clock.sleep(effect.delay_seconds)
        return TimerFired(timer=effect.timer)
