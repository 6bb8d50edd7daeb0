import anyio
import pytest

from orchestrate.core.effects import (
    AnswerRequest,
    CancelRun,
    CheckPaths,
    CountSubtree,
    EndRun,
    LaunchAgent,
    LookForNamesakes,
    LookUpAgent,
    LookUpRefs,
    LookUpRuns,
    ReadGrant,
    SendFollowUp,
    SetTimer,
    TakeMeasurements,
    WatchRun,
    WriteAcceptance,
)
from orchestrate.core.events import CancelAnswered, EffectFailed, Timer, TimerFired, TimerKind
from orchestrate.core.ref_events import RefsSeen
from orchestrate.core.request_events import RequestAnswered
from orchestrate.core.service_events import NamesakesSeen
from orchestrate.engine.inbox import Inbox
from orchestrate.engine.performers import Performers
from orchestrate.engine.timers import Timers
from orchestrate.errors import StorageFailed, WorkspaceDamaged
from orchestrate.model.inbox_requests import InboxAnswer
from orchestrate.text.redaction import REDACTED, Redactor
from tests.support.builders import a_launching_row, a_running_row, agent_of, run_of
from tests.support.engine_room import SECRET, TroubledService
from tests.support.virtual_time import LoopClock, virtually

WRITE = WriteAcceptance(request="r", row=a_running_row(), branch="ana/a", by="ana", at="")
ANSWER = AnswerRequest(answer=InboxAnswer("r", is_done=True))
CANCEL = CancelRun(task="a", agent_id=agent_of("a"), run_id=run_of("a"))


class Answering:
    """A launcher and watcher that answer with the name of what they were asked."""

    def __init__(self, error=None):
        self.error = error

    async def launch(self, effect, *, durable):
        return self._answer("launch", effect)

    async def look_up(self, effect):
        return RefsSeen(refs=()) if isinstance(effect, LookUpRefs) else self._answer("look up", effect)

    async def watch(self, effect):
        return self._answer("watch", effect)

    async def write_acceptance(self, effect):
        return self._answer("write", effect)

    async def answer(self, effect):
        if self.error is not None:
            raise self.error
        return RequestAnswered(request=effect.answer.id)

    async def send(self, effect):
        return self._answer("send", effect)

    async def take(self, effect):
        return self._answer("take", effect)

    async def check(self, effect):
        return self._answer("check", effect)

    async def read(self, effect):
        return EffectFailed(effect="read", message="")

    async def count(self, effect):
        return EffectFailed(effect="count", message="")

    def _answer(self, word, effect):
        if self.error is not None:
            raise self.error
        return EffectFailed(effect=word, message="", task=effect.row.name)


def performers_of(inbox, service, asked):
    return Performers(
        inbox=inbox,
        service=service,
        launcher=asked,
        watcher=asked,
        timers=Timers(LoopClock()),
        clerk=asked,
        messenger=asked,
        path_checker=asked,
        ref_looker=asked,
        measurer=asked,
        grants=asked,
    )


def durable():
    """What says that the decision behind an effect is on the disk."""
    event = anyio.Event()
    event.set()
    return event


async def answers(effect, *, error=None):
    inbox, service, asked = Inbox(Redactor([SECRET])), TroubledService(), Answering(error)
    await performers_of(inbox, service, asked).perform(effect, durable())
    return await inbox.take_all()


@virtually
async def test_each_effect_has_its_performer():
    launching, running = a_launching_row(), a_running_row()
    assert [each.effect for each in await answers(LaunchAgent(row=launching))] == ["launch"]
    assert [each.effect for each in await answers(LookUpAgent(row=launching))] == ["look up"]
    assert [each.effect for each in await answers(WatchRun(row=running))] == ["watch"]
    assert [type(each) for each in await answers(CANCEL)] == [CancelAnswered]
    assert [each.effect for each in await answers(WRITE)] == ["write"]
    assert [each.effect for each in await answers(CheckPaths(row=running, allowed=(), forbidden=()))] == ["check"]
    assert [each.effect for each in await answers(TakeMeasurements(row=running, measurements=()))] == ["take"]
    assert [each.effect for each in await answers(LookUpRuns(row=running))] == ["look up"]
    assert [each.effect for each in await answers(ReadGrant(agent_id=running.agent_id))] == ["read"]
    count = CountSubtree(task="a", attempt=1, agent_id=running.agent_id)
    assert [each.effect for each in await answers(count)] == ["count"]
    assert [each.effect for each in await answers(SendFollowUp(row=running))] == ["send"]
    assert await answers(LookUpRefs(refs=())) == [RefsSeen(refs=())]
    assert await answers(LookForNamesakes(root_slug="shop", rows=())) == [NamesakesSeen()]
    assert await answers(ANSWER) == [RequestAnswered(request="r")]
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


@pytest.mark.parametrize(("effect", "task"), [(WRITE, "a"), (ANSWER, None)])
@virtually
async def test_a_bug_in_carrying_out_a_request_names_the_request(effect, task):
    (event,) = await answers(effect, error=RuntimeError("a bug"))
    assert (event.effect, event.task, event.request) == (type(effect).__name__, task, "r")


@virtually
async def test_an_error_of_ours_is_told_in_its_own_words():
    (event,) = await answers(WatchRun(row=a_running_row()), error=WorkspaceDamaged("handoffs/a.md is a symlink"))
    assert event == EffectFailed(effect="WatchRun", message="handoffs/a.md is a symlink", task="a")


@virtually
async def test_of_errors_side_by_side_the_first_is_told():
    error = ExceptionGroup("two tasks", [WorkspaceDamaged("handoffs/a.md is a symlink"), ValueError()])
    (event,) = await answers(WatchRun(row=a_running_row()), error=error)
    assert event.message == "handoffs/a.md is a symlink"


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

    inbox = Inbox(Redactor())
    await performers_of(inbox, Broken(), Answering()).perform(CANCEL, durable())
    (event,) = await inbox.take_all()
    assert (event.effect, event.task) == ("CancelRun", "a")


@pytest.mark.parametrize("effect", [LaunchAgent(row=a_launching_row()), WatchRun(row=a_running_row()), CANCEL])
@virtually
async def test_nothing_is_answered_before_the_decision_is_durable(effect):
    inbox, service, waiting = Inbox(Redactor()), TroubledService(), anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(performers_of(inbox, service, Answering()).perform, effect, waiting)
        with anyio.move_on_after(60):
            await inbox.take_all()
            raise AssertionError("answered")
        assert service.calls == []
        waiting.set()
        assert len(await inbox.take_all()) == 1
