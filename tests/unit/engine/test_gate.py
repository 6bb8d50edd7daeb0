from itertools import pairwise

import anyio
import pytest

from orchestrate.core.events import ServiceUnreachable
from orchestrate.core.service_events import CallsSlowed
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


def slower(seconds=None):
    return RateLimited("slower", retry_after_seconds=seconds, status=429)


@virtually
async def test_a_rate_limit_is_waited_for_as_long_as_it_says_and_nobody_sees_it():
    gate = Gate()
    gate.service.fail_next("get_run", slower(9))
    assert (await gate.get_run()).id == gate.run.id
    assert 9 <= gate.seconds <= 9 * 1.25
    assert gate.told == []


@virtually
async def test_a_rate_limit_that_names_no_time_is_waited_for_longer_each_time():
    gate = Gate()
    gate.service.fail_next("get_run", slower(), times=3)
    await gate.get_run()
    asked = [moment - gate.began_at for name, moment in gate.service.moments if name == "get_run"]
    gaps = [later - earlier for earlier, later in pairwise(asked)]
    assert gaps == sorted(gaps)
    assert gaps[0] >= 0.5
    assert gaps[-1] <= 12 * 1.25


@virtually
async def test_a_pause_of_hours_is_cut_to_one_and_told():
    gate = Gate()
    gate.service.fail_next("get_run", slower(5 * 3600))
    await gate.get_run()
    assert 3600 <= gate.seconds <= 4500
    (event,) = gate.told
    assert isinstance(event, CallsSlowed)
    assert "a pause of 5h 00m (slower); it is asked again after 1h 00m" in event.message


@virtually
async def test_a_rate_limit_of_one_class_keeps_no_other_class_waiting():
    gate = Gate()
    gate.service.fail_next("get_run", slower(60))
    async with anyio.create_task_group() as calls:
        calls.start_soon(gate.get_run)
        await anyio.sleep(1)
        await gate.gated.create_agent(request_body("b"), key="b")
        await gate.gated.first_run(AGENT)
        async with gate.gated.stream_run(AGENT, gate.run.id):
            pass
        await gate.gated.cancel_run(AGENT, gate.run.id)
        assert gate.seconds == 1
        assert [event.message for event in gate.told] == [
            "the service asks for fewer calls and for a pause of 1m 00s (slower); agents go on."
        ]


@virtually
async def test_streams_and_cancels_wait_for_their_own_class():
    gate = Gate()
    gate.service.fail_next("stream_run", slower(4))
    gate.service.fail_next("cancel_run", slower(4))
    async with gate.gated.stream_run(AGENT, gate.run.id):
        assert gate.seconds >= 4
    await gate.gated.cancel_run(AGENT, gate.run.id)
    assert gate.seconds >= 8


@virtually
async def test_a_launch_that_would_wait_for_long_comes_back_as_delayed_and_so_do_those_behind_it():
    gate, delayed = Gate(), []
    gate.service.fail_next("create_agent", slower(100))

    async def launch(name):
        try:
            await gate.gated.create_agent(request_body(name), key=name)
        except RateLimited as error:
            delayed.append((name, error.retry_after_seconds, error.status))

    async with anyio.create_task_group() as calls:
        calls.start_soon(launch, "first")
        await anyio.sleep(1)
        for name in ("second", "third"):
            calls.start_soon(launch, name)
    assert delayed[0] == ("first", 100, 429)
    assert len(delayed) == 1  # those that came later wait: nobody refused them
    assert 100 <= gate.seconds <= 130


class SmallService:
    """Takes a second for each launch, and only so many of them."""

    def __init__(self, gate, *, room, refusal):
        self._gate, self._room, self._refusal = gate, room, refusal
        self.asked = self.most = self._in_flight = 0
        gate.service.create_agent = self.create_agent

    async def create_agent(self, body, *, key):
        self.asked += 1
        self._in_flight += 1
        self.most = max(self.most, self._in_flight)
        await anyio.sleep(1)
        self._in_flight -= 1
        if self.asked > self._room:
            raise self._refusal
        return self._gate.service._create(body, key)

    async def launch(self, count):
        """How many of these launches were refused."""
        refused = []

        async def launch(number):
            try:
                await self._gate.gated.create_agent(request_body(f"t-{number}"), key=f"{number}")
            except type(self._refusal) as error:
                refused.append((error.message, error.retry_after_seconds))

        async with anyio.create_task_group() as calls:
            for number in range(count):
                calls.start_soon(launch, number)
        return refused


@pytest.mark.parametrize(
    "refusal", [CapacityReached("full", status=429), Unavailable("used up", code=QUOTA_CODE, retry_after_seconds=60)]
)
def test_where_no_agent_is_taken_a_few_launches_hear_it_and_the_others_are_not_sent(refusal):
    @virtually
    async def told():
        service = SmallService(Gate(), room=0, refusal=refusal)
        assert await service.launch(100) == [(refusal.message, refusal.retry_after_seconds)] * 100
        assert service.asked == 8

    told()


@virtually
async def test_no_more_launches_are_in_flight_than_the_service_has_taken_before():
    service = SmallService(Gate(), room=20, refusal=CapacityReached("full"))
    await service.launch(200)
    assert service.most <= 20
    before = service.asked
    await service.launch(200)
    assert service.asked - before == 8  # it starts slowly anew


@virtually
async def test_where_there_is_room_the_launches_in_flight_are_soon_as_many_as_may_be():
    gate = Gate()
    service = SmallService(gate, room=1000, refusal=CapacityReached("full"))
    assert await service.launch(1000) == []
    assert service.most == 64
    assert gate.seconds <= 1000 / 64 + 5


@virtually
async def test_whoever_leaves_gets_back_what_has_not_been_sent():
    gate, delayed = Gate(), []
    gate.service.fail_next("create_agent", slower(10))

    async def launch():
        with pytest.raises(RateLimited) as error:
            await gate.gated.create_agent(request_body("b"), key="b")
        delayed.append(error.value.message)

    async with anyio.create_task_group() as calls:
        calls.start_soon(launch)
        await anyio.sleep(1)
        gate.gated.leave()
        calls.start_soon(launch)
    assert gate.seconds == 1
    assert delayed == ["the service asks for fewer calls; this one was not sent"] * 2


@virtually
async def test_launches_that_wait_leave_by_the_rank_of_their_tasks():
    gate, order = Gate(), []
    gate.service.fail_next("create_agent", slower(5))

    async def launch(name, rank):
        await gate.gated.create_agent(request_body(name), key=name, urgency=rank)
        order.append(name)

    async with anyio.create_task_group() as calls:
        for name, rank in [("x", (0, 0)), ("late", (0, 9)), ("early", (0, 1)), ("urgent", (-5, 3))]:
            calls.start_soon(launch, name, rank)
            await anyio.sleep(0.1)
    assert order == ["urgent", "x", "early", "late"]


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
    [Refused("no", status=404), CapacityReached("full"), Unavailable("quota", code=QUOTA_CODE)],
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


@virtually
async def test_asking_for_costs_keeps_no_look_at_a_run_waiting():
    gate, order = Gate(), []
    gate.service.fail_next("usage", slower(5))

    async def ask():
        await gate.gated.usage(AGENT)
        order.append("cost")

    async def look():
        await gate.get_run()
        order.append("run")

    async with anyio.create_task_group() as calls:
        calls.start_soon(ask)
        await anyio.sleep(1)
        calls.start_soon(ask)
        calls.start_soon(look)
    assert order == ["run", "cost", "cost"]
