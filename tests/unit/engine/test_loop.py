from itertools import pairwise

import anyio
import pytest

from orchestrate.errors import StorageFailed
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import a_plan, a_task, a_verifier, agent_of
from tests.support.engine_room import EngineRoom, ends_after, handoff, never_ends
from tests.support.virtual_time import LoopClock


def statuses(room):
    return {name: row.status.value for name, row in room.state.rows.items()}


def test_a_graph_runs_to_its_end_on_real_branches():
    room = EngineRoom(a_plan("a", a_task("b", depends_on=("a",)), a_verifier("v", "b")))
    assert room.run() == 0
    assert statuses(room) == {"a": "handed-off", "b": "handed-off", "v": "handed-off"}
    starts = {request.name: request.repos[0].starting_ref for request in room.service.requests.values()}
    assert starts == {"shop/a": "main", "shop/b": "main", "shop/v": "cursor/b"}


def test_independent_tasks_run_side_by_side_within_the_slots():
    plan = a_plan(*(f"t-{number}" for number in range(10)))
    room = EngineRoom(plan, max_concurrent=3)
    running = []
    room.agents = {f"t-{number}": ends_after(60, branch=f"cursor/{number}") for number in range(10)}
    room.surface.publish = lambda publication: running.append(publication.state.running)
    assert room.run() == 0
    assert max(running) == 3


def test_nothing_is_published_before_it_is_durable():
    room = EngineRoom(a_plan("a"))
    published = room.surface.publish

    def publish(publication):
        durable = {row for record in room.ledger.records for row in record.rows}
        assert set(publication.rows) <= durable
        published(publication)

    room.surface.publish = publish
    assert room.run() == 0


def test_the_first_error_returns_one_while_others_run_on():
    room = EngineRoom(a_plan("a", "b"))
    room.agents = {"a": ends_after(1, reply=""), "b": never_ends}
    assert room.run() == 1
    assert statuses(room) == {"a": "error", "b": "running"}


def test_a_draining_engine_goes_on_after_an_error():
    room = EngineRoom(a_plan("a", "b", a_task("c", depends_on=("a",))), drain=True)
    room.agents = {"a": ends_after(1, reply=""), "b": ends_after(600)}
    assert room.run() == 1
    assert statuses(room) == {"a": "error", "b": "handed-off", "c": "pending"}


def test_a_checkpoint_leaves_agents_running_and_the_next_engine_watches_them():
    room = EngineRoom(a_plan("a"), max_runtime_seconds=100)
    room.agents["a"] = ends_after(150)
    assert room.lives(2) == [100, 0]
    assert [name for name, _ in room.service.calls].count("create_agent") == 1


def test_an_interrupt_waits_for_the_answer_of_a_launch():
    room = EngineRoom(a_plan("a"))
    room.agents["a"] = never_ends

    @room.meanwhile
    async def _():
        room.interrupt()

    assert room.run() == 130
    row = room.state.rows["a"]
    assert row.status == TaskStatus.PENDING or row.run_id is not None


def test_a_full_disk_ends_the_engine_and_no_effect_starts_after_it():
    room = EngineRoom(a_plan("a"))

    async def append(records):
        raise StorageFailed("journal.jsonl: no space left on device")

    room.ledger.append = append
    with pytest.raises(BaseExceptionGroup) as caught:
        room.run()
    assert caught.group_contains(StorageFailed)
    assert room.service.calls == []


def test_a_finished_plan_ends_at_once_and_asks_the_service_for_nothing():
    room = EngineRoom(a_plan("a"))
    assert room.lives(2) == [0, 0]
    assert [name for name, _ in room.service.calls] == ["create_agent", "stream_run", "get_run", "usage"]


def test_secrets_are_redacted_in_the_handoff_and_kept_in_the_raw_reply():
    room = EngineRoom(a_plan("a"))
    room.agents["a"] = ends_after(1, reply=f"{handoff()}\nThe key is a-very-secret-value.\n")
    assert room.run() == 0
    assert b"a-very-secret-value" in room.archive.replies["a", 1]
    assert "a-very-secret-value" not in room.archive.handoffs["a"]


def test_a_finished_task_is_followed_at_once():
    room = EngineRoom(a_plan("a", a_task("b", depends_on=("a",))))
    room.agents = {"a": ends_after(100), "b": ends_after(100)}
    assert room.run() == 0
    first, second = [moment for call, moment in room.service.moments if call == "create_agent"]
    assert second - first == pytest.approx(100, abs=0.01)


def test_one_slow_launch_does_not_hold_up_the_others():
    room = EngineRoom(a_plan("slow", "b", "c"))
    original = room.service.create_agent

    async def create_agent(body, *, key):
        if agent_of("slow").encode() in body:
            await anyio.sleep(100)
        moments.append(LoopClock().monotonic())
        return await original(body, key=key)

    moments = []
    room.service.create_agent = create_agent
    assert room.run() == 0
    assert [round(moment - moments[0]) for moment in moments] == [0, 0, 100]


def test_a_chain_of_a_thousand_tasks_is_run_in_its_order():
    names = [f"t-{number}" for number in range(1000)]
    tasks = [a_task(name, depends_on=(before,)) for before, name in pairwise(names)]
    room = EngineRoom(a_plan(names[0], *tasks))
    assert room.run() == 0
    assert [request.name for request in room.service.requests.values()] == [f"shop/{name}" for name in names]
