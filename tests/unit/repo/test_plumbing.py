from orchestrate.repo.plumbing import Plumbing
from tests.support.clones import clone, our_git

__all__ = ["clone"]


async def test_a_commit_has_the_parents_files_and_ours_byte_for_byte(clone):
    plumbing, odd = Plumbing(our_git(), clone.top), b"\x00\xff no end of line\r\n"
    (clone.top / ".gitattributes").write_text("* text eol=crlf\n")
    head = clone.run("rev-parse", "HEAD").strip()
    blobs = await plumbing.blobs({"ours/a b\tc\u00e4.bin": odd})
    commit = await plumbing.commit(head, put=blobs, message="a state\n")
    tip = await plumbing.tip(commit, below="ours")
    assert (tip.commit, tip.message, list(tip.files)) == (commit, "a state\n", list(blobs))
    assert clone.run("ls-tree", "--name-only", commit).split() == ["README.md", "ours"]
    assert await plumbing.git.output(["-C", str(clone.top), "cat-file", "blob", *blobs.values()]) == odd
    assert clone.run("status", "--porcelain") == "?? .gitattributes\n"


async def test_files_can_be_taken_away(clone):
    plumbing = Plumbing(our_git(), clone.top)
    blobs = await plumbing.blobs({"x/a": b"a", "x/b": b"b"})
    first = await plumbing.commit(None, put=blobs, message="one")
    second = await plumbing.commit(first, put={}, removed=["x/a"], message="two")
    assert list((await plumbing.tip(second, below="x")).files) == ["x/b"]


async def test_nothing_to_write_needs_no_git(tmp_path):
    assert await Plumbing(our_git(), tmp_path / "nothing").blobs({}) == {}


async def test_a_question_without_an_answer_is_none(clone):
    assert await Plumbing(our_git(), clone.top).line("rev-parse", "--verify", "--quiet", "nothing") is None
