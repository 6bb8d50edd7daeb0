import os
from pathlib import Path

import pytest

from orchestrate.errors import ServiceError
from orchestrate.repo.checkout import fetched
from orchestrate.repo.git import Git
from tests.support.repositories import git, remote

__all__ = ["remote"]

GIT = Git({"PATH": os.environ["PATH"]})


async def test_each_checkout_has_the_files_of_the_commit_and_a_repository_of_its_own(remote):
    sha = remote.commit("cursor/a", {"a.py": "x = 1\n"})
    remote.commit("cursor/a", {"a.py": "later\n"})
    async with fetched(GIT, remote.url, branch="cursor/a", sha=sha) as commit:
        first, second = await commit.check_out("one"), await commit.check_out("two")
        assert (first / "a.py").read_text() == (second / "a.py").read_text() == "x = 1\n"
        assert git("rev-parse", "HEAD", at=first).strip() == sha
        (first / "locked").mkdir(mode=0o000)
        folder = commit.folder
    assert not folder.exists()


async def test_no_hook_and_no_filter_of_this_machine_has_a_part_in_it(remote, tmp_path):
    config, mark = tmp_path / "config", tmp_path / "ran"
    config.write_text(f'[filter "mark"]\n\tsmudge = touch {mark}; cat\n[core]\n\thooksPath = {tmp_path}\n')
    (tmp_path / "post-checkout").write_text(f"#!/bin/sh\ntouch {mark}\n")
    (tmp_path / "post-checkout").chmod(0o755)
    sha = remote.commit("cursor/a", {"a.txt": "x\n", ".gitattributes": "*.txt filter=mark\n"})
    theirs = Git({"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": str(config)})
    async with fetched(theirs, remote.url, branch="cursor/a", sha=sha) as commit:
        assert (await commit.check_out("one") / "a.txt").read_text() == "x\n"
    assert not mark.exists()


@pytest.mark.parametrize(
    ("url", "branch", "sha"),
    [("", "gone", "0" * 40), ("", "main", "0" * 40), ("", "-x", "0" * 40), ("relative", "main", "0" * 40)],
)
async def test_what_cannot_be_had_is_an_error_and_leaves_nothing(remote, url, branch, sha):
    with pytest.raises(ServiceError):
        async with fetched(GIT, url or remote.url, branch=branch, sha=sha):
            pytest.fail("there is nothing to check out")
    assert isinstance(remote.path, Path)
