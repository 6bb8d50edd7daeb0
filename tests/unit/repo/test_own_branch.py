"""A planner in its own clone has its state on its branch, as long as that takes nothing of anybody's along."""

import pytest

from orchestrate.errors import Unavailable
from orchestrate.ports import Superseded
from orchestrate.repo.state_branches import state_branch
from tests.support.clones import FOLDER, SLUG, make_clone, planner
from tests.support.repositories import git

__all__ = ["planner"]

OWN, OTHER = "cursor/plan", state_branch(SLUG)
FILES = {"plan.json": b"{}", "state.json": b"{1}"}


async def test_the_state_is_on_the_branch_and_everything_else_is_as_it_was(planner):
    planner.make_busy()
    before = (planner.foreign_files(), planner.foreign_entries())
    published = await (await planner.medium(own=True)).publish(FILES)
    assert published.branch == OWN
    assert (planner.foreign_files(), planner.foreign_entries()) == before
    assert planner.run("rev-parse", "HEAD").strip() == planner.remote.heads()[OWN] == published.commit
    assert OTHER not in planner.remote.heads()


async def test_the_users_next_commit_leaves_the_state_alone(planner):
    planner.write("staged.txt", "staged\n")
    planner.run("add", "staged.txt")
    await (await planner.medium(own=True)).publish(FILES)
    planner.run("commit", "--quiet", "--message", "work")
    assert planner.run("show", "--name-only", "--format=", "HEAD").split() == ["staged.txt"]
    assert planner.run("show", f"HEAD:{FOLDER}/state.json") == "{1}"


async def test_a_commit_that_was_not_pushed_sends_the_state_to_its_own_branch(planner):
    mine = planner.commit("work.txt", "work\n")
    assert (await (await planner.medium(own=True)).publish(FILES)).branch == OTHER
    assert mine not in git("rev-list", "--all", at=planner.remote.path)
    assert planner.run("rev-parse", "HEAD").strip() == mine


async def test_a_branch_that_somebody_else_moved_is_neither_merged_nor_rebased(planner):
    head = planner.run("rev-parse", "HEAD")
    planner.remote.commit(OWN, {"other.txt": "of somebody else\n"})
    assert (await (await planner.medium(own=True)).publish(FILES)).branch == OTHER
    assert planner.run("rev-parse", "HEAD") == head
    assert planner.run("status", "--porcelain") == ""


async def a_state_to_push(medium):
    tip = (await medium._own.free_tip())[1]
    blob = await medium._plumbing.blobs({f"{FOLDER}/state.json": b"{1}"})
    return tip, await medium._plumbing.commit(tip.commit, put=blob, message="a state"), blob


async def test_a_push_that_was_overtaken_is_taken_back(planner):
    head, medium = planner.run("rev-parse", "HEAD"), await planner.medium(own=True)
    tip, commit, blob = await a_state_to_push(medium)
    planner.remote.commit(OWN, {"other.txt": "of somebody else\n"})
    assert not await medium._own.publish(OWN, tip, commit, blobs=blob)
    assert planner.run("rev-parse", "HEAD") == head
    assert planner.run("ls-files", "--", FOLDER) == ""


async def test_a_push_that_fails_is_taken_back_and_told(planner):
    head, medium = planner.run("rev-parse", "HEAD"), await planner.medium(own=True)
    tip, commit, blob = await a_state_to_push(medium)
    hook = planner.remote.path / "hooks" / "update"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(Unavailable, match="hook declined"):
        await medium._own.publish(OWN, tip, commit, blobs=blob)
    assert planner.run("rev-parse", "HEAD") == head
    assert planner.run("status", "--porcelain") == ""


async def test_a_branch_that_moved_meanwhile_is_left_alone(planner):
    medium = await planner.medium(own=True)
    tip, commit, blob = await a_state_to_push(medium)
    mine = planner.commit("work.txt", "work\n")
    assert not await medium._own.publish(OWN, tip, commit, blobs=blob)
    assert planner.run("rev-parse", "HEAD").strip() == mine


async def test_an_index_that_somebody_holds_is_left_to_them(planner):
    (planner.top / ".git" / "index.lock").touch()
    assert (await (await planner.medium(own=True)).publish(FILES)).branch == OTHER


async def test_the_base_branch_and_no_branch_are_never_written_to(planner):
    for where in ("main", "--detach"):
        planner.run("checkout", "--quiet", where)
        head = planner.run("rev-parse", "HEAD")
        files = FILES | {"state.json": where.encode()}
        assert (await (await planner.medium(own=True)).publish(files)).branch == OTHER
        assert planner.run("rev-parse", "HEAD") == head


async def test_a_branch_that_the_remote_does_not_have_begins_there_only_without_commits(planner):
    planner.run("checkout", "--quiet", "-b", "cursor/new")
    assert (await (await planner.medium(own=True)).publish(FILES)).branch == "cursor/new"
    planner.run("checkout", "--quiet", "-b", "cursor/more")
    planner.commit("work.txt", "work\n")
    assert (await (await planner.medium(own=True)).publish(FILES)).branch == OTHER


async def test_states_that_a_crash_kept_back_go_out_with_the_next(planner):
    first = await planner.medium(own=True)
    await first.publish(FILES)
    old = planner.run("rev-parse", "HEAD~1").strip()
    git("update-ref", f"refs/heads/{OWN}", old, at=planner.remote.path)
    published = await first.publish(FILES | {"state.json": b"{2}"})
    assert (published.branch, planner.remote.heads()[OWN]) == (OWN, published.commit)


async def test_a_newer_engine_on_the_branch_is_seen(planner):
    await (await planner.medium(own=True, engine="e2", started="2026-01-02")).publish(FILES)
    older = await planner.medium(own=True)
    assert await older.publish(FILES | {"state.json": b"{0}"}) == Superseded(OWN)


async def test_another_clone_sees_the_state_on_the_branch(planner):
    await (await planner.medium(own=True)).publish(FILES)
    other = make_clone(planner.top.parent / "other", planner.remote)
    assert other.run("show", f"origin/{OWN}:{FOLDER}/state.json") == "{1}"
