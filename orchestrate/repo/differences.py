"""What a branch of a remote changed since it left another ref, seen in a repository of its own.

Everything is fetched into a bare repository in a temporary folder. No checkout, ref, index or hook of the user's has
any part in it; of a clone of theirs only objects are read, so that they need not be fetched again.
"""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrate.errors import Refused, ServiceError, Unavailable
from orchestrate.model.names import is_valid_ref
from orchestrate.repo.address import address_fault, parse_address, repository_key
from orchestrate.repo.git import Git

#: Long enough for a large repository; a fetch that takes longer is stuck.
FETCH_SECONDS = 900.0
_HEADS, _TAGS = "refs/heads/", "refs/tags/"
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?\Z")
_BRANCH_HERE, _START_HERE = "refs/difference/branch", "refs/difference/start"
#: Nothing that a user has set up for reading differences changes what programs read.
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short")


@dataclass(frozen=True, slots=True)
class Difference:
    """Two commits in a repository that is there for this question only."""

    git: Git
    folder: Path
    #: Where the branch left the ref that it started from.
    base: str
    #: The head of the branch.
    head: str

    @property
    def is_empty_by_history(self) -> bool:
        """True if the branch has no commit of its own: nothing was added, or all of it was merged."""
        return self.base == self.head

    async def patch(self, *options: str) -> bytes:
        """The difference as git prints it; ``--stat`` and the like make it shorter."""
        return await self._printed(*_PLAIN, *options)

    async def files(self) -> tuple[str, ...]:
        """Every file that was added, changed or taken away; of a renamed one both names."""
        said = await self._printed(*_PLAIN, "--no-renames", "--name-only", "-z")
        return tuple(name.decode("utf-8", "surrogateescape") for name in said.split(b"\0") if name)

    async def _printed(self, *options: str) -> bytes:
        return await self.git.output(
            ["-C", str(self.folder), "--no-pager", "diff", *options, self.base, self.head, "--"]
        )


@asynccontextmanager
async def difference(
    git: Git, url: str, *, branch: str, start: str, clone: Path | None = None
) -> AsyncIterator[Difference]:
    """The branch against the ref that it started from; Refused or Unavailable where one of them cannot be had.

    ``clone`` is a folder of the user's, whose objects are used if it is a clone of the same repository.
    """
    _require_sound(git, url, branch, start)
    sources = await _sources(git, url, branch=branch, start=start)
    objects = None if clone is None else await _shared_objects(git, clone, url)
    with TemporaryDirectory(prefix="orchestrate-diff-") as name:
        folder = Path(name)
        await git.output(["init", "--quiet", "--bare", "--template=", "--", name])
        if objects is not None:
            (folder / "objects" / "info").mkdir(exist_ok=True)
            (folder / "objects" / "info" / "alternates").write_text(f"{objects}\n")
        await _fetch(git, folder, url, sources)
        head = await _commit(git, folder, _BRANCH_HERE)
        first = await _commit(git, folder, start if _COMMIT.match(start) else _START_HERE)
        yield Difference(git, folder, base=await _fork_point(git, folder, first, head), head=head)


def _require_sound(git: Git, url: str, branch: str, start: str) -> None:
    fault = address_fault(url, protocols=git.protocols)
    if fault is not None:
        raise Refused(f"the repository's address {fault}", code="invalid_address")
    for ref in (branch, start):
        if not is_valid_ref(ref):
            raise Refused(f"{ref!r} is no name of a branch", code="invalid_ref")


async def _sources(git: Git, url: str, *, branch: str, start: str) -> list[str]:
    """What is to be fetched: the branch, and the start where it is no commit; Refused names the one that is missing."""
    wanted = {_BRANCH_HERE: [_HEADS + branch]}
    if not _COMMIT.match(start):
        wanted[_START_HERE] = [start] if start.startswith("refs/") else [_HEADS + start, _TAGS + start]
    asked = [ref for refs in wanted.values() for ref in refs]
    said = await git.output(["ls-remote", "--", url, *asked])
    there = {line.partition("\t")[2] for line in said.decode("utf-8", "surrogateescape").splitlines()}
    found = {here: next((ref for ref in refs if ref in there), None) for here, refs in wanted.items()}
    for here, name in ((_BRANCH_HERE, branch), (_START_HERE, start)):
        if here in found and found[here] is None:
            raise Refused(f"{name} is not on the remote", code="branch_not_found")
    return [f"+{ref}:{here}" for here, ref in found.items()]


async def _shared_objects(git: Git, clone: Path, url: str) -> Path | None:
    """The objects of a whole clone of that repository; None for any other folder, and where fetching costs nothing."""
    address = parse_address(url)
    if address is None or not address.host:
        return None
    try:
        if not await _is_clone_of(git, clone, url):
            return None
        where = ("--is-shallow-repository", "--path-format=absolute", "--git-path", "objects")
        said = await git.output(["-C", str(clone), "rev-parse", *where])
        shallow, objects = said.decode("utf-8", "surrogateescape").splitlines()
    except (ServiceError, ValueError):
        return None
    return Path(objects) if shallow == "false" else None


async def _is_clone_of(git: Git, clone: Path, url: str) -> bool:
    """True if one of its remotes is that repository; a partial clone, which has not all objects, does not count."""
    wanted = r"^(remote\..*\.url|extensions\.partialclone)$"
    said = await git.output(["-C", str(clone), "config", "--get-regexp", wanted])
    lines = [line.split(" ", 1) for line in said.decode("utf-8", "replace").splitlines() if " " in line]
    urls = [value for key, value in lines if key.endswith(".url")]
    return len(urls) == len(lines) and repository_key(url) in map(repository_key, urls)


async def _fetch(git: Git, folder: Path, url: str, sources: Sequence[str]) -> None:
    quiet = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance")
    await git.output(["-C", str(folder), "-c", "core.hooksPath=/dev/null", "fetch", *quiet, "--", url, *sources])


async def _commit(git: Git, folder: Path, ref: str) -> str:
    try:
        said = await git.output(["-C", str(folder), "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}"])
    except Unavailable as error:
        raise Refused(f"{ref} is no commit of that branch", code="commit_not_found") from error
    return said.decode("ascii", "replace").strip()


async def _fork_point(git: Git, folder: Path, first: str, head: str) -> str:
    """Where the two histories part; the start itself where they have nothing in common."""
    try:
        said = await git.output(["-C", str(folder), "merge-base", first, head])
    except Unavailable:
        return first
    return said.decode("ascii", "replace").split()[0]
