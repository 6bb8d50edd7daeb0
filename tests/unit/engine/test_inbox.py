import anyio

from orchestrate.core.events import AccessLost, LaunchRefused, Timer, TimerFired, TimerKind
from orchestrate.engine.inbox import Inbox
from orchestrate.text.redaction import REDACTED, Redactor
from tests.support.builders import agent_of
from tests.support.virtual_time import virtually

FIRED = TimerFired(timer=Timer(TimerKind.GRACE))


@virtually
async def test_all_waiting_events_are_taken_in_the_order_of_their_arrival():
    inbox, first, second = Inbox(Redactor()), FIRED, TimerFired(timer=Timer(TimerKind.CHECKPOINT))
    inbox.put(first)
    inbox.put(second)
    assert await inbox.take_all() == [first, second]


@virtually
async def test_the_reader_waits_until_there_is_an_event():
    inbox, taken = Inbox(Redactor()), []

    async def read():
        taken.append(await inbox.take_all())
        taken.append(await inbox.take_all())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        await anyio.sleep(1)
        assert taken == []
        inbox.put(FIRED)
        await anyio.sleep(1)
        assert taken == [[FIRED]]
        inbox.put(FIRED)
    assert taken == [[FIRED], [FIRED]]


@virtually
async def test_what_others_said_loses_its_secrets_on_the_way_in():
    inbox = Inbox(Redactor(["hunter-22"]))
    inbox.put(LaunchRefused(task="a", agent_id=agent_of("a"), message="no hunter-22", hint="drop hunter-22", code="x"))
    inbox.put(AccessLost(task="a", message="who is hunter-22"))
    refused, lost = await inbox.take_all()
    assert (refused.message, refused.hint, refused.code) == (f"no {REDACTED}", f"drop {REDACTED}", "x")
    assert (lost.message, lost.hint) == (f"who is {REDACTED}", None)
