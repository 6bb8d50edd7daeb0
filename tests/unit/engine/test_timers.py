from orchestrate.core.effects import SetTimer
from orchestrate.core.events import Timer, TimerFired, TimerKind
from orchestrate.engine.timers import Timers
from tests.support.virtual_time import LoopClock, virtually


@virtually
async def test_a_timer_fires_when_it_is_due():
    clock, timer = LoopClock(), Timer(TimerKind.DEADLINE, "a", 2)
    began_at = clock.monotonic()
    event = await Timers(clock).wait(SetTimer(timer=timer, delay_seconds=7200))
    assert event == TimerFired(timer=timer)
    assert clock.monotonic() - began_at == 7200
