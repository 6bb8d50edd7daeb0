"""Looking branches up: many in one call, and never for longer than somebody can wait."""

import anyio

from orchestrate.core.effects import LookUpRefs
from orchestrate.core.ref_events import RefsSeen, SeenRef, WantedRef
from orchestrate.engine.look_ups import DEADLINE_SECONDS, GATHERING_SECONDS, RefLooker
from orchestrate.errors import Unavailable
from tests.support.memory_store import MemoryHeads
from tests.support.virtual_time import LoopClock, virtually


def order(*tasks, is_awaited=False):
    return LookUpRefs(refs=tuple(WantedRef(task, 1, f"cursor/{task}", "main") for task in tasks), is_awaited=is_awaited)


def there(task):
    return SeenRef(task, 1, f"cursor/{task}", f"sha of cursor/{task}", "sha of main")


class Asked:
    """Answers of one looker, in the order in which they came, each with its moment."""

    def __init__(self):
        self.heads, self.clock = MemoryHeads(), LoopClock()
        self.looker = RefLooker(self.heads, clock=self.clock)
        self.answers = []
        self.began_at = self.clock.monotonic()

    async def ask(self, effect, *, after=0.0):
        await anyio.sleep(after)
        event = await self.looker.look_up(effect)
        self.answers.append((round(self.clock.monotonic() - self.began_at, 3), event))


@virtually
async def test_what_is_there_has_its_commit_and_its_start():
    asked = Asked()
    asked.heads.absent = {"cursor/b"}
    await asked.ask(order("a", "b", is_awaited=True))
    assert asked.answers == [(0.0, RefsSeen(refs=(there("a"), SeenRef("b", 1, "cursor/b", None, "sha of main"))))]


@virtually
async def test_a_ref_without_a_start_asks_for_its_branch_alone():
    asked = Asked()
    await asked.ask(LookUpRefs(refs=(WantedRef("a", 1, "cursor/a"),), is_awaited=True))
    assert asked.heads.asked == [("cursor/a",)]
    assert asked.answers[0][1].refs == (SeenRef("a", 1, "cursor/a", "sha of cursor/a"),)


@virtually
async def test_orders_that_come_together_are_one_call():
    asked = Asked()
    async with anyio.create_task_group() as group:
        for place, task in enumerate("abc"):
            group.start_soon(lambda task=task, place=place: asked.ask(order(task), after=place / 10))
    assert asked.heads.asked == [("cursor/a", "cursor/b", "cursor/c", "main")]
    assert [event.refs for _, event in asked.answers] == [(there("a"),), (there("b"),), (there("c"),)]
    assert {moment for moment, _ in asked.answers} == {GATHERING_SECONDS}


@virtually
async def test_an_awaited_order_waits_for_no_others_and_takes_them_along():
    asked = Asked()
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: asked.ask(order("a")))
        group.start_soon(lambda: asked.ask(order("b", is_awaited=True), after=0.1))
    assert len(asked.heads.asked) == 1
    assert {moment for moment, _ in asked.answers} == {0.1}


@virtually
async def test_the_next_batch_is_open_while_a_call_goes_on():
    asked = Asked()

    async def slow():
        await anyio.sleep(3)

    asked.heads.trouble = slow
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: asked.ask(order("a", is_awaited=True)))
        group.start_soon(lambda: asked.ask(order("b", is_awaited=True), after=1))
    assert [moment for moment, _ in asked.answers] == [3.0, 4.0]


@virtually
async def test_a_remote_that_does_not_answer_is_given_up():
    asked = Asked()
    asked.heads.trouble = anyio.sleep_forever
    await asked.ask(order("a", is_awaited=True))
    refs = (SeenRef("a", 1, "cursor/a"),)
    words = f"no answer within {DEADLINE_SECONDS:g} seconds"
    assert asked.answers == [(DEADLINE_SECONDS, RefsSeen(refs=refs, unknown=words))]


@virtually
async def test_a_remote_that_cannot_be_asked_is_told_to_all_who_asked():
    asked = Asked()

    async def fail():
        raise Unavailable("git ls-remote: no route", code="git_failed")

    asked.heads.trouble = fail
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: asked.ask(order("a")))
        group.start_soon(lambda: asked.ask(order("b")))
    assert [event.unknown for _, event in asked.answers] == ["git ls-remote: no route"] * 2
