"""A death at every place of a request's way: it is carried out once, answered, and nothing else is done twice."""

import anyio
import pytest

from orchestrate.core.changes import Settings
from orchestrate.model.inbox_requests import AcceptRequest
from orchestrate.model.vocabulary import RunStatus, TaskStatus
from tests.support.builders import SLUG, a_plan, a_task
from tests.support.engine_room import EngineRoom, ends_after

R = "11111111-0000-4000-8000-000000000001"
ASKED = AcceptRequest(R, by="ana", task="a", branch="ana/a", note="by hand")
PLAN = a_plan(
    "a",
    a_task("b", depends_on=("a",), startingRef=f"orch/{SLUG}/a", pathsAllowed=["src/**"]),
    a_task("other", pathsAllowed=["src/**"]),
)


def a_room(**options):
    room = EngineRoom(PLAN, drain=True, **options)
    room.agents["a"] = ends_after(5, status=RunStatus.ERROR)
    room.agents["b"] = ends_after(20, branch="cursor/b")
    room.agents["other"] = ends_after(60, branch="cursor/other")
    room.differences.files = {"cursor/b": ["src/b.py"], "cursor/other": ["src/o.py", "docs/o.md"]}
    return room


def ask_when_a_failed(room):
    @room.meanwhile
    async def _():
        await anyio.sleep(6)
        room.requests.waiting = [ASKED]


def acceptances(room):
    return [record for record in room.ledger.records if record.event["type"] == "AcceptanceWritten"]


def check(room):
    assert len(acceptances(room)) == 1
    assert room.requests.answers[-1].is_done
    assert room.requests.waiting == []
    assert (room.rows["a"].status, room.rows["a"].branch, room.rows["a"].attempts) == (
        TaskStatus.HANDED_OFF,
        "ana/a",
        1,
    )
    assert (room.rows["b"].starting_ref, room.rows["b"].attempts) == ("ana/a", 1)
    assert room.rows["b"].paths_check.findings == ()
    assert [str(found) for found in room.rows["other"].paths_check.findings] == ["docs/o.md (outside pathsAllowed)"]


def test_it_is_carried_out_beside_what_runs():
    room = a_room()
    ask_when_a_failed(room)
    assert room.run() == 0
    check(room)
    assert any("docs/o.md" in line for line in room.attention)


def count_of_places():
    room = a_room()
    ask_when_a_failed(room)
    room.run()
    return len(room.ledger.records)


@pytest.mark.parametrize("place", range(1, count_of_places() + 1))
@pytest.mark.parametrize("when", ["before the sync", "after the sync"])
def test_a_death_at_each_record_changes_nothing_of_the_end(place, when):
    room = a_room()
    ask_when_a_failed(room)
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
    codes = room.lives(2)
    if codes[1] == 1:  # it was asked only after the second engine had left: whoever comes next takes it up
        room.requests.waiting = room.requests.waiting or [ASKED]
        codes = room.lives(1)
    assert codes[-1] == 0
    check(room)


@pytest.mark.parametrize("call", ["save_acceptance", "answer_request"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_death_at_each_file_changes_nothing_of_the_end(call, when):
    room = a_room()
    ask_when_a_failed(room)
    work, has_died = getattr(room.requests, call), False

    async def work_and_die(*arguments, **keywords):
        nonlocal has_died
        if not has_died:
            has_died = True
            if when == "after":
                await work(*arguments, **keywords)
            room.crash()
            await anyio.sleep_forever()
        return await work(*arguments, **keywords)

    setattr(room.requests, call, work_and_die)
    assert room.lives(2) == [None, 0]
    check(room)
    assert len(room.requests.answers) == 1


def test_who_only_answers_leaves_all_else_to_the_next_engine():
    room = a_room()
    live, seen = room._live, []

    async def live_otherwise():
        lives = len(seen)
        room.settings = Settings(8, drain=True, answers_only=lives == 1)
        if lives == 1:
            room.requests.waiting = [ASKED]
        code = await live()
        seen.append((room.rows, len(room.service.calls)))
        return code

    @room.meanwhile
    async def _():
        await anyio.sleep(10)
        room.crash()

    room._live = live_otherwise
    assert room.lives(3) == [None, 0, 0]
    check(room)
    (before, calls_before), (after, calls_after), _ = seen
    assert calls_after == calls_before
    assert (after["other"], after["b"].status) == (before["other"], TaskStatus.PENDING)
    assert after["a"].status == TaskStatus.HANDED_OFF
