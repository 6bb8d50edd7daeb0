from itertools import pairwise

import anyio
import pytest

from orchestrate.core.events import ServiceUnreachable
from orchestrate.engine.gate import QUOTA_CODE, GatedService
from orchestrate.engine.inbox import Inbox
from orchestrate.errors import CapacityReached, OutcomeUnknown, ProtocolBroken, RateLimited, Refused, Unavailable
from orchestrate.text.redaction import Redactor
from tests.support.builders import agent_of
from tests.support.engine_room import TroubledService, request_body
from tests.support.virtual_time import LoopClock, virtually

AGENT = agent_of("a")
BODY = request_body()


class Gate:
    """A gate in front of a service that has one agent."""

    def __init__(self):
        self.service = TroubledService()
        self.clock = LoopClock()
        self.inbox = Inbox(Redactor())
        self.gated = GatedService(self.service, clock=self.clock, inbox=self.inbox)
        self.run = self.service._create(BODY, "key").run
        self.began_at = self.clock.monotonic()

    @property
    def seconds(self):
        return self.clock.monotonic() - self.began_at

    @property
    def told(self):
        return list(self.inbox._events)

    async def get_run(self):
        return await self.gated.get_run(AGENT, self.run.id)

    async def fail(self, error):
        self.service.fail_next("get_run", error)
        with pytest.raises(type(error)):
            await self.get_run()

    async def fail_for(self, seconds, error, *, every=5.0):
        for _ in range(int(seconds / every)):
            await self.fail(error)
            await self.clock.sleep(every)


@virtually
async def test_every_call_goes_through():
    gate = Gate()
    assert (await gate.gated.create_agent(BODY, key="key")).agent.id == AGENT
    assert (await gate.gated.get_agent(AGENT)).id == AGENT
    assert (await gate.gated.first_run(AGENT)).id == gate.run.id
    assert (await gate.get_run()).id == gate.run.id
    gate.service.end_run(AGENT)
    async with gate.gated.stream_run(AGENT, gate.run.id, last_event_id="1") as frames:
        assert [frame.event async for frame in frames] == ["result", "done"]
    with pytest.raises(Refused):
        await gate.gated.cancel_run(AGENT, gate.run.id)
    assert gate.seconds == 0
    assert gate.told == []


@virtually
async def test_a_rate_limit_makes_every_call_wait_as_long_as_it_says():
    gate = Gate()
    await gate.fail(RateLimited("slower", retry_after_seconds=40))
    await gate.gated.get_agent(AGENT)
    assert gate.seconds == pytest.approx(40)


@virtually
async def test_a_rate_limit_that_names_no_time_makes_calls_wait_for_a_moment():
    gate = Gate()
    await gate.fail(RateLimited("slower"))
    await gate.get_run()
    assert gate.seconds == pytest.approx(3)


@virtually
async def test_no_service_closes_the_gate_for_longer_than_an_hour():
    gate = Gate()
    await gate.fail(RateLimited("slower", retry_after_seconds=1e9))
    await gate.get_run()
    assert gate.seconds == pytest.approx(3600)


@virtually
async def test_a_shorter_pause_does_not_open_a_gate_that_is_closed_for_longer():
    gate = Gate()
    gate.service.fail_next("get_run", RateLimited("slower", retry_after_seconds=60))
    gate.service.fail_next("cancel_run", RateLimited("slower", retry_after_seconds=1))
    with pytest.raises(RateLimited):
        await gate.get_run()
    with pytest.raises(RateLimited):
        await gate.gated.cancel_run(AGENT, gate.run.id)
    await gate.get_run()
    assert gate.seconds == pytest.approx(60)


@virtually
async def test_a_rate_limited_stream_closes_the_gate_and_waits_there():
    gate = Gate()
    gate.service.fail_next("stream_run", RateLimited("slower", retry_after_seconds=20))
    with pytest.raises(RateLimited):
        async with gate.gated.stream_run(AGENT, gate.run.id):
            pass
    async with gate.gated.stream_run(AGENT, gate.run.id):
        assert gate.seconds == pytest.approx(20)


@virtually
async def test_a_cancel_does_not_wait_at_the_gate_and_closes_it():
    gate = Gate()
    await gate.fail(RateLimited("slower", retry_after_seconds=20))
    gate.service.fail_next("cancel_run", RateLimited("slower", retry_after_seconds=30))
    with pytest.raises(RateLimited):
        await gate.gated.cancel_run(AGENT, gate.run.id)
    assert gate.seconds == 0
    await gate.get_run()
    assert gate.seconds == pytest.approx(30)


@virtually
async def test_calls_that_waited_do_not_arrive_as_one_burst():
    gate = Gate()
    await gate.fail(RateLimited("slower", retry_after_seconds=10))
    arrived = []

    async def call():
        await gate.get_run()
        arrived.append(gate.seconds)

    async with anyio.create_task_group() as calls:
        for _ in range(40):
            calls.start_soon(call)
    assert arrived[0] == pytest.approx(10)
    assert arrived[-1] == pytest.approx(10 + 39 * 0.25)
    assert all(later - earlier > 0.2 for earlier, later in pairwise(arrived))


@virtually
async def test_a_gate_that_closes_again_keeps_those_that_still_wait():
    gate = Gate()
    await gate.fail(RateLimited("slower", retry_after_seconds=10))
    gate.service.fail_next("get_run", RateLimited("slower", retry_after_seconds=10))
    arrived = []

    async def call():
        try:
            await gate.get_run()
        except RateLimited:
            return
        arrived.append(gate.seconds)

    async with anyio.create_task_group() as calls:
        for _ in range(5):
            calls.start_soon(call)
    assert len(arrived) == 4
    assert min(arrived) >= 20


@virtually
async def test_a_single_blip_is_not_told():
    gate = Gate()
    await gate.fail(Unavailable("503"))
    await gate.get_run()
    await gate.clock.sleep(60)
    await gate.fail(Unavailable("503"))
    assert gate.told == []


@pytest.mark.parametrize("error", [Unavailable("503"), OutcomeUnknown("timeout"), ProtocolBroken("no JSON")])
def test_trouble_that_lasts_is_told(error):
    @virtually
    async def told():
        gate = Gate()
        await gate.fail_for(15, error)
        (event,) = gate.told
        assert isinstance(event, ServiceUnreachable)
        assert str(error) in event.message

    told()


@virtually
async def test_one_call_that_hangs_for_long_is_told_at_once():
    gate = Gate()

    def hang(name, _about):
        return Unavailable("timeout") if name == "get_agent" else None

    gate.service.trouble = hang
    original = gate.service.get_agent

    async def slowly(agent_id):
        await gate.clock.sleep(30)
        return await original(agent_id)

    gate.service.get_agent = slowly
    with pytest.raises(Unavailable):
        await gate.gated.get_agent(AGENT)
    assert ["for 30 s" in event.message for event in gate.told] == [True]


@virtually
async def test_an_hour_of_trouble_is_told_once_a_minute_at_most():
    gate = Gate()
    await gate.fail_for(3600, Unavailable("503"))
    assert 50 <= len(gate.told) <= 60


@virtually
async def test_one_kind_of_call_in_trouble_is_told_while_others_are_answered():
    gate = Gate()
    for _ in range(4):
        await gate.fail(Unavailable("503"))
        await gate.gated.get_agent(AGENT)
        await gate.clock.sleep(5)
    assert len(gate.told) == 1


@pytest.mark.parametrize(
    "error",
    [Refused("no", status=404), RateLimited("slower"), CapacityReached("full"), Unavailable("quota", code=QUOTA_CODE)],
)
def test_an_answer_that_says_no_or_later_is_no_trouble(error):
    @virtually
    async def told():
        gate = Gate()
        await gate.fail(Unavailable("503"))
        await gate.fail_for(60, error)
        await gate.fail(Unavailable("503"))
        assert gate.told == []

    told()
