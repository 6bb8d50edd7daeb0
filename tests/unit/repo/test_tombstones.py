"""A tombstone beside the published state: put, seen, taken away, whoever pushes meanwhile."""

import pytest

from orchestrate.errors import Refused, Unavailable
from orchestrate.model.stops import Stop
from orchestrate.repo.tombstones import GitTombstone
from tests.support.clones import FOLDER, SLUG, clone, our_git
from tests.support.pushed_trees import PushedTree, worker, workspace_of

__all__ = ["clone"]

BRANCH = f"orch-state/{SLUG}"
OURS = workspace_of(SLUG)
STOP = Stop("s1", by="ana", at="2026-03-04T14:31:36.123Z", workspace=OURS)


async def tombstone(clone, **fields):
    return GitTombstone(our_git(), await clone.site(), slug=SLUG, **fields)


@pytest.fixture
def published(clone):
    PushedTree(clone.remote).push(BRANCH, SLUG, [worker(SLUG, "leaf")])
    return clone


async def test_it_stands_beside_the_state_until_it_is_taken_away(published):
    published.make_busy()
    before = (published.foreign_files(), published.foreign_entries(), published.run("rev-parse", "HEAD"))
    ours, theirs = await tombstone(published, workspace=OURS), await tombstone(published)
    assert (ours.ref, await ours.look()) == (BRANCH, None)
    await theirs.put(STOP)
    assert await ours.look() == STOP
    assert '"s1"' in published.remote.read(BRANCH, f"{FOLDER}/stop.json")
    assert "leaf" in published.remote.read(BRANCH, f"{FOLDER}/state.json")
    assert await ours.remove() == STOP
    assert (await ours.look(), await theirs.look(), await ours.remove()) == (None, None, None)
    assert "leaf" in published.remote.read(BRANCH, f"{FOLDER}/state.json")
    assert (published.foreign_files(), published.foreign_entries(), published.run("rev-parse", "HEAD")) == before


async def test_that_of_another_workspace_of_the_same_name_stops_nobody_here(published):
    await (await tombstone(published)).put(STOP)
    other = await tombstone(published, workspace=workspace_of("other"))
    assert (await other.look(), await other.remove()) == (None, None)
    assert await (await tombstone(published, workspace=OURS)).look() == STOP


async def test_it_is_put_where_no_state_is_yet(clone):
    await (await tombstone(clone)).put(STOP)
    assert await (await tombstone(clone, workspace=OURS)).look() == STOP


async def test_a_state_that_is_published_over_it_keeps_it(published):
    medium = await published.medium()
    await medium.publish({"state.json": b"{1}"})
    ours = await tombstone(published, workspace=OURS)
    await ours.put(STOP)
    await medium.publish({"state.json": b"{2}"})
    assert await ours.look() == STOP
    assert published.remote.read(BRANCH, f"{FOLDER}/state.json") == "{2}"


@pytest.mark.parametrize("kind", ["link", "large", "broken"])
async def test_something_in_its_place_stops_as_well(published, kind):
    name = f"{FOLDER}/stop.json"
    files = {"large": {name: " " * 100_000}, "broken": {name: "{"}, "link": {}}[kind]
    PushedTree(published.remote).put(BRANCH, files, links={name: "/etc/passwd"} if kind == "link" else None)
    assert (await (await tombstone(published, workspace=OURS)).look()).by == "somebody"


async def test_a_remote_that_takes_none_is_told_with_its_words(published):
    hook = published.remote.path / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(Unavailable, match="hook declined"):
        await (await tombstone(published)).put(STOP)


async def test_a_remote_that_is_gone_is_an_error(published):
    ours = await tombstone(published)
    published.remote.path.rename(published.remote.path.with_name("away.git"))
    with pytest.raises(Refused):
        await ours.look()
