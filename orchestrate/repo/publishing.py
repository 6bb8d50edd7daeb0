"""Publishing a workspace's state on git: commits by plumbing, on a branch that is nobody's.

The state goes to ``orch-state/<rootSlug>``, which is never checked out; only an engine that an agent runs in its own
clone puts it on the branch that is checked out there, and only while that pushes nothing else (`OwnBranch`). Files that
others have put on the state's branch, a tombstone or an andon among them, stay there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from orchestrate.errors import ServiceError, Unavailable
from orchestrate.ports import Published, Superseded
from orchestrate.repo.git import OVERTAKEN, Git
from orchestrate.repo.own_branch import OwnBranch
from orchestrate.repo.plumbing import Plumbing, Tip
from orchestrate.repo.remote_branch import RemoteBranch
from orchestrate.repo.signatures import Signature, signature_in
from orchestrate.repo.site import Site
from orchestrate.repo.state_branches import WORKSPACES, state_branch

#: How often a push that somebody else's was faster than is made anew.
_TRIES = 4
#: What an engine writes and may take away again.
_HANDOFFS = "handoffs/"


@dataclass(frozen=True, slots=True)
class _Known:
    """What we have put on a branch: its commit and our files."""

    tip: Tip | None
    blobs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


class GitMedium:
    """The port ``Medium`` on the git program."""

    def __init__(
        self, git: Git, site: Site, *, slug: str, base_branch: str, signature: Signature, may_use_checkout: bool
    ) -> None:
        self._plumbing = Plumbing(replace(git, gives_way=True), site.top)
        self._site = site
        self._branch = RemoteBranch(self._plumbing, site, state_branch(slug))
        self._slug = slug
        self._signature = signature
        self._own = OwnBranch(self._plumbing, site, base_branch) if may_use_checkout and not site.is_itself else None
        #: The state's branch as the last push left it; None before it was asked for.
        self._known: _Known | None = None
        #: Who commits; None before git was asked for it.
        self._identity: Mapping[str, str] | None = None
        #: Contents whose objects are in this repository.
        self._written: dict[str, tuple[bytes, str]] = {}

    @property
    def ref(self) -> str:
        """Where the state is published if nothing better is free."""
        return state_branch(self._slug)

    async def publish(self, files: Mapping[str, bytes]) -> Published | Superseded:
        """Bring these files to the remote; ServiceError where that is not possible now."""
        blobs = await self._blobs(files)
        if self._own is not None:
            published = await self._on_checkout(self._own, blobs)
            if published is not None:
                return published
        return await self._on_state_branch(blobs)

    async def _on_checkout(self, own: OwnBranch, blobs: Mapping[str, str]) -> Published | Superseded | None:
        free = await own.free_tip()
        if free is None:
            return None
        branch, tip = free
        if self._signature.is_older_than(signature_in(tip.message)):
            return Superseded(branch)
        placed = _placed(blobs, self._site.folder)
        if _has_all(tip, placed):
            return Published(branch, tip.commit, is_new=False)
        commit = await self._commit(tip.commit, put=placed)
        is_there = await own.publish(branch, tip, commit, blobs=placed)
        return Published(branch, commit) if is_there else None

    async def _on_state_branch(self, blobs: Mapping[str, str]) -> Published | Superseded:
        folder = f"{WORKSPACES}{self._slug}"
        placed = _placed(blobs, folder)
        for _ in range(_TRIES):
            known = self._known or _Known(await self._fetched_tip(folder))
            if known.tip is not None and self._signature.is_older_than(signature_in(known.tip.message)):
                return Superseded(self.ref)
            if known.tip is not None and (known.blobs == placed or _has_all(known.tip, placed)):
                self._known = _Known(known.tip, placed)
                return Published(self.ref, known.tip.commit, is_new=False)
            commit = await self._committed(known, placed, folder)
            if await self._is_there(commit, before=known.tip):
                self._known = _Known(Tip(commit, message=self._signature.message(self._slug)), placed)
                return Published(self.ref, commit)
            self._known = None
        raise Unavailable(f"others push to {self.ref} all the time", code=OVERTAKEN)

    async def _committed(self, known: _Known, placed: Mapping[str, str], folder: str) -> str:
        before = {*known.blobs, *(() if known.tip is None else known.tip.files)}
        gone = [path for path in before - set(placed) if path.startswith(f"{folder}/{_HANDOFFS}")]
        return await self._commit(None if known.tip is None else known.tip.commit, put=placed, removed=sorted(gone))

    async def _commit(self, parent: str | None, *, put: Mapping[str, str], removed: Sequence[str] = ()) -> str:
        if self._identity is None:
            self._identity = await self._plumbing.identity()
        message = self._signature.message(self._slug)
        return await self._plumbing.commit(parent, put=put, removed=removed, message=message, identity=self._identity)

    async def _is_there(self, commit: str, *, before: Tip | None) -> bool:
        """The branch moved to this commit on the remote; False where somebody was faster."""
        try:
            return await self._branch.is_moved(commit, before=None if before is None else before.commit)
        except ServiceError:
            self._known = None
            raise

    async def _fetched_tip(self, folder: str) -> Tip | None:
        """The state's branch as it is on the remote, with its objects; None if there is none."""
        commit = await self._branch.fetched()
        return None if commit is None else await self._plumbing.tip(commit, below=folder)

    async def _blobs(self, files: Mapping[str, bytes]) -> Mapping[str, str]:
        new = {name: data for name, data in files.items() if self._written.get(name, (None,))[0] != data}
        for name, blob in (await self._plumbing.blobs(new)).items():
            self._written[name] = (files[name], blob)
        return {name: self._written[name][1] for name in files}


def _placed(blobs: Mapping[str, str], folder: str) -> Mapping[str, str]:
    return {f"{folder}/{name}": blob for name, blob in blobs.items()}


def _has_all(tip: Tip, placed: Mapping[str, str]) -> bool:
    return all(path in tip.files and tip.files[path].blob == blob for path, blob in placed.items())
