import anyio

from orchestrate.core.events import RunStalled, RunStirred
from orchestrate.engine.inbox import Inbox
from orchestrate.engine.silence import Silence
from orchestrate.engine.view import ActivityView
from orchestrate.model.timestamps import to_timestamp
from orchestrate.model.wire import Frame
from orchestrate.text.redaction import Redactor
from tests.support.builders import a_running_row, moment, run_of
from tests.support.virtual_time import LoopClock, virtually

WORDS = Frame("1", "assistant", {"text": "hm"})


class Lookout:
    """Watches one run's silence."""

    def __init__(self, row):
        self.row, self.clock = row, LoopClock()
        self.inbox, self.view = Inbox(Redactor()), ActivityView(Redactor())
        self.silence = Silence(clock=self.clock, inbox=self.inbox, view=self.view)

    @property
    def told(self):
        return list(self.inbox._events)

    def shows_activity(self):
        self.view.saw(self.row.name, WORDS, at=self.clock.monotonic())
        self.silence.stirred(self.row.name)

    async def during(self, happens):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.silence.run)
            self.view.began(self.row.name, at=self.clock.monotonic())
            with self.silence.watching(self.row):
                await happens()
            tasks.cancel_scope.cancel()


@virtually
async def test_a_long_silence_is_told_once():
    lookout = Lookout(a_running_row())
    now = lookout.clock.now()

    async def happens():
        lookout.shows_activity()
        await anyio.sleep(1790)
        assert lookout.told == []
        await anyio.sleep(10_000)

    await lookout.during(happens)
    since = to_timestamp(now)
    assert lookout.told == [
        RunStalled(task="a", run_id=run_of("a"), since=since, last_activity="writing its reply"),
    ]


@virtually
async def test_a_silence_that_ends_is_told_once_and_may_come_again():
    lookout = Lookout(a_running_row())

    async def happens():
        for _ in range(2):
            await anyio.sleep(1831)
            lookout.shows_activity()
            lookout.shows_activity()

    await lookout.during(happens)
    assert [type(event) for event in lookout.told] == [RunStalled, RunStirred] * 2


@virtually
async def test_silences_of_minutes_are_not_told():
    lookout = Lookout(a_running_row())

    async def happens():
        for _ in range(10):
            await anyio.sleep(1700)
            lookout.shows_activity()

    await lookout.during(happens)
    assert lookout.told == []


@virtually
async def test_a_silence_that_a_former_engine_told_is_not_told_again_and_ends_with_activity():
    lookout = Lookout(a_running_row(stalled_since=moment(-3600)))

    async def happens():
        await anyio.sleep(4000)
        assert lookout.told == []
        lookout.shows_activity()

    await lookout.during(happens)
    assert lookout.told == [RunStirred(task="a", run_id=run_of("a"))]


@virtually
async def test_the_history_at_the_start_of_a_stream_does_not_end_an_old_silence():
    lookout = Lookout(a_running_row(stalled_since=moment(-3600)))

    async def happens():
        lookout.shows_activity()
        await anyio.sleep(60)

    await lookout.during(happens)
    assert lookout.told == []


@virtually
async def test_a_run_that_ended_while_it_was_silent_says_nothing_of_the_next():
    lookout = Lookout(a_running_row())

    async def happens():
        await anyio.sleep(2000)

    await lookout.during(happens)
    await lookout.during(happens)
    assert [type(event) for event in lookout.told] == [RunStalled, RunStalled]


@virtually
async def test_a_run_without_a_view_is_passed_over():
    lookout = Lookout(a_running_row())

    async def happens():
        lookout.view.ended("a")
        await anyio.sleep(2000)

    await lookout.during(happens)
    assert lookout.told == []
