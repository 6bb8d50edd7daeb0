"""The whole engine over several lives: what one leaves, the next takes up."""

from dataclasses import replace

import anyio
import pytest

from orchestrate.core.events import StopReason
from orchestrate.errors import StorageFailed
from orchestrate.model.names import agent_name
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import SLUG, a_plan, a_running_row, a_task, agent_of
from tests.support.engine_room import EngineRoom, ends_after, handoff, never_ends, request_body
from tests.support.records import record


def a_room(*tasks, **options):
    return EngineRoom(a_plan(*tasks or ("a",)), **options)


def row_of(room, task="a"):
    return room.state.rows[task]


def test_a_checkpoint_while_everything_is_done_changes_nothing():
    room = a_room(max_runtime_seconds=100)
    assert room.run() == 0


def test_an_interrupt_before_the_first_event_launches_nothing():
    room = a_room()

    @room.meanwhile
    async def _():
        room.interrupt()

    assert room.lives(2) == [130, 0]
    assert room.service.count("create_agent") == 1


def test_an_interrupt_in_mid_run_leaves_the_agent_and_saves():
    room = a_room()
    room.agents["a"] = ends_after(100)

    @room.meanwhile
    async def _():
        await anyio.sleep(50)
        room.interrupt()

    assert room.lives(2) == [130, 0]
    assert room.ledger.snapshots == 2
    assert room.service.count("create_agent") == 1
    assert room.service.count("cancel_run") == 0


def test_a_planned_checkpoint_can_be_asked_for():
    room = a_room()
    room.agents["a"] = ends_after(100)

    @room.meanwhile
    async def _():
        await anyio.sleep(50)
        room.engine.stop(StopReason.CHECKPOINT)

    assert room.lives(2) == [100, 0]


def test_a_crash_while_a_reply_is_saved_takes_it_in_again():
    room = a_room("a", a_task("b", depends_on=("a",)))
    original = room.archive.save_reply

    async def save_reply(task, attempt, **files):
        path = await original(task, attempt, **files)
        room.archive.save_reply = original
        room.crash()
        await anyio.sleep_forever()
        return path

    room.archive.save_reply = save_reply
    assert room.lives(2) == [None, 0]
    assert room.service.count("create_agent") == 2
    assert row_of(room).handoff_path == "handoffs/a.md"


def test_the_reply_is_on_disk_before_the_end_is_decided():
    room = a_room()
    original = room.ledger.append

    async def append(records):
        for each in records:
            for row in each.rows:
                assert row.status is not TaskStatus.HANDED_OFF or (row.name, 1) in room.archive.replies
        await original(records)

    room.ledger.append = append
    assert room.run() == 0


def test_a_row_of_a_foreign_state_is_watched_by_its_ids():
    room = a_room()
    created = room.service._create(request_body(), "key")
    room.ledger.records.append(record(1, replace(a_running_row(run_id=created.run.id), launch=None)))

    @room.meanwhile
    async def _():
        await anyio.sleep(30)
        room.service.end_run(agent_of("a"), result=handoff())

    assert room.run() == 0
    assert room.service.count("create_agent") == 0


def test_a_row_that_says_running_without_ids_becomes_an_error_and_is_never_launched():
    room = a_room()
    row = replace(a_running_row(run_id=None), launch=None)
    room.ledger.records.append(record(1, row))
    assert room.run() == 1
    assert row_of(room).status is TaskStatus.ERROR
    assert agent_of("a") in row_of(room).note
    assert room.service.calls == [("agent_page", "")]


def test_such_a_row_tells_which_agent_of_its_name_there_is():
    room = a_room()
    room.service._create(request_body("x", name=agent_name(SLUG, "a")), "key")
    room.ledger.records.append(record(1, replace(a_running_row(run_id=None), agent_id=None, launch=None)))
    assert room.run() == 1
    assert f"The service has {agent_of('x')} (active, run run-" in row_of(room).note


def test_a_cancel_that_a_former_engine_asked_for_is_asked_for_again():
    room = a_room(a_task("a", timeoutSec=60))
    room.agents["a"] = never_ends
    original = room.service.cancel_run

    async def cancel_run(agent_id, run_id):
        room.service.cancel_run = original
        room.crash()
        await anyio.sleep_forever()

    room.service.cancel_run = cancel_run
    assert room.lives(2) == [None, 1]
    assert row_of(room).status is TaskStatus.CANCELLED
    assert "deadline" in row_of(room).note


def test_a_retry_of_the_plan_is_a_second_agent_with_an_id_of_its_own():
    room = a_room(a_task("a", retry={"attempts": 2, "on": ["unknown"], "backoffSec": 60}))
    room.agents["a"] = ends_after(1, reply="")

    @room.meanwhile
    async def _():
        await anyio.sleep(30)
        room.agents["a"] = ends_after(1)

    assert room.run() == 0
    assert list(room.service.agents) == [agent_of("a"), agent_of("a", 2)]
    assert set(room.archive.requests) == {("a", 1), ("a", 2)}


def test_a_disk_that_fills_while_a_reply_is_saved_ends_the_engine_and_the_next_one_goes_on():
    room = a_room()
    original = room.archive.save_reply

    async def full(task, attempt, **files):
        room.archive.save_reply = original
        raise StorageFailed("handoffs/a.md: no space left on device")

    room.archive.save_reply = full
    with pytest.raises(BaseExceptionGroup) as caught:
        room.run()
    assert caught.group_contains(StorageFailed)
    assert room.ledger.snapshots == 0
    assert room.run() == 0
    assert room.service.count("create_agent") == 1


def test_a_bug_in_a_performer_leaves_the_task_to_the_next_engine():
    room = a_room()
    original = room.archive.save_reply

    async def broken(task, attempt, **files):
        room.archive.save_reply = original
        raise ZeroDivisionError("a bug")

    room.archive.save_reply = broken
    assert room.lives(2) == [1, 0]
    assert any(
        "a fault of this program in WatchRun of a: ZeroDivisionError('a bug') in" in line for line in room.attention
    )


def test_nothing_of_an_engine_goes_on_after_its_end():
    room = a_room(a_task("a", timeoutSec=100_000), "b")
    room.agents = {"a": ends_after(500), "b": never_ends}

    @room.meanwhile
    async def _():
        await anyio.sleep(50)
        room.interrupt()
        await anyio.sleep(1)
        asked = len(room.service.calls)
        await anyio.sleep(10_000)
        assert len(room.service.calls) == asked

    assert room.run() == 130
