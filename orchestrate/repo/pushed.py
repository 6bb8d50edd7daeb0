"""Workspaces as they were pushed: read from a repository's branches without any checkout, bounded, and without trust.

Branches come from ``ls-remote``; what is looked at is fetched, as objects only: into a bare repository in a temporary
folder, or into the clone that is looked at, where no branch, tag or remote-tracking name moves. Files are read as blobs:
what is a link, a folder or too large in a tree is told and not followed.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import mkdtemp

import anyio
import anyio.to_thread

from orchestrate.errors import Refused, ServiceError, Unavailable
from orchestrate.model.names import is_valid_ref
from orchestrate.repo.address import address_fault
from orchestrate.repo.checkout import removed
from orchestrate.repo.git import Git
from orchestrate.repo.plumbing import Plumbing
from orchestrate.repo.remote_branch import QUIETLY
from orchestrate.repo.site import Site
from orchestrate.repo.state_branches import WORKSPACES

STATE, PLAN, STOP = "state.json", "plan.json", "stop.json"
_NAMES = (STATE, PLAN, STOP)
#: A file of a workspace that is larger is nobody's state.
MOST_BYTES = 32 * 1024 * 1024
#: All files of one tree together.
_MOST_TAKEN = 512 * 1024 * 1024
#: Workspaces on one branch that are looked at.
_MOST_FOLDERS = 100
#: What one call of git may say: a state's file with room, or the names of very many branches.
_MOST_SAID = 4 * MOST_BYTES
_HEADS = "refs/heads/"
_FILES = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class PushedWorkspace:
    """A workspace's files on one branch."""

    branch: str
    commit: str
    #: Its folder there: ``.orchestrate/shop``.
    folder: str
    files: Mapping[str, bytes]
    #: Files that are there and were not read, with the reason.
    unread: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.removeprefix(WORKSPACES)


@dataclass
class PushedFiles:
    """A repository's branches and the workspaces on them; ``look`` first, and again for what was pushed since."""

    git: Git
    #: Where objects are read.
    store: Path
    #: What git fetches from; None where nothing is to be fetched.
    remote: str | None
    #: Below which names branches stand in ``store`` already; later ones win, and the remote's over all of them.
    names: Sequence[str] = (_HEADS,)
    #: True where ``store`` is ours: then only the tips are fetched.
    is_shallow: bool = False
    heads: Mapping[str, str] = field(default_factory=dict)
    #: Why a branch that is there could not be fetched.
    unfetched: dict[str, str] = field(default_factory=dict)
    #: Bytes that were read so far.
    _taken: int = 0
    _present: set[str] = field(default_factory=set)
    _known: dict[tuple[str, str, str], PushedWorkspace | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.git = replace(self.git, most_bytes=_MOST_SAID)
        self._plumbing = Plumbing(self.git, self.store)

    @property
    def site(self) -> Site:
        """Where something can be pushed to the same repository."""
        is_itself = self.remote is None
        return Site(self.store, self.store, self.remote or str(self.store), folder="", is_itself=is_itself)

    async def look(self) -> None:
        """Ask for all branches; ServiceError where nobody can tell."""
        self.unfetched.clear()
        found: dict[str, str] = {}
        for prefix in self.names:
            said = await self._plumbing.run("for-each-ref", "--format=%(objectname) %(refname)", "--", prefix)
            lines = (line.partition(" ") for line in said.split("\n") if line)
            found.update({ref.removeprefix(prefix): commit for commit, _, ref in lines})
        self._present.update(found.values())
        if self.remote is not None:
            said = await self._plumbing.run("ls-remote", "--heads", "--", self.remote)
            pairs = (line.partition("\t") for line in said.split("\n"))
            found.update({ref.removeprefix(_HEADS): commit for commit, _, ref in pairs if ref.startswith(_HEADS)})
        self.heads = {name: commit for name, commit in found.items() if is_valid_ref(name)}

    async def fetch(self, branches: Iterable[str]) -> None:
        """Have what these branches hold, as far as they are there; all of them in one call where that is possible."""
        wanted = [name for name in dict.fromkeys(branches) if self._is_missing(name)]
        if not wanted or self.remote is None:
            return
        try:
            await self._fetch(wanted)
        except ServiceError as error:
            if len(wanted) == 1:
                self.unfetched[wanted[0]] = error.message
                return
            for name in wanted:
                await self.fetch([name])

    async def workspaces(self, branch: str, folder: str | None = None) -> list[PushedWorkspace]:
        """The workspaces on this branch, or the one of this name; none where the branch cannot be had."""
        commit = self.heads.get(branch)
        if commit is None or self._is_missing(branch):
            return []
        try:
            names = await self._folders(commit) if folder is None else [folder]
            found = [await self._workspace(branch, commit, name) for name in names]
        except ServiceError as error:
            self.unfetched[branch] = error.message
            return []
        return [each for each in found if each is not None]

    def _is_missing(self, branch: str) -> bool:
        commit = self.heads.get(branch)
        return commit is not None and commit not in self._present

    async def _fetch(self, branches: Sequence[str]) -> None:
        assert self.remote is not None
        depth = ("--depth=1",) if self.is_shallow else ()
        refs = [f"{_HEADS}{name}" for name in branches]
        await self._plumbing.run("fetch", *QUIETLY, *depth, "--", self.remote, *refs)
        commits = {self.heads[name] for name in branches}
        given = "".join(f"{commit}\n" for commit in sorted(commits)).encode()
        said = await self._plumbing.run("cat-file", "--batch-check=%(objectname)", given=given)
        self._present.update(commits.intersection(said.split("\n")))  # a branch may have moved meanwhile

    async def _folders(self, commit: str) -> list[str]:
        listed = await self._plumbing.run("ls-tree", "-z", "-d", "--name-only", "--full-tree", commit, "--", WORKSPACES)
        return [path.removeprefix(WORKSPACES) for path in listed.split("\0") if path][:_MOST_FOLDERS]

    async def _workspace(self, branch: str, commit: str, name: str) -> PushedWorkspace | None:
        key = (branch, commit, name)
        if key not in self._known:
            self._known[key] = await self._read(*key)
        return self._known[key]

    async def _read(self, branch: str, commit: str, name: str) -> PushedWorkspace | None:
        folder = f"{WORKSPACES}{name}"
        paths = [f"{folder}/{each}" for each in _NAMES]
        listed = await self._plumbing.run("ls-tree", "-z", "--full-tree", commit, "--", *paths)
        blobs: dict[str, str] = {}
        unread: dict[str, str] = {}
        for item in filter(None, listed.split("\0")):
            words, _, path = item.partition("\t")
            mode, _, blob = words.split()
            if mode in _FILES:
                blobs[path.removeprefix(f"{folder}/")] = blob
            else:
                unread[path.removeprefix(f"{folder}/")] = "it is a link or a folder, no file"
        files = await self._contents(blobs, unread)
        return PushedWorkspace(branch, commit, folder, files, unread) if files or unread else None

    async def _contents(self, blobs: Mapping[str, str], unread: dict[str, str]) -> dict[str, bytes]:
        given = "".join(f"{blob}\n" for blob in blobs.values()).encode()
        said = await self._plumbing.run("cat-file", "--batch-check=%(objecttype) %(objectsize)", given=given)
        files: dict[str, bytes] = {}
        for (name, blob), line in zip(blobs.items(), said.splitlines(), strict=False):
            kind, _, size = line.partition(" ")
            fault = _fault(kind, size, taken=self._taken)
            if fault is not None:
                unread[name] = fault
                continue
            self._taken += int(size)
            files[name] = await self.git.output(["-C", str(self.store), "cat-file", "blob", blob])
        return files


def _fault(kind: str, size: str, *, taken: int) -> str | None:
    """Why this object is not read."""
    if kind != "blob":
        return "it is missing"
    if int(size) > MOST_BYTES:
        return f"it has {int(size):,} bytes; up to {MOST_BYTES:,} are read"
    return "too much was read before it" if taken + int(size) > _MOST_TAKEN else None


@asynccontextmanager
async def pushed_at(git: Git, url: str) -> AsyncIterator[PushedFiles]:
    """The repository at this address, read through a folder that is gone afterwards; Refused for no address."""
    fault = address_fault(url, protocols=git.protocols)
    if fault is not None:
        raise Refused(f"the repository's address {fault}", code="invalid_address")
    folder = Path(await anyio.to_thread.run_sync(lambda: mkdtemp(prefix="orchestrate-crawl-")))
    try:
        store = folder / "store.git"
        await git.output(["init", "--quiet", "--bare", "--template=", "--", str(store)])
        yield PushedFiles(git, store, url, names=(), is_shallow=True)
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(lambda: removed(folder))


def pushed_from(git: Git, site: Site) -> PushedFiles:
    """The repository that a clone comes from, or the clone itself where that is the plan's repository."""
    return PushedFiles(git, site.top, None) if site.is_itself else PushedFiles(git, site.top, site.remote, names=())


async def pushed_beside(git: Git, path: Path, *, fetches: bool) -> PushedFiles:
    """The repository in this folder and, of a clone that people work in, its remote as well.

    Without ``fetches`` as the last fetch left that. Refused or Unavailable where there is no repository.
    """
    try:
        said = await git.output(["-C", str(path), "rev-parse", "--is-bare-repository"])
    except Unavailable as error:
        hint = "name a clone, or the repository's address"
        raise Refused(f"{path} is no git repository.", code="repository_not_found", hint=hint) from error
    if said.strip() == b"true":
        return PushedFiles(git, path, None)
    listed = (await git.output(["-C", str(path), "remote"])).decode("utf-8", "surrogateescape").splitlines()
    known = [name for name in listed if is_valid_ref(name)]
    remote = next((name for name in ("origin", *known) if name in known), None)
    if fetches:
        return PushedFiles(git, path, remote)
    return PushedFiles(git, path, None, names=(_HEADS, *(() if remote is None else (f"refs/remotes/{remote}/",))))
