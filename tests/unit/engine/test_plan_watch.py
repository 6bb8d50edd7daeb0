"""The plan's file while it runs: taken in once it lies still and is good, and otherwise told once."""

import anyio

from orchestrate.core.events import PlanRead
from orchestrate.core.plan_events import PlanNotTaken
from orchestrate.engine.inbox import Inbox
from orchestrate.engine.plan_watch import PlanWatcher
from orchestrate.errors import InputRefused, PlanRefused
from orchestrate.model.faults import Fault
from orchestrate.text.redaction import Redactor
from tests.support.builders import a_plan, a_task
from tests.support.engine_room import EngineRoom, ends_after
from tests.support.memory_store import MemoryPlanFile
from tests.support.virtual_time import LoopClock, virtually

PLAN, OTHER = a_plan("a"), a_plan("a", "b")
FAULTY = PlanRefused("the plan has 4 faults", faults=[Fault("tasks[0].name", f"wrong {place}", 3) for place in "abcd"])


class Desk:
    """A watcher at a file."""

    def __init__(self):
        self.file, self.inbox = MemoryPlanFile(PLAN), Inbox(Redactor())
        self.watcher = PlanWatcher(self.file, clock=LoopClock(), inbox=self.inbox)

    async def told(self, *contents, pause=5.0):
        """What is told while the file becomes each of these, with a pause behind each."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.watcher.run)
            for content in contents:
                self.file.write(content)
                await anyio.sleep(pause)
            tasks.cancel_scope.cancel()
        return list(self.inbox._events)


@virtually
async def test_a_changed_plan_is_taken_in_once():
    assert await Desk().told(OTHER) == [PlanRead(plan=OTHER)]


@virtually
async def test_the_plan_that_it_began_with_is_no_news():
    assert await Desk().told(PLAN) == []


@virtually
async def test_a_file_that_moves_is_left_alone_until_it_lies_still():
    desk = Desk()
    assert await desk.told(*[FAULTY] * 20, pause=0.5) == []
    assert desk.file.reads == 0
    assert await desk.told(OTHER) == [PlanRead(plan=OTHER)]


@virtually
async def test_a_file_that_changes_while_it_is_read_is_read_again():
    desk = Desk()
    desk.file.on_read = lambda: desk.file.write(OTHER)
    assert await desk.told(FAULTY) == [PlanRead(plan=OTHER)]


@virtually
async def test_a_faulty_plan_is_told_once_and_with_its_first_faults():
    (event,) = await Desk().told(FAULTY, FAULTY, FAULTY)
    assert isinstance(event, PlanNotTaken)
    assert event.message == (
        "plan.json was changed and is not taken in: line 3 tasks[0].name: wrong a; line 3 tasks[0].name: wrong b;"
        " line 3 tasks[0].name: wrong c (and 1 more). The plan in force stays; it is read again when it changes."
    )


@virtually
async def test_a_file_that_is_gone_is_told_once_and_again_after_it_was_good():
    gone = InputRefused("plan.json cannot be read: no such file.")
    events = await Desk().told(gone, PLAN, gone)
    assert [event.message[:77] for event in events] == [
        "plan.json was changed and is not taken in: plan.json cannot be read: no such "
    ] * 2


def test_an_engine_launches_what_came_and_prunes_what_went_while_it_runs():
    room = EngineRoom(a_plan("a", a_task("gone", depends_on=("a",))))
    room.agents["a"] = ends_after(60, branch="cursor/a")

    @room.meanwhile
    async def _():
        await anyio.sleep(10)
        room.plan_file.write(a_plan("a", "b"))

    assert room.run() == 0
    assert {name: row.status.value for name, row in room.rows.items()} == {
        "a": "handed-off",
        "b": "handed-off",
        "gone": "pruned",
    }
    assert "b is done." in room.service.requests[room.agent_id("b")].prompt.text
    assert "plan.json was changed and is in force: new: b; gone: gone." in room.attention


def test_a_budget_that_is_raised_while_it_runs_is_read_at_once():
    plan = a_plan("a", "b", limits={"budgetCents": 500})
    room = EngineRoom(plan)
    room.agents["a"] = ends_after(60, branch="cursor/a")

    @room.meanwhile
    async def _():
        await anyio.sleep(10)
        room.plan_file.write(a_plan("a", "b", limits={"budgetCents": 1000}))
        await anyio.sleep(5)
        assert room.rows["b"].attempts == 1

    assert room.run() == 0
