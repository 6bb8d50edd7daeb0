import os

import pytest

from orchestrate.errors import Refused
from orchestrate.repo.git import Git
from orchestrate.repo.remote_refs import remote_refs
from tests.support.repositories import git, remote

__all__ = ["remote"]


async def test_branches_tags_and_their_commits_are_known(remote):
    git("--git-dir", remote.url, "tag", "-a", "-m", "x", "v1", "main", at=remote.path)
    refs = await remote_refs(Git(dict(os.environ)), remote.url)
    assert (refs.branches, refs.tags) == ({"main"}, {"v1"})
    names = ("main", "refs/heads/main", "v1", "refs/tags/v1", remote.heads()["main"])
    assert [refs.has(name) for name in names] == [True] * 5
    assert [refs.has(name) for name in ("trunk", "refs/heads/v1", "refs/tags/main", "")] == [False] * 4


async def test_an_address_that_git_must_not_see_is_refused():
    with pytest.raises(Refused, match="address"):
        await remote_refs(Git({}), "--upload-pack=x")
