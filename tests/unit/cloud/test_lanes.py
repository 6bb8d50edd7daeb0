import anyio
import httpx

from orchestrate.cloud.lanes import Lanes


class Transport(httpx.AsyncBaseTransport):
    def __init__(self):
        self.is_closed = False

    async def aclose(self):
        self.is_closed = True


async def test_the_lane_that_was_used_last_is_taken_first():
    lanes = Lanes(Transport, limit=None, spare=8)
    first, second = await lanes.take(), await lanes.take()
    assert first is not second
    await lanes.give_back(first)
    await lanes.give_back(second)
    assert await lanes.take() is second
    assert await lanes.take() is first


async def test_no_more_than_the_limit_are_lent():
    lanes, order = Lanes(Transport, limit=1, spare=1), []

    async def use(name):
        lane = await lanes.take()
        order.append(f"{name} begins")
        await anyio.lowlevel.checkpoint()
        order.append(f"{name} ends")
        await lanes.give_back(lane)

    async with anyio.create_task_group() as group:
        for name in ("first", "second"):
            group.start_soon(use, name)
    assert order in (
        ["first begins", "first ends", "second begins", "second ends"],
        ["second begins", "second ends", "first begins", "first ends"],
    )


async def test_lanes_beyond_the_spare_ones_are_closed():
    lanes = Lanes(Transport, limit=None, spare=1)
    kept, surplus = await lanes.take(), await lanes.take()
    await lanes.give_back(kept)
    await lanes.give_back(surplus)
    assert (kept.is_closed, surplus.is_closed) == (False, True)


async def test_closing_closes_the_idle_ones():
    lanes = Lanes(Transport, limit=None, spare=8)
    lane = await lanes.take()
    await lanes.give_back(lane)
    await lanes.aclose()
    assert lane.is_closed
