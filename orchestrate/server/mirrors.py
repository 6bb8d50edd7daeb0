"""Bare mirrors of repositories: clones of agents share their objects, so each is fetched once.

A mirror only ever grows: nothing is pruned from its objects, because clones borrow them.
"""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from orchestrate.errors import ServiceError
from orchestrate.model.names import is_valid_ref
from orchestrate.model.repo_url import repo_url_fault
from orchestrate.server import faults
from orchestrate.server.git import ASK_SECONDS, TRANSFER_SECONDS, Git, GitFailed
from orchestrate.server.private_files import make_private_folder

_COMMIT = re.compile(r"[0-9a-f]{7,64}\Z")
_SYMREF = "ref: "
_HEADS = "refs/heads/"


@dataclass(frozen=True, slots=True)
class StartingPoint:
    """The commit that an agent starts from."""

    sha: str
    #: The branch that the remote's HEAD names; empty if it names none.
    default_branch: str


@dataclass(slots=True)
class _Fetches:
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    #: How many fetches have been begun, and the last of them that went well.
    begun: int = 0
    succeeded: int = 0


class Mirrors:
    """All mirrors of a state folder."""

    def __init__(self, root: Path, git: Git) -> None:
        self._root = root
        self._git = git
        self._fetches: dict[str, _Fetches] = {}

    async def find_start(self, url: str, ref: str | None) -> StartingPoint:
        """What a branch, tag or commit means on the remote right now; raises what the create call answers."""
        _check(url, ref)
        try:
            refs, default_branch = await self._ask(url, ref)
        except GitFailed as error:
            raise _unreadable(url, error) from error
        sha = _pick(refs, ref)
        if sha is None and ref is not None and _COMMIT.match(ref):
            sha = await self._find_commit(url, ref)
        if sha is None:
            raise faults.invalid(f"Branch '{ref}' does not exist" if ref else "The repository has no commits")
        return StartingPoint(sha, default_branch)

    async def fresh(self, url: str) -> Path:
        """The mirror, with everything that the remote has by now; callers that wait for a fetch share the next one."""
        fetches = self._fetches.setdefault(url, _Fetches())
        wanted = fetches.begun + 1
        async with fetches.lock:
            if fetches.succeeded < wanted:
                fetches.begun += 1
                number = fetches.begun
                await self._fetch(url)
                fetches.succeeded = number
        return self._path(url)

    async def _fetch(self, url: str) -> None:
        path = self._path(url)
        if not (path / "HEAD").exists():
            make_private_folder(path)
            await self._git.run("init", "--quiet", "--bare", "--template=", "--", str(path))
        everything = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
        await self._git.run(
            *("fetch", "--quiet", "--prune", "--no-write-fetch-head", "--no-auto-maintenance", "--", url, *everything),
            at=path,
            seconds=TRANSFER_SECONDS,
        )

    async def _ask(self, url: str, ref: str | None) -> tuple[dict[str, str], str]:
        """The commits of HEAD and of whatever the ref may mean, and the default branch."""
        patterns = ["HEAD", *(_candidates(ref) if ref else ())]
        listing = await self._git.run("ls-remote", "--symref", "--", url, *patterns, seconds=ASK_SECONDS)
        refs: dict[str, str] = {}
        default_branch = ""
        for line in listing.split("\n"):
            left, _, name = line.partition("\t")
            if left.startswith(_SYMREF) and name == "HEAD":
                default_branch = left.removeprefix(_SYMREF).removeprefix(_HEADS)
            elif name:
                refs[name] = left
        return refs, default_branch

    async def _find_commit(self, url: str, text: str) -> str | None:
        try:
            mirror = await self.fresh(url)
        except GitFailed as error:
            raise _unreadable(url, error) from error
        try:
            question = f"{text}^{{commit}}"
            return (
                await self._git.run("rev-parse", "--verify", "--quiet", "--end-of-options", question, at=mirror)
            ).strip()
        except GitFailed:
            return None

    def _path(self, url: str) -> Path:
        return self._root / f"{hashlib.sha256(url.encode()).hexdigest()[:20]}.git"


def _check(url: str, ref: str | None) -> None:
    """Nothing reaches git that it could take for an option or another protocol."""
    fault = repo_url_fault(url, local=True)
    if fault is None and "://" not in url and ":" not in url and not url.startswith("/"):
        fault = "must be absolute where it is a path"
    if fault is not None:
        raise faults.invalid(f"repos[0].url: {fault}")
    if ref is not None and not is_valid_ref(ref):
        raise faults.invalid(f"repos[0].startingRef: {ref!r} cannot be the name of a branch, tag or commit")


def _candidates(ref: str) -> tuple[str, ...]:
    if ref.startswith("refs/"):
        return ref, f"{ref}^{{}}"
    return f"refs/heads/{ref}", f"refs/tags/{ref}", f"refs/tags/{ref}^{{}}"


def _pick(refs: dict[str, str], ref: str | None) -> str | None:
    """A branch before a tag, and the commit that an annotated tag points to before the tag."""
    if ref is None:
        return refs.get("HEAD")
    if ref.startswith("refs/"):
        return refs.get(f"{ref}^{{}}") or refs.get(ref)
    branch, tag, peeled = _candidates(ref)
    return refs.get(branch) or refs.get(peeled) or refs.get(tag)


def _unreadable(url: str, error: GitFailed) -> ServiceError:
    if error.is_passing:
        return faults.repository_unavailable(url, reason=error.reason)
    return faults.repository_unreadable(url, reason=error.reason)
