from contextlib import ExitStack

import anyio
import pytest

from orchestrate.engine.polling import Poller
from orchestrate.errors import Unavailable
from orchestrate.model.vocabulary import RunStatus
from tests.support.builders import agent_of
from tests.support.engine_room import TroubledService, request_body
from tests.support.virtual_time import LoopClock, virtually


class Round:
    """A poller and a service with runs."""

    def __init__(self, count=1, **options):
        self.service, self.clock = TroubledService(), LoopClock()
        self.poller = Poller(self.service, clock=self.clock, **options)
        self.names = [f"t-{number}" for number in range(count)]
        created = [self.service._create(request_body(name), name) for name in self.names]
        self.keys = [(each.agent.id, each.run.id) for each in created]
        self.ended = []
        self.watched = {}
        self.began_at = self.clock.monotonic()

    @property
    def looks(self):
        """Seconds at which runs were asked for."""
        return [moment - self.began_at for name, moment in self.service.moments if name == "get_run"]

    def watching(self, *keys):
        stack = ExitStack()
        for key in keys or self.keys:
            self.watched[key] = stack.enter_context(self.poller.watching(key, on_terminal=self.ended.append))
        return stack

    async def during(self, happens):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.poller.run)
            await happens()
            tasks.cancel_scope.cancel()


@virtually
async def test_a_run_is_looked_at_every_ten_seconds():
    polled = Round()

    async def happens():
        with polled.watching():
            await anyio.sleep(45)

    await polled.during(happens)
    assert polled.looks == [10, 20, 30, 40]
    assert polled.ended == []


@virtually
async def test_the_end_of_a_run_is_told_to_its_watcher():
    polled = Round(2, seconds_a_run=1)
    polled.service.end_run(agent_of("t-1"), result="done")

    async def happens():
        with polled.watching():
            await anyio.sleep(12)

    await polled.during(happens)
    assert [(run.agent_id, run.status) for run in polled.ended] == [(agent_of("t-1"), RunStatus.FINISHED)]


@virtually
async def test_a_round_over_many_runs_is_stretched_to_keep_the_rate():
    polled = Round(100)

    async def happens():
        with polled.watching():
            assert polled.poller.stretch == 60
            await anyio.sleep(6000)

    await polled.during(happens)
    assert len(polled.looks) == pytest.approx(1000, abs=100)
    about = [about for name, about in polled.service.calls if name == "get_run"]
    assert set(about) == {run_id for _, run_id in polled.keys}


@virtually
async def test_a_look_that_is_not_answered_is_left_to_the_next_round():
    polled = Round()
    polled.service.fail_next("get_run", Unavailable("503"))
    polled.service.end_run(agent_of("t-0"))

    async def happens():
        with polled.watching():
            await anyio.sleep(21)

    await polled.during(happens)
    assert polled.looks == [10, 20]
    assert len(polled.ended) == 1


@virtually
async def test_nothing_is_asked_while_nobody_watches():
    polled = Round()

    async def happens():
        await anyio.sleep(100)
        with polled.watching():
            await anyio.sleep(5)
        await anyio.sleep(100)
        with polled.watching():
            await anyio.sleep(11)

    await polled.during(happens)
    assert polled.looks == [215]


@virtually
async def test_the_end_of_a_run_that_nobody_watches_any_more_is_not_told():
    polled = Round()
    polled.service.end_run(agent_of("t-0"))
    watching = polled.watching()
    original = polled.service.get_run

    async def slowly(*key):
        await anyio.sleep(2)
        return await original(*key)

    polled.service.get_run = slowly

    async def happens():
        with watching:
            await anyio.sleep(11)
        await anyio.sleep(5)

    await polled.during(happens)
    assert polled.looks == [12]
    assert polled.ended == []


@virtually
async def test_a_run_that_disappears_while_its_turn_is_awaited_is_not_asked_for():
    polled = Round(2, seconds_a_run=1)

    async def happens():
        with polled.watching(polled.keys[1]):
            await anyio.sleep(2)
            with polled.watching(polled.keys[0]):
                await anyio.sleep(7)
            await anyio.sleep(20)

    await polled.during(happens)
    assert [about for name, about in polled.service.calls if name == "get_run"] == [polled.keys[1][1]] * 2


@virtually
async def test_runs_whose_stream_is_silent_or_cut_are_looked_at_first():
    polled = Round(3)

    async def happens():
        with polled.watching():
            first, silent, _cut = (polled.watched[key] for key in polled.keys)
            now = polled.clock.monotonic()
            first.heard_at, silent.heard_at = now, now - 90
            for each in polled.watched.values():
                each.due_at = now + 10
            await anyio.sleep(23)

    await polled.during(happens)
    looked_at = [about for name, about in polled.service.calls if name == "get_run"]
    assert looked_at == [polled.keys[place][1] for place in (1, 2, 0)]


@virtually
async def test_polls_keep_to_half_of_what_the_service_was_seen_to_allow():
    polled = Round(2, seconds_a_run=1, most_per_second=lambda: 0.1)

    async def happens():
        with polled.watching():
            assert polled.poller.stretch == 4
            await anyio.sleep(400)

    await polled.during(happens)
    assert len(polled.looks) == pytest.approx(400 / 20, abs=2)
