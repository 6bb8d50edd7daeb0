import pytest

from orchestrate.errors import Refused
from orchestrate.repo.plumbing import Plumbing
from orchestrate.repo.remote_branch import RemoteBranch
from tests.support.clones import clone, our_git

__all__ = ["clone"]


async def branch_of(clone, name="side"):
    return RemoteBranch(Plumbing(our_git(), clone.top), await clone.site(), name)


async def test_a_branch_is_fetched_without_a_trace_among_the_refs(clone):
    commit, refs = clone.remote.commit("side", {"a": "a"}), clone.run("for-each-ref")
    assert await (await branch_of(clone)).fetched() == commit
    assert clone.run("for-each-ref") == refs
    assert clone.run("cat-file", "-t", commit) == "commit\n"


async def test_one_that_is_not_there_is_none(clone):
    assert await (await branch_of(clone)).fetched() is None


async def test_who_comes_second_hears_it(clone):
    branch, head = await branch_of(clone), clone.run("rev-parse", "HEAD").strip()
    blobs = await branch.plumbing.blobs({"a": b"a"})
    mine = await branch.plumbing.commit(head, put=blobs, message="mine")
    clone.remote.commit("side", {"b": "b"})
    assert not await branch.is_moved(mine, before=None)


async def test_a_remote_that_is_gone_is_an_error(clone):
    branch, head = await branch_of(clone), clone.run("rev-parse", "HEAD").strip()
    clone.remote.path.rename(clone.remote.path.with_name("away"))
    with pytest.raises(Refused):
        await branch.is_moved(head, before=None)
