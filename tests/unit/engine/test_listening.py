import anyio

from orchestrate.core.events import EngineStarted
from orchestrate.core.request_events import (
    AcceptRequested,
    CancelRequested,
    FileSetAside,
    RequestUnmet,
    RespawnRequested,
    SpawnRequested,
    StopFound,
)
from orchestrate.engine.inbox import Inbox
from orchestrate.engine.listening import LOOK_SECONDS, Listener, event_of, requests_of
from orchestrate.errors import StorageFailed
from orchestrate.model.inbox_requests import AcceptRequest, CancelRequest, RespawnRequest, SpawnRequest, UnknownRequest
from orchestrate.model.stops import Stop, StopScope
from orchestrate.ports import Misfit
from orchestrate.text.redaction import REDACTED, Redactor
from tests.support.engine_room import SECRET
from tests.support.memory_store import MemoryArchive, MemoryRequests
from tests.support.virtual_time import LoopClock, virtually

ASKED = AcceptRequest("r1", by="ana", task="a", branch="ana/a", note=f"see {SECRET}")


def a_listener(requests):
    inbox = Inbox(Redactor([SECRET]))
    return Listener(requests, clock=LoopClock(), inbox=inbox), inbox


@virtually
async def test_each_request_is_reported_once_although_it_stays_until_it_is_answered():
    requests = MemoryRequests(MemoryArchive())
    requests.waiting = [ASKED, UnknownRequest("r2", by="", named="dance")]
    listener, _ = a_listener(requests)
    first = await listener.look()
    assert first[0] == AcceptRequested(request="r1", task="a", branch="ana/a", by="ana", note=ASKED.note)
    assert (type(first[1]), first[1].code) == (RequestUnmet, "unknown_request")
    assert await listener.look() == []
    assert requests_of([*first, EngineStarted(engine="e"), FileSetAside(message="x")]) == ("r1", "r2")


def test_each_kind_of_request_is_an_event_of_its_own():
    assert event_of(CancelRequest("r", "ana", task="a")) == CancelRequested(request="r", task="a", by="ana")
    added = SpawnRequest("r", "ana", definition={"name": "a"})
    assert event_of(added) == SpawnRequested(request="r", by="ana", definition={"name": "a"})
    anew = RespawnRequest("r", "ana", tasks=("a",), again=True, source=True, cascade=True, starting_refs={"a": "b"})
    assert event_of(anew) == RespawnRequested(
        request="r", by="ana", tasks=("a",), again=True, source=True, cascade=True, starting_refs={"a": "b"}
    )


@virtually
async def test_a_tombstone_is_told_once_and_before_all_requests():
    requests = MemoryRequests(MemoryArchive())
    requests.waiting, requests.stop = [ASKED], Stop("s", by="ana", at="")
    listener, _ = a_listener(requests)
    first, second = await listener.look()
    assert first == StopFound(stop="s", by="ana", scope=StopScope.TREE)
    assert isinstance(second, AcceptRequested)
    assert await listener.look() == []


@virtually
async def test_what_comes_in_is_noticed_within_a_moment_and_secrets_go_no_further():
    requests = MemoryRequests(MemoryArchive())
    listener, inbox = a_listener(requests)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listener.run)
        began_at = LoopClock().monotonic()
        await anyio.sleep(1)
        requests.waiting = [ASKED]
        (event,) = await inbox.take_all()
        assert event.note == f"see {REDACTED}"
        assert LoopClock().monotonic() - began_at <= 1 + LOOK_SECONDS
        tasks.cancel_scope.cancel()


@virtually
async def test_files_that_are_no_requests_are_told_one_by_one_but_not_without_end():
    requests = MemoryRequests(MemoryArchive())
    listener, _ = a_listener(requests)
    told = []
    for number in range(30):
        requests.waiting = [Misfit(f"x{number}", "not JSON", f"r{number}" if number == 0 else None)]
        told += await listener.look()
    assert len(told) == 20
    assert told[0] == FileSetAside(
        message="inbox/x0 is no request (not JSON); it was moved to inbox/rejected.", request="r0"
    )
    assert told[-1].message.endswith("Further ones are moved there unsaid.")


@virtually
async def test_an_inbox_that_cannot_be_read_is_told_once():
    class Broken(MemoryRequests):
        is_broken = True

        async def take_requests(self):
            if self.is_broken:
                raise StorageFailed("inbox: no")
            return await super().take_requests()

    requests = Broken(MemoryArchive())
    listener, _ = a_listener(requests)
    assert [event.message for event in await listener.look()] == [
        "no request of another process can be read: inbox: no"
    ]
    assert list(await listener.look()) == []
    requests.is_broken = False
    assert await listener.look() == []
    requests.is_broken = True
    assert len(await listener.look()) == 1
