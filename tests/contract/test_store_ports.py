"""What a ledger and an archive promise the engine: those of the tests, in memory, and the workspace's store."""

import uuid

import anyio
import pytest

from orchestrate.errors import StorageFailed, WorkspaceDamaged
from orchestrate.model.inbox_requests import AcceptRequest, InboxAnswer
from orchestrate.model.stops import Stop
from orchestrate.store.files import Folder
from orchestrate.store.inbox import InboxFiles
from orchestrate.store.tombstone import write_stop
from orchestrate.store.workspace import WorkspaceStore
from tests.support.memory_store import MemoryArchive, MemoryLedger, MemoryRequests
from tests.support.records import ENGINE, NOW, ROOT_SLUG, attention, first_record, record, row


@pytest.fixture
async def store(tmp_path):
    held = await WorkspaceStore.open(tmp_path, root_slug=ROOT_SLUG, engine_id=ENGINE, now=NOW)
    yield held
    await held.close()


@pytest.fixture(params=["memory", "workspace"])
def ledger(request, store):
    return MemoryLedger() if request.param == "memory" else store


@pytest.fixture(params=["memory", "workspace"])
def archive(request, store):
    return MemoryArchive() if request.param == "memory" else store


@pytest.fixture(params=["memory", "workspace"])
def requests(request, store, tmp_path):
    """What waits, and a way to hand something in."""
    if request.param == "workspace":
        return store, InboxFiles(Folder(tmp_path)).put
    memory = MemoryRequests(MemoryArchive())
    return memory, lambda asked: memory.waiting.append(asked)


async def test_a_request_waits_until_it_is_answered(requests):
    box, hand_in = requests
    assert list(await box.take_requests()) == []
    asked = AcceptRequest(str(uuid.UUID(int=1)), by="ana", task="a", branch="ana/a")
    hand_in(asked)
    for _ in range(2):
        assert list(await box.take_requests()) == [asked]
    assert await box.save_acceptance("a", "11111111", handoff=b"by hand") == "handoffs/a.md"
    await box.answer_request(InboxAnswer(asked.id, is_done=True))
    assert list(await box.take_requests()) == []


async def test_a_tombstone_is_seen_from_the_moment_that_it_stands(requests, tmp_path):
    box, _ = requests
    assert await box.read_stop() is None
    stop = Stop("s", by="ana", at="")
    if isinstance(box, MemoryRequests):
        box.stop = stop
    else:
        write_stop(Folder(tmp_path), stop)
    assert await box.read_stop() == stop


async def test_a_handoff_that_a_person_stands_for_is_the_latest_one(store, tmp_path):
    await store.save_reply("a", 1, raw=b"raw", handoff=b"one")
    await store.save_acceptance("a", "11111111", handoff=b"by hand")
    assert await store.read_handoff("a") == "by hand"
    assert (tmp_path / "handoffs/attempts/a.1.md").read_bytes() == b"one"
    assert (tmp_path / "handoffs/attempts/a.accepted-11111111.md").read_bytes() == b"by hand"


async def test_records_are_taken_in_groups_and_in_order(ledger):
    await ledger.append([first_record(row("a")), record(2, row("b"), attention=(attention("look"),))])
    await ledger.append([record(3, row("a", note="x"))])
    await ledger.write_snapshot_if_due(NOW)
    await ledger.write_snapshot()


@pytest.mark.parametrize("seq", [2, 4])
async def test_a_gap_and_a_number_that_was_used_are_faults_of_the_caller(ledger, seq):
    await ledger.append([first_record(), record(2)])
    with pytest.raises(AssertionError):
        await ledger.append([record(seq)])
    await ledger.append([record(3)])


async def test_a_request_that_was_not_written_is_none(archive):
    assert await archive.read_request("a", 1) is None
    await archive.write_request("a", 1, b"{}")
    assert await archive.read_request("a", 2) is None
    assert await archive.read_request("b", 1) is None


async def test_a_request_is_read_byte_for_byte(archive):
    await archive.write_request("a", 1, b'{"prompt": "\xc3\xa4\r\n"}')
    assert await archive.read_request("a", 1) == b'{"prompt": "\xc3\xa4\r\n"}'


async def test_a_request_may_be_written_again_and_never_be_another(archive):
    await archive.write_request("a", 1, b"first")
    await archive.write_request("a", 1, b"first")
    with pytest.raises(WorkspaceDamaged, match=r"requests/a\.1\.json is there with another request"):
        await archive.write_request("a", 1, b"second")
    await archive.write_request("a", 2, b"second")

    assert await archive.read_request("a", 1) == b"first"
    assert await archive.read_request("a", 2) == b"second"


async def test_a_task_without_a_reply_has_no_handoff(archive):
    assert await archive.read_handoff("a") is None


async def test_the_handoff_is_that_of_the_reply_that_was_saved_last(archive):
    for attempt, text in ((1, b"one"), (2, b"two"), (2, b"two again")):
        path = await archive.save_reply("a", attempt, raw=b"raw\xff", handoff=text)
        assert path == "handoffs/a.md"
        assert await archive.read_handoff("a") == text.decode()
    assert await archive.read_handoff("b") is None


async def test_a_postmortem_comes_with_a_reply(archive):
    path = await archive.save_reply("a", 1, raw=b"", handoff=b"header", postmortem=("a-failure.md", b"why"))
    assert path == "handoffs/a.md"
    assert await archive.read_handoff("a") == "header"


async def test_many_may_save_at_once(archive):
    async def attempt(number):
        await archive.write_request(f"t-{number}", 1, f"request {number}".encode())
        await archive.save_reply(f"t-{number}", 1, raw=b"raw", handoff=f"handoff {number}".encode())

    async with anyio.create_task_group() as group:
        for number in range(100):
            group.start_soon(attempt, number)

    for number in range(100):
        assert await archive.read_request(f"t-{number}", 1) == f"request {number}".encode()
        assert await archive.read_handoff(f"t-{number}") == f"handoff {number}"


async def test_a_closed_store_takes_no_file(store):
    await store.close()
    with pytest.raises(StorageFailed, match="closed"):
        await store.write_request("a", 1, b"{}")
    assert await store.read_request("a", 1) is None
