"""The state goes out in the background: seldom, at once where it must, and never in the way of the run."""

from itertools import pairwise

import anyio
import pytest

from orchestrate.engine.assembly import Showing
from orchestrate.engine.publish import PACE_SECONDS
from orchestrate.errors import Refused, Unavailable
from orchestrate.ports import Published, Superseded
from tests.support import virtual_time
from tests.support.builders import a_plan, a_task
from tests.support.engine_room import EngineRoom, ends_after, never_ends


class MemoryMedium:
    """Remembers when what was published; ``trouble`` is asked before each push for the error that it meets."""

    ref = "orch-state/shop"

    def __init__(self, *, seconds=0.0):
        self.moments = []
        self.files = []
        self.trouble = lambda push: None
        self.seconds = seconds

    async def publish(self, files):
        self.moments.append(virtual_time.LoopClock().monotonic())
        await anyio.sleep(self.seconds)
        met = self.trouble(len(self.moments))
        if isinstance(met, Exception):
            raise met
        self.files.append(files)
        return met or Published(self.ref, f"c{len(self.files)}")


class StateExhibits:
    """How many records there are, in the place of a state."""

    def __init__(self, ledger):
        self._ledger = ledger

    async def exhibits(self):
        return {"state.json": str(len(self._ledger.records)).encode()}


def shown(room, **options):
    medium = MemoryMedium(**options)
    room.showing = Showing(StateExhibits(room.ledger), medium)
    return medium


def chain(length, seconds):
    """Tasks one after the other."""
    tasks = [a_task(f"t{n}", depends_on=(f"t{n - 1}",) if n else ()) for n in range(length)]
    room = EngineRoom(a_plan(*tasks))
    room.agents = {f"t{n}": ends_after(seconds, branch=f"cursor/t{n}") for n in range(length)}
    return room


def gaps(moments):
    return [later - earlier for earlier, later in pairwise(moments)]


def test_there_is_one_push_in_ten_seconds_at_most_and_the_last_state_is_there_at_the_end():
    room = chain(30, 1)
    medium = shown(room)
    assert room.run() == 0
    assert all(gap >= PACE_SECONDS for gap in gaps(medium.moments[:-1]))
    assert len(medium.moments) <= room.seconds[0] / PACE_SECONDS + 2
    assert medium.files[-1] == {"state.json": str(len(room.ledger.records)).encode()}


def test_nothing_is_pushed_while_nothing_changes():
    room = EngineRoom(a_plan("a"))
    room.agents["a"] = ends_after(1_000)
    medium = shown(room)
    assert room.run() == 0
    assert len(medium.moments) <= 4


def test_a_run_never_waits_for_a_push():
    quick, slow = chain(20, 1), chain(20, 1)
    shown(slow, seconds=300)
    assert (quick.run(), slow.run()) == (0, 0)
    ends = [[row.finished_at for row in room.state.rows.values()] for room in (quick, slow)]
    assert ends[0] == ends[1]


def test_an_engine_that_leaves_waits_only_so_long_for_its_last_push():
    quick, slow = chain(2, 1), chain(2, 1)
    shown(slow, seconds=300)
    quick.run()
    slow.run()
    assert slow.seconds[0] - quick.seconds[0] == pytest.approx(20, abs=0.5)
    assert slow.state.workspace.unpublished.reason == "git took more than 20 s"


def test_failures_are_counted_told_and_tried_again_less_and_less_often():
    room = EngineRoom(a_plan("a"))
    room.agents["a"] = ends_after(500)
    medium = shown(room)
    medium.trouble = lambda push: Unavailable("git push: no way there") if push <= 5 else None
    assert room.run() == 0
    assert gaps(medium.moments)[:4] == pytest.approx([20, 40, 80, 160])
    assert [line for line in room.attention if "3 times" in line]
    assert room.state.workspace.unpublished is None
    assert "again, after 5 failed pushes" in room.attention[-1]


def test_what_fails_at_the_end_is_in_the_state():
    room = EngineRoom(a_plan("a"))
    medium = shown(room)
    medium.trouble = lambda push: Refused("git push: authentication failed")
    assert room.run() == 0
    assert room.state.workspace.unpublished.failures >= 1
    assert room.ledger.records[-1].workspace.unpublished == room.state.workspace.unpublished
    assert "Check the git credentials of this machine." in "".join(room.attention)


def test_an_engine_leaves_to_a_newer_one_and_publishes_no_more():
    room = EngineRoom(a_plan("a"))
    room.agents["a"] = never_ends
    medium = shown(room)
    medium.trouble = lambda push: Superseded("orch-state/shop")
    assert room.run() == 1
    assert len(medium.moments) == 1
    assert room.state.rows["a"].status == "running"


def test_a_disk_that_cannot_be_read_is_a_failure_like_others():
    room = EngineRoom(a_plan("a"))
    medium = shown(room)
    medium.trouble = lambda push: OSError("no space left")
    assert room.run() == 0
    assert room.state.workspace.unpublished.reason == "no space left"
