"""What names a remote repository has: branches and tags, in one question."""

from dataclasses import dataclass

from orchestrate.errors import Refused
from orchestrate.repo.address import address_fault
from orchestrate.repo.git import Git

_HEADS, _TAGS = "refs/heads/", "refs/tags/"


@dataclass(frozen=True, slots=True)
class RemoteRefs:
    """Names without their prefix, and the commits that they lead to."""

    branches: frozenset[str]
    tags: frozenset[str]
    commits: frozenset[str]

    def has(self, ref: str) -> bool:
        """True for a branch, a tag, or a commit that one of them is at; with or without ``refs/heads/``, ``refs/tags/``."""
        if ref.startswith(_HEADS):
            return ref.removeprefix(_HEADS) in self.branches
        if ref.startswith(_TAGS):
            return ref.removeprefix(_TAGS) in self.tags
        return ref in self.branches or ref in self.tags or ref in self.commits


async def remote_refs(git: Git, url: str) -> RemoteRefs:
    """All branches and tags; `Refused` for an address that will not do, `Unavailable` when nobody answers now."""
    wrong = address_fault(url, protocols=git.protocols)
    if wrong is not None:
        raise Refused(f"the repository's address {wrong}", code="invalid_address")
    output = await git.output(["ls-remote", "--heads", "--tags", "--", url])
    pairs = [line.partition("\t") for line in output.decode("utf-8", "surrogateescape").split("\n")]
    names = [name for _, _, name in pairs]
    return RemoteRefs(
        branches=frozenset(name.removeprefix(_HEADS) for name in names if name.startswith(_HEADS)),
        tags=frozenset(name.removeprefix(_TAGS).removesuffix("^{}") for name in names if name.startswith(_TAGS)),
        commits=frozenset(commit for commit, _, name in pairs if name),
    )
