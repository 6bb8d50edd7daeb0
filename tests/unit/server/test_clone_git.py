import os

import pytest

from orchestrate.server.clone_git import opened_clone
from orchestrate.server.git import Git, GitFailed
from tests.support.repositories import git

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}
OUR_GIT = Git(ENVIRONMENT)


@pytest.fixture
def clone(tmp_path):
    path = tmp_path / "agent" / "clone"
    path.parent.mkdir()
    git("init", "--quiet", "--initial-branch=main", str(path), at=tmp_path)
    (path / "file.txt").write_text("one\n")
    (path / ".gitattributes").write_text("*.txt filter=planted\n")
    git("add", "--all", at=path)
    git("commit", "--quiet", "--message", "begin", at=path)
    return path


async def asked(path, *arguments):
    async with opened_clone(OUR_GIT, path) as its_git:
        return await its_git.line(*arguments)


async def test_a_clone_reads_as_its_own_git_reads_it(clone):
    git("pack-refs", "--all", at=clone)
    git("update-ref", "refs/remotes/origin/x", "HEAD", at=clone)
    (clone / "new.txt").write_text("x")
    (clone / ".git" / "info" / "exclude").write_text("ignored.txt\n")
    (clone / "ignored.txt").write_text("x")

    for question in (
        ("rev-parse", "HEAD"),
        ("symbolic-ref", "--short", "HEAD"),
        ("for-each-ref",),
        ("log", "--format=%s"),
        ("status", "--porcelain"),
    ):
        assert await asked(clone, *question) == git(*question, at=clone).strip(), question


async def test_what_is_written_is_in_the_clone_and_nothing_is_left_beside_it(clone):
    async with opened_clone(OUR_GIT, clone) as its_git:
        await its_git.run("update-ref", "--create-reflog", "refs/remotes/origin/x", "HEAD")

    assert "refs/remotes/origin/x" in git("for-each-ref", at=clone)
    assert git("reflog", "exists", "refs/remotes/origin/x", at=clone) == ""
    assert [path.name for path in clone.parent.iterdir()] == ["clone"]


@pytest.mark.parametrize(
    "name", ["filter.planted.clean", "core.fsmonitor", "core.alternateRefsCommand", "alias.status"]
)
async def test_no_program_that_the_clone_names_is_run(tmp_path, clone, name):
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/caught\ncat\n")
    trap.chmod(0o700)
    git("config", name, str(trap), at=clone)
    os.utime(clone / "file.txt", (1, 1))

    assert await asked(clone, "status", "--porcelain") == ""
    assert not (tmp_path / "caught").exists()


async def test_no_configuration_of_the_clone_is_read_but_how_it_is_stored(clone):
    git("config", "core.fileMode", "false", at=clone)
    git("config", "core.worktree", "/", at=clone)
    git("config", "url./elsewhere.pushInsteadOf", "/r", at=clone)

    settings = await asked(clone, "config", "--local", "--list")

    assert "core.filemode=false" in settings
    assert "worktree" not in settings
    assert "elsewhere" not in settings


async def test_a_clone_with_longer_names_of_objects_is_read(tmp_path):
    path = tmp_path / "clone"
    git("init", "--quiet", "--object-format=sha256", str(path), at=tmp_path)
    git("commit", "--quiet", "--allow-empty", "--message", "begin", at=path)

    assert len(await asked(path, "rev-parse", "HEAD")) == 64


def _is_elsewhere(clone):
    (clone / ".git").rename(clone.parent / "moved")
    (clone / ".git").write_text(f"gitdir: {clone.parent}/moved\n")


def _is_a_link(clone):
    (clone / ".git").rename(clone.parent / "moved")
    (clone / ".git").symlink_to(clone.parent / "moved")


def _has_a_pipe_for_a_head(clone):
    (clone / ".git" / "HEAD").unlink()
    os.mkfifo(clone / ".git" / "HEAD")


def _is_gone(clone):
    git("init", "--quiet", at=clone.parent)
    (clone / ".git").rename(clone.parent / "moved")


@pytest.mark.parametrize("damage", [_is_elsewhere, _is_a_link, _has_a_pipe_for_a_head, _is_gone])
async def test_a_repository_that_is_not_the_clones_own_is_not_touched(clone, damage):
    damage(clone)

    with pytest.raises(GitFailed, match="no repository of its own"):
        await asked(clone, "rev-parse", "HEAD")


async def test_a_folder_that_is_gone_is_told(tmp_path):
    with pytest.raises(GitFailed, match="no repository of its own"):
        await asked(tmp_path / "gone" / "clone", "rev-parse", "HEAD")
