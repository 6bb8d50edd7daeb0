"""A death at every record of a run in which tasks are cancelled, tried anew and added: each is carried out once."""

import anyio
import pytest

from orchestrate.model.inbox_requests import CancelRequest, RespawnRequest, SpawnRequest
from orchestrate.model.vocabulary import RunStatus, TaskStatus
from tests.support.builders import a_plan, a_task
from tests.support.engine_room import EngineRoom, ends_after, never_ends

R = "11111111-0000-4000-8000-00000000000"
ANEW = RespawnRequest(f"{R}1", "ana", tasks=("a",))
STOP = CancelRequest(f"{R}2", "ana", task="other")
MORE = SpawnRequest(f"{R}3", "ana", definition=a_task("new"))
ASKED = (ANEW, STOP, MORE)
PLAN = a_plan("a", "other")


def a_room():
    room = EngineRoom(PLAN, drain=True)
    tries = []

    async def fails_once(service, agent_id):
        tries.append(agent_id)
        status = RunStatus.ERROR if len(tries) == 1 else RunStatus.FINISHED
        await ends_after(5, status=status, branch="cursor/a")(service, agent_id)

    room.agents.update(a=fails_once, other=never_ends, new=ends_after(3, branch="cursor/new"))

    @room.meanwhile
    async def _():
        while "a" not in room.rows or room.rows["a"].status != TaskStatus.ERROR:  # noqa: ASYNC110  virtual time
            await anyio.sleep(0.5)
        room.requests.waiting = list(ASKED)

    return room


def check(room):
    rows = room.rows
    assert {name: (row.status, row.attempts) for name, row in rows.items()} == {
        "a": (TaskStatus.HANDED_OFF, 2),
        "other": (TaskStatus.CANCELLED, 1),
        "new": (TaskStatus.HANDED_OFF, 1),
    }
    assert room.requests.waiting == []
    assert len(room.service.agents) == 4
    for name in ("RespawnRequested", "CancelRequested", "SpawnRequested"):
        changed = [record for record in room.ledger.records if record.event["type"] == name and record.rows]
        assert len(changed) == 1, name


def test_all_of_it_is_done_beside_the_run():
    room = a_room()
    assert room.run() == 1
    check(room)


def count_of_places():
    room = a_room()
    room.run()
    return len(room.ledger.records)


@pytest.mark.parametrize("place", range(1, count_of_places() + 1))
@pytest.mark.parametrize("when", ["before the sync", "after the sync"])
def test_a_death_at_each_record_changes_nothing_of_the_end(place, when):
    room = a_room()
    append, has_died = room.ledger.append, False

    async def append_and_die(records):
        nonlocal has_died
        is_place = not has_died and records[-1].seq >= place
        has_died = has_died or is_place
        if is_place and when == "before the sync":
            room.crash()
            await anyio.sleep_forever()
        await append(records)
        if is_place:
            room.crash()

    room.ledger.append = append_and_die
    assert room.lives(2)[-1] == 1
    check(room)
