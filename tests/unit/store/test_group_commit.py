import threading

import anyio
import pytest

from orchestrate.errors import StorageFailed
from orchestrate.store.group_commit import GroupCommit


class Writer:
    """Notes its batches; ``hold`` makes it wait in the first one until ``go`` is set."""

    def __init__(self, *, hold=False):
        self.batches = []
        self.is_writing = threading.Event()
        self.go = threading.Event()
        if not hold:
            self.go.set()

    def __call__(self, items):
        self.batches.append(list(items))
        self.is_writing.set()
        self.go.wait()
        return [StorageFailed(item) if item.startswith("bad") else None for item in items]


async def busy(group, commit, writer):
    """A first item is on its way and does not arrive before the writer may go."""
    group.start_soon(commit.put, "first")
    await anyio.to_thread.run_sync(writer.is_writing.wait)


async def test_a_lone_item_waits_for_nobody():
    writer = Writer()
    commit = GroupCommit(writer)
    await commit.put("a")
    await commit.put("b")
    assert writer.batches == [["a"], ["b"]]


async def test_what_comes_meanwhile_goes_together_in_order():
    writer = Writer(hold=True)
    commit = GroupCommit(writer)
    async with anyio.create_task_group() as group:
        await busy(group, commit, writer)
        for item in "abc":
            group.start_soon(commit.put, item)
        await anyio.wait_all_tasks_blocked()
        writer.go.set()
    assert writer.batches == [["first"], ["a", "b", "c"]]


async def test_a_batch_has_a_limit_and_the_next_follows_in_order():
    writer = Writer(hold=True)
    commit = GroupCommit(writer, at_most=2)
    async with anyio.create_task_group() as group:
        await busy(group, commit, writer)
        for item in "abcde":
            group.start_soon(commit.put, item)
        await anyio.wait_all_tasks_blocked()
        writer.go.set()
    assert writer.batches == [["first"], ["a", "b"], ["c", "d"], ["e"]]


async def test_an_error_reaches_only_its_caller():
    writer = Writer(hold=True)
    commit = GroupCommit(writer)
    outcomes = {}

    async def put(item):
        try:
            await commit.put(item)
            outcomes[item] = "written"
        except StorageFailed as error:
            outcomes[item] = error.message

    async with anyio.create_task_group() as group:
        await busy(group, commit, writer)
        for item in ("a", "bad b", "c"):
            group.start_soon(put, item)
        await anyio.wait_all_tasks_blocked()
        writer.go.set()
    assert outcomes == {"a": "written", "bad b": "bad b", "c": "written"}


@pytest.mark.parametrize("place", [0, 1, 2])
async def test_a_caller_that_is_cancelled_takes_nothing_from_the_others(place):
    writer = Writer(hold=True)
    commit = GroupCommit(writer)
    scopes, written = [anyio.CancelScope() for _ in range(3)], []

    async def put(number):
        with scopes[number]:
            await commit.put(str(number))
            written.append(number)

    async with anyio.create_task_group() as group:
        await busy(group, commit, writer)
        for number in range(3):
            group.start_soon(put, number)
        await anyio.wait_all_tasks_blocked()
        scopes[place].cancel()
        await anyio.wait_all_tasks_blocked()
        writer.go.set()

    assert writer.batches == [["first"], ["0", "1", "2"]]
    assert {0, 1, 2} - set(written) <= {place}


async def test_idle_means_that_what_was_put_before_has_come_to_its_end():
    writer = Writer(hold=True)
    commit = GroupCommit(writer)
    seen = []

    async def note_idle():
        await commit.wait_until_idle()
        seen.append(len(writer.batches))

    async with anyio.create_task_group() as group:
        await busy(group, commit, writer)
        group.start_soon(commit.put, "a")
        await anyio.wait_all_tasks_blocked()
        group.start_soon(note_idle)
        await anyio.wait_all_tasks_blocked()
        assert seen == []
        writer.go.set()
    assert seen == [2]


async def test_a_writer_that_breaks_off_leaves_nobody_waiting():
    def broken(items):
        raise ZeroDivisionError

    commit = GroupCommit(broken)

    async def put_both():
        async with anyio.create_task_group() as group:
            group.start_soon(commit.put, "a")
            group.start_soon(commit.put, "b")

    with pytest.raises(ExceptionGroup) as caught:
        await put_both()
    assert caught.group_contains(ZeroDivisionError)
