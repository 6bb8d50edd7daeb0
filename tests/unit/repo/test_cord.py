"""The tree's andon: in the root's state on git, and beside it what planners below have raised."""

import json

import pytest

from orchestrate.errors import Unavailable
from orchestrate.model.rows import Andon
from orchestrate.repo.cord import GitCord
from orchestrate.repo.state_branches import state_branch
from tests.support.clones import FOLDER, SLUG, clone, make_clone, our_git

__all__ = ["clone"]

BRANCH, PATH = state_branch(SLUG), f"{FOLDER}/state.json"
EARLY, LATE, LATEST = (f"2026-01-02T00:00:0{n}.000Z" for n in (1, 2, 3))
WORKSPACE = "11111111-1111-4111-8111-111111111111"


def state(**andon):
    return json.dumps({"tasks": [], **({"andon": andon} if andon else {})}).encode()


async def cord_of(clone):
    return GitCord(our_git(), await clone.site(), branch=BRANCH, path=PATH, workspace=WORKSPACE)


async def published(clone, data):
    await (await clone.medium()).publish({"state.json": data})


async def test_what_the_root_publishes_is_seen(clone):
    cord = await cord_of(make_clone(clone.top.parent / "child", clone.remote))
    await published(clone, state())
    assert await cord.look() is None
    await published(clone, state(raisedAt=EARLY, raisedBy="ana", reason="stop"))
    assert await cord.look() == await cord.look() == Andon(EARLY, "ana", "stop")


async def test_a_planner_below_raises_it_for_all_until_the_root_has_cleared_it(clone):
    below = await cord_of(make_clone(clone.top.parent / "child", clone.remote))
    other = await cord_of(clone)
    await published(clone, state(raisedAt=EARLY, cleared=True, clearedAt=EARLY))
    mine = Andon(LATE, "child", "tests are gone")
    await below.pull(mine)
    await below.pull(mine)
    assert await other.look() == mine
    await published(clone, state(raisedAt=LATE, cleared=True, clearedAt=LATEST, clearedBy="ana"))
    assert (await other.look()).cleared_by == "ana"


async def test_a_raise_survives_the_next_state_of_the_root(clone):
    medium, below = await clone.medium(), await cord_of(make_clone(clone.top.parent / "child", clone.remote))
    await medium.publish({"state.json": state()})
    await below.pull(Andon(LATE, "child", "x"))
    await medium.publish({"state.json": state() + b"\n"})
    assert (await below.look()).raised_by == "child"


async def test_what_is_no_raise_is_passed_over(clone):
    await published(clone, state())
    other = make_clone(clone.top.parent / "child", clone.remote)
    other.run("checkout", "--quiet", BRANCH)
    other.commit(f"{FOLDER}/andon/odd.json", "no json")
    other.commit(f"{FOLDER}/andon/large.json", json.dumps({"raisedAt": LATE, "reason": "x" * 20_000}))
    other.commit(f"{FOLDER}/andon/deep/er.json", json.dumps({"raisedAt": LATE}))
    other.run("push", "--quiet", "origin", BRANCH)
    assert await (await cord_of(clone)).look() is None


@pytest.mark.parametrize("data", [None, b"no json", b'{"tasks": [], "andon": 5}'])
async def test_where_nobody_can_tell_that_is_an_error(clone, data):
    if data is not None:
        await published(clone, data)
    with pytest.raises(Unavailable):
        await (await cord_of(clone)).look()


async def test_a_branch_without_the_state_is_an_error(clone):
    clone.remote.commit(BRANCH, {"other.txt": "x"})
    with pytest.raises(Unavailable, match="has no"):
        await (await cord_of(clone)).look()
