import os

import pytest

from orchestrate.errors import Refused
from orchestrate.repo import heads
from orchestrate.repo.git import Git
from orchestrate.repo.heads import RemoteHeads
from tests.support.repositories import remote

__all__ = ["remote"]


def of(url):
    return RemoteHeads(Git({"PATH": os.environ["PATH"]}), url)


async def test_branches_that_are_there_come_with_their_commits(remote, monkeypatch):
    monkeypatch.setattr(heads, "_MOST_IN_A_CALL", 2)
    sha = remote.commit("cursor/a", {"a.py": "x = 1\n"})
    found = await of(remote.url).heads(["cursor/a", "main", "cursor/b", "two words", "-x", "+main", ""])
    assert found == {"cursor/a": sha, "main": remote.heads()["main"]}


async def test_a_remote_that_cannot_be_asked_is_an_error(tmp_path):
    with pytest.raises(Refused):
        await of(str(tmp_path / "nothing")).heads(["main"])


async def test_nothing_is_asked_where_nothing_is_wanted(tmp_path):
    assert await of(str(tmp_path / "nothing")).heads(["two words"]) == {}
