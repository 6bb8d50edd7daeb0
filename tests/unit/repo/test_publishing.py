"""The state goes to a branch of its own, and nothing of the user's moves."""

import os
import shutil

import pytest

from orchestrate.errors import Refused, Unavailable
from orchestrate.ports import Published, Superseded
from orchestrate.repo.state_branches import state_branch
from tests.support.clones import FOLDER, SLUG, clone, make_clone
from tests.support.repositories import git

__all__ = ["clone"]

BRANCH = state_branch(SLUG)
FILES = {"plan.json": b"{}", "state.json": b"{1}", "handoffs/a.md": b"done\n"}


def files_on(remote, branch=BRANCH):
    return git("ls-tree", "-r", "--name-only", branch, at=remote.path).split()


async def test_a_user_on_a_branch_gets_none_of_our_commits_and_keeps_every_file_and_entry(clone):
    clone.make_busy()
    before = (clone.foreign_files(), clone.foreign_entries(), clone.run("rev-parse", "HEAD"), clone.run("status"))
    published = await (await clone.medium()).publish(FILES)
    after = (clone.foreign_files(), clone.foreign_entries(), clone.run("rev-parse", "HEAD"), clone.run("status"))
    assert after == before
    assert published == Published(BRANCH, clone.remote.heads()[BRANCH])
    assert files_on(clone.remote) == [f"{FOLDER}/{name}" for name in sorted(FILES)]
    assert clone.remote.heads().keys() == {"main", BRANCH}


async def test_unpushed_commits_of_the_user_stay_unpushed(clone):
    secret = clone.commit("unfinished.txt", "not yet\n")
    await (await clone.medium()).publish(FILES)
    assert secret not in git("rev-list", "--all", at=clone.remote.path)


async def test_what_is_there_already_is_not_pushed_again(clone):
    medium = await clone.medium()
    first = await medium.publish(FILES)
    assert await medium.publish(FILES) == Published(BRANCH, first.commit, is_new=False)
    again = await clone.medium(engine="e2", started="2026-01-02")
    assert await again.publish(FILES) == Published(BRANCH, first.commit, is_new=False)


async def test_states_follow_each_other_and_a_handoff_that_is_gone_is_gone_there(clone):
    medium = await clone.medium()
    await medium.publish(FILES)
    await medium.publish({"plan.json": b"{}", "state.json": b"{2}"})
    assert clone.remote.read(BRANCH, f"{FOLDER}/state.json") == "{2}"
    assert files_on(clone.remote) == [f"{FOLDER}/plan.json", f"{FOLDER}/state.json"]
    assert git("rev-list", "--count", BRANCH, at=clone.remote.path).strip() == "2"


async def test_files_that_others_have_put_there_meanwhile_stay(clone):
    medium = await clone.medium()
    await medium.publish(FILES)
    other = make_clone(clone.top.parent / "other", clone.remote)
    other.run("checkout", "--quiet", BRANCH)
    other.commit(f"{FOLDER}/stop.json", "{}")
    other.run("push", "--quiet", "origin", BRANCH)
    await medium.publish(FILES | {"state.json": b"{2}"})
    assert f"{FOLDER}/stop.json" in files_on(clone.remote)
    assert clone.remote.read(BRANCH, f"{FOLDER}/state.json") == "{2}"


async def test_an_older_engine_hears_that_a_newer_one_has_the_workspace(clone):
    older, newer = await clone.medium(), await clone.medium(engine="e2", started="2026-01-02")
    await older.publish(FILES)
    await newer.publish(FILES | {"state.json": b"{2}"})
    assert await older.publish(FILES | {"state.json": b"{3}"}) == Superseded(BRANCH)
    assert clone.remote.read(BRANCH, f"{FOLDER}/state.json") == "{2}"


async def test_commits_have_an_identity_where_the_user_has_set_none(clone):
    await (await clone.medium()).publish(FILES)
    said = git("log", "-1", "--format=%an <%ae> %cn <%ce>", BRANCH, at=clone.remote.path).strip()
    assert said == "orchestrate <orchestrate@localhost> orchestrate <orchestrate@localhost>"


async def test_the_users_own_identity_is_kept(clone):
    clone.run("config", "user.name", "Ana")
    clone.run("config", "user.email", "ana@example.com")
    await (await clone.medium()).publish(FILES)
    assert git("log", "-1", "--format=%an %ae", BRANCH, at=clone.remote.path).strip() == "Ana ana@example.com"


async def test_a_remote_that_is_gone_is_an_error_and_comes_back(clone):
    medium = await clone.medium()
    away = clone.remote.path.rename(clone.remote.path.with_name("away.git"))
    with pytest.raises(Refused):
        await medium.publish(FILES)
    away.rename(clone.remote.path)
    assert (await medium.publish(FILES)).is_new


async def test_a_server_that_declines_is_told_with_its_words(clone):
    hook = clone.remote.path / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho 'no states here' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(Unavailable, match="pre-receive hook declined"):
        await (await clone.medium()).publish(FILES)


async def test_a_repository_that_is_its_own_remote_gets_the_branch(tmp_path, clone):
    clone.make_busy()
    before = (clone.foreign_files(), clone.foreign_entries())
    medium = await type(clone)(clone.top, type(clone.remote)(clone.top)).medium(own=True)
    assert (await medium.publish(FILES)).branch == BRANCH
    assert (await medium.publish(FILES | {"state.json": b"{2}"})).is_new
    assert clone.run("show", f"{BRANCH}:{FOLDER}/state.json") == "{2}"
    assert (clone.foreign_files(), clone.foreign_entries()) == before


async def test_a_push_after_the_first_is_six_programs(clone, tmp_path):
    real, script, called = shutil.which("git"), tmp_path / "bin" / "git", tmp_path / "called"
    script.parent.mkdir()
    command = "for word in hash-object read-tree update-index write-tree commit-tree push config ls-remote fetch"
    listed = f'{command}; do for given in "$@"; do [ "$given" = $word ] && echo $word >> {called}; done; done'
    script.write_text(f'#!/bin/sh\n{listed}\nexec {real} "$@"\n')
    script.chmod(0o755)
    medium = await clone.medium(PATH=f"{script.parent}:{os.environ['PATH']}")
    await medium.publish(FILES)
    called.unlink()
    await medium.publish({**FILES, "handoffs/b.md": b"done\n"})
    assert called.read_text().split() == [
        "hash-object",
        "read-tree",
        "update-index",
        "write-tree",
        "commit-tree",
        "push",
    ]
