"""An engine below a root obeys the andon of its tree, and raises it for all."""

import anyio
import pytest

from orchestrate.errors import Unavailable
from orchestrate.model.inbox_requests import AndonClearRequest, AndonRaiseRequest
from orchestrate.model.rows import Andon
from tests.support import virtual_time
from tests.support.builders import a_plan, a_task, moment
from tests.support.engine_room import EngineRoom, ends_after

CHILD = {"andonStateRef": "orch-state/top", "andonStatePath": ".orchestrate/top/state.json"}


class MemoryCord:
    ref = "orch-state/top"

    def __init__(self):
        #: What it is from these seconds on; an exception is met.
        self.says = [(0, None)]
        self.looks = []
        self.pulled = []
        self.trouble = 0

    async def look(self):
        now = virtual_time.LoopClock().monotonic()
        self.looks.append(now)
        said = [value for since, value in self.says if since <= now - self.looks[0]][-1]
        if isinstance(said, Exception):
            raise said
        return said

    async def pull(self, andon):
        if self.trouble:
            self.trouble -= 1
            raise Unavailable("no way there")
        self.pulled.append(andon)


def chain(length, *, seconds=10, is_strict=False, **fields):
    tasks = [a_task(f"t{n}", depends_on=(f"t{n - 1}",) if n else ()) for n in range(length)]
    room = EngineRoom(a_plan(*tasks, **fields))
    room.agents = {f"t{n}": ends_after(seconds, branch=f"cursor/t{n}") for n in range(length)}
    room.cord, room.is_andon_strict = MemoryCord(), is_strict
    return room


def test_a_raised_andon_of_the_tree_stops_launches_within_a_look():
    room = chain(12, **CHILD)
    room.cord.says.append((25, Andon(moment(1), "root", "stop")))
    assert room.run() == 1
    assert room.service.count("create_agent") <= 5
    assert [line for line in room.attention if "root raised the andon of the tree: stop" in line]


def test_it_is_looked_at_every_thirty_seconds():
    room = chain(12, **CHILD)
    assert room.run() == 0
    looks = room.cord.looks
    assert [later - looks[0] for later in looks] == pytest.approx([30 * n for n in range(len(looks))], abs=0.5)


def test_three_misses_are_told_and_launching_goes_on():
    room = chain(14, **CHILD)
    room.cord.says += [(1, Unavailable("timed out")), (95, None)]
    assert room.run() == 0
    told = [line for line in room.attention if "andon" in line]
    assert "andon unknown since" in told[0]
    assert told[1] == "the andon of the tree can be read again."


def test_a_strict_engine_launches_nothing_meanwhile():
    room = chain(14, is_strict=True, **CHILD)
    room.cord.says.append((1, Unavailable("timed out")))
    assert room.run() == 1
    assert room.service.count("create_agent") < 14


def test_a_planner_raises_it_for_the_whole_tree_also_when_git_is_away_for_a_moment():
    room = chain(3, seconds=60, **CHILD)
    room.cord.trouble = 2

    @room.meanwhile
    async def _():
        await anyio.sleep(5)
        room.requests.waiting.append(AndonRaiseRequest("r1", "ana", reason="stop"))

    assert room.run() == 1
    assert [andon.reason for andon in room.cord.pulled] == ["stop"]
    assert room.service.count("create_agent") == 1


def test_a_root_takes_what_planners_below_have_raised_and_clears_it():
    room = chain(3, seconds=100)
    room.cord.says.append((20, Andon("2999-01-01T00:00:00.000Z", "child", "stop")))

    @room.meanwhile
    async def _():
        await anyio.sleep(50)
        room.requests.waiting.append(AndonClearRequest("r1", "ana", note="go"))

    assert room.run() == 0
    assert room.cord.pulled == []
    assert "child raised the andon of the tree: stop. Nothing is launched." in room.attention


def test_a_root_that_has_published_nothing_yet_misses_nothing():
    room = chain(12)
    room.cord.says = [(0, Unavailable("not on the remote"))]
    assert room.run() == 0
    assert not [line for line in room.attention if "andon" in line]
