from dataclasses import replace

import pytest

from orchestrate.model.names import is_valid_ref
from orchestrate.server.clones import Clone, branch_name, is_on_the_remote, make_clone, remove_clone, settle
from orchestrate.server.git import Git, GitFailed
from orchestrate.server.mirrors import Mirrors
from tests.support.repositories import git, make_remote

OUR_GIT = Git({"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"})


@pytest.fixture
def remote(tmp_path):
    return make_remote(tmp_path / "remote.git")


@pytest.fixture
def clone(tmp_path, remote):
    start = remote.heads()["main"]
    return Clone(tmp_path / "agent" / "clone", remote.url, "cursor/x", start, frozenset({"main"}))


async def made(tmp_path, clone, *, branch=None):
    mirror = await Mirrors(tmp_path / "mirrors", OUR_GIT).fresh(clone.url)
    await make_clone(OUR_GIT, clone, mirror=mirror, branch=branch)
    return clone.path


def commit(path, name="new.txt"):
    (path / name).write_text("new")
    git("add", "--all", at=path)
    git("commit", "--quiet", "--message", name, at=path)


async def test_a_clone_has_a_branch_of_its_own_and_the_real_remote(tmp_path, remote, clone):
    path = await made(tmp_path, clone)

    assert git("branch", "--show-current", at=path) == "cursor/x\n"
    assert git("remote", "get-url", "origin", at=path).strip() == remote.url
    assert [entry.name for entry in path.parent.iterdir()] == ["clone"]


async def test_a_clone_that_cannot_be_finished_is_not_there(tmp_path, clone):
    with pytest.raises(GitFailed):
        await made(tmp_path, replace(clone, start="0" * 40))
    assert not clone.path.exists()
    assert await made(tmp_path, clone)


async def test_a_clone_may_go_on_with_a_branch(tmp_path, remote, clone):
    tip = remote.commit("feature/x", {"a": "a"})

    path = await made(tmp_path, clone, branch="feature/x")

    assert git("branch", "--show-current", at=path) == "feature/x\n"
    assert git("rev-parse", "HEAD", at=path).strip() == tip


async def test_a_branch_that_is_gone_is_named(tmp_path, clone):
    with pytest.raises(GitFailed, match="its branch gone is not on the remote any more"):
        await made(tmp_path, clone, branch="gone")


async def test_what_is_settled_is_on_the_remote(tmp_path, remote, clone):
    path = await made(tmp_path, clone)
    commit(path)
    assert not await is_on_the_remote(OUR_GIT, clone)

    settlement = await settle(OUR_GIT, clone)

    assert (settlement.branch, settlement.is_disposable) == ("cursor/x", True)
    assert settlement.notes == ("pushed 1 commit that the agent had not pushed to cursor/x",)
    git("branch", "--delete", "--force", "cursor/x", at=remote.path)
    assert await is_on_the_remote(OUR_GIT, clone)


async def test_untracked_artifacts_are_no_work_that_was_forgotten(tmp_path, clone):
    path = await made(tmp_path, clone)
    (path / "artifacts").mkdir()
    (path / "artifacts" / "report.txt").write_text("x")
    assert (await settle(OUR_GIT, clone)).is_disposable

    (path / "other.txt").write_text("x")
    settlement = await settle(OUR_GIT, clone)
    assert not settlement.is_disposable
    assert "uncommitted work" in settlement.notes[0]


async def test_a_clone_is_removed_once_and_for_all(tmp_path, clone):
    await made(tmp_path, clone)
    for _ in range(2):
        await remove_clone(clone.path)
        assert not clone.path.exists()


def test_a_branch_is_named_after_the_last_part_of_the_agents_name():
    assert branch_name("root/fix-date", agent_id="bc-1").startswith("cursor/fix-date-")


def test_two_agents_of_one_name_have_two_branches():
    assert branch_name("x", agent_id="bc-1") != branch_name("x", agent_id="bc-2")


def test_any_name_gives_a_branch_that_git_takes():
    for name in ("", "///", "ä ö", "..", "-x-", "a.lock", "A B\nC", "x" * 100, "~^:?*[\\"):
        assert is_valid_ref(branch_name(name, agent_id="bc-1")), name


async def test_the_clone_cannot_name_another_remote_or_a_program_for_the_push(tmp_path, remote, clone):
    clone = replace(clone, url=f"file://{remote.path}")
    path = await made(tmp_path, clone)
    trap = tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\ntouch {tmp_path}/caught\nexec git-receive-pack "$@"\n')
    trap.chmod(0o700)
    git("config", f"remote.{clone.url}.receivepack", str(trap), at=path)
    git("config", f"url.{tmp_path}/elsewhere.pushInsteadOf", clone.url, at=path)
    commit(path)

    assert (await settle(OUR_GIT, clone)).branch == "cursor/x"
    assert not (tmp_path / "caught").exists()
    assert "cursor/x" in remote.heads()


async def test_nothing_is_pushed_to_a_branch_that_could_be_taken_for_an_option(tmp_path, remote, clone):
    path = await made(tmp_path, clone)
    commit(path)
    git("update-ref", "refs/heads/-x", "HEAD", at=path)
    git("symbolic-ref", "HEAD", "refs/heads/-x", at=path)

    assert (await settle(OUR_GIT, clone)).branch == "cursor/x"
    assert set(remote.heads()) == {"main", "cursor/x"}


async def test_a_clone_with_submodules_stays(tmp_path, remote, clone):
    path = await made(tmp_path, clone)
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", remote.url, "part", at=path)
    commit(path)
    trap = f"touch {tmp_path}/caught; cat"
    git("config", "filter.planted.clean", trap, at=path / "part")
    (path / "part" / ".gitattributes").write_text("* filter=planted\n")

    settlement = await settle(OUR_GIT, clone)

    assert (settlement.branch, settlement.is_disposable) == ("cursor/x", False)
    assert any("submodules" in note for note in settlement.notes)
    assert not await is_on_the_remote(OUR_GIT, clone)
    assert not (tmp_path / "caught").exists()


async def test_the_repository_of_somebody_else_is_not_pushed(tmp_path, remote, clone):
    path = await made(tmp_path, clone)
    commit(path)
    (path / ".git").rename(tmp_path / "elsewhere")
    (path / ".git").write_text(f"gitdir: {tmp_path}/elsewhere\n")

    settlement = await settle(OUR_GIT, clone)

    assert (settlement.branch, settlement.is_disposable) == (None, False)
    assert "no repository of its own" in settlement.notes[0]
    assert set(remote.heads()) == {"main"}
