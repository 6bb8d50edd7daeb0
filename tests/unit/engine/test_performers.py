import pytest

from orchestrate.core.effects import CancelRun, EndRun, LaunchAgent, LookUpAgent, SetTimer, WatchRun
from orchestrate.core.events import CancelAnswered, EffectFailed, Timer, TimerFired, TimerKind
from orchestrate.engine.inbox import Inbox
from orchestrate.engine.performers import Performers
from orchestrate.engine.timers import Timers
from orchestrate.errors import StorageFailed, WorkspaceDamaged
from orchestrate.text.redaction import REDACTED, Redactor
from tests.support.builders import a_launching_row, a_running_row, agent_of, run_of
from tests.support.engine_room import SECRET, TroubledService
from tests.support.virtual_time import LoopClock, virtually

CANCEL = CancelRun(task="a", agent_id=agent_of("a"), run_id=run_of("a"))


class Answering:
    """A launcher and watcher that answer with the name of what they were asked."""

    def __init__(self, error=None):
        self.error = error

    async def launch(self, effect):
        return self._answer("launch", effect)

    async def look_up(self, effect):
        return self._answer("look up", effect)

    async def watch(self, effect):
        return self._answer("watch", effect)

    def _answer(self, word, effect):
        if self.error is not None:
            raise self.error
        return EffectFailed(effect=word, message="", task=effect.row.name)


async def answers(effect, *, error=None):
    inbox, service, asked = Inbox(Redactor([SECRET])), TroubledService(), Answering(error)
    timers = Timers(LoopClock())
    performers = Performers(inbox=inbox, service=service, launcher=asked, watcher=asked, timers=timers)
    await performers.perform(effect)
    return await inbox.take_all()


@virtually
async def test_each_effect_has_its_performer():
    launching, running = a_launching_row(), a_running_row()
    assert [each.effect for each in await answers(LaunchAgent(row=launching))] == ["launch"]
    assert [each.effect for each in await answers(LookUpAgent(row=launching))] == ["look up"]
    assert [each.effect for each in await answers(WatchRun(row=running))] == ["watch"]
    assert [type(each) for each in await answers(CANCEL)] == [CancelAnswered]
    timer = Timer(TimerKind.GRACE)
    assert await answers(SetTimer(timer=timer, delay_seconds=5)) == [TimerFired(timer=timer)]


@pytest.mark.parametrize("effect", [LaunchAgent(row=a_launching_row()), WatchRun(row=a_running_row())])
def test_a_bug_is_answered_with_what_and_where(effect, capfd):
    @virtually
    async def perform():
        (event,) = await answers(effect, error=ValueError(f"a bug with {SECRET}"))
        assert (event.effect, event.task) == (type(effect).__name__, "a")
        assert event.message.startswith(f"ValueError('a bug with {REDACTED}') in test_performers.py:")

    perform()
    assert capfd.readouterr() == ("", "")


@virtually
async def test_an_error_of_ours_is_told_in_its_own_words():
    (event,) = await answers(WatchRun(row=a_running_row()), error=WorkspaceDamaged("handoffs/a.md is a symlink"))
    assert event == EffectFailed(effect="WatchRun", message="handoffs/a.md is a symlink", task="a")


@virtually
async def test_a_storage_that_fails_ends_the_engine():
    with pytest.raises(StorageFailed):
        await answers(WatchRun(row=a_running_row()), error=StorageFailed("no space left"))


@virtually
async def test_an_order_that_nobody_can_carry_out_is_a_bug_of_no_task():
    (event,) = await answers(EndRun(exit_code=0))
    assert (event.effect, event.task) == ("EndRun", None)


@virtually
async def test_a_bug_in_a_cancel_names_its_task():
    class Broken(TroubledService):
        async def cancel_run(self, agent_id, run_id):
            raise RuntimeError("a bug")

    inbox, asked = Inbox(Redactor()), Answering()
    performers = Performers(inbox=inbox, service=Broken(), launcher=asked, watcher=asked, timers=Timers(LoopClock()))
    await performers.perform(CANCEL)
    (event,) = await inbox.take_all()
    assert (event.effect, event.task) == ("CancelRun", "a")
