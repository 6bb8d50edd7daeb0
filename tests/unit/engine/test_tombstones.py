"""A kill from elsewhere reaches the engine where its state is published."""

from itertools import pairwise

from orchestrate.errors import Unavailable
from orchestrate.model.stops import Stop
from orchestrate.model.vocabulary import TaskStatus
from tests.support import virtual_time
from tests.support.builders import a_plan, a_task, moment
from tests.support.engine_room import EngineRoom, ends_after

STOP = Stop("s1", by="ana@elsewhere", at=moment())


class MemoryTombstone:
    def __init__(self, *said):
        #: What it says look after look; the last one stays. An exception is met.
        self.said = list(said)
        self.looks = []

    async def look(self):
        self.looks.append(virtual_time.LoopClock().monotonic())
        said = self.said.pop(0) if len(self.said) > 1 else self.said[0]
        if isinstance(said, Exception):
            raise said
        return said


def chain(*said, length=12):
    tasks = [a_task(f"t{n}", depends_on=(f"t{n - 1}",) if n else ()) for n in range(length)]
    room = EngineRoom(a_plan(*tasks))
    room.agents = {f"t{n}": ends_after(25, branch=f"cursor/t{n}") for n in range(length)}
    room.tombstone = MemoryTombstone(*said)
    return room


def test_nothing_is_launched_after_the_look_that_finds_it_and_what_runs_is_cancelled():
    room = chain(None, STOP)
    assert room.run() == 1
    assert len(room.tombstone.looks) >= 2
    assert room.service.count("create_agent") == 3
    statuses = [row.status for row in room.rows.values()]
    assert statuses[:3] == [TaskStatus.HANDED_OFF] * 2 + [TaskStatus.CANCELLED]
    assert set(statuses[3:]) == {TaskStatus.PENDING}
    assert [line for line in room.attention if "ana@elsewhere stopped this run" in line]


def test_it_is_looked_for_every_thirty_seconds_and_silence_stops_nobody():
    room = chain(Unavailable("no way there"))
    assert room.run() == 0
    looks = room.tombstone.looks
    assert len(looks) >= 9
    assert {round(after - before) for before, after in pairwise(looks)} == {30}


def test_the_same_tombstone_is_told_once():
    room = chain(STOP)
    assert room.run() == 1
    assert len([line for line in room.attention if "stopped this run" in line]) == 1
