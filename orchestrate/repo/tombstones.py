"""A kill's tombstone on git: ``stop.json`` beside the state on the branch that is nobody's, where engines elsewhere see it.

No engine writes or removes it. It is put there by whoever kills and taken away by whoever wants to go on.
"""

from orchestrate.errors import Unavailable
from orchestrate.model.names import WorkspaceId
from orchestrate.model.stops import Stop, decode_stop, encode_stop
from orchestrate.repo.git import OVERTAKEN, Git
from orchestrate.repo.plumbing import Plumbing
from orchestrate.repo.remote_branch import RemoteBranch
from orchestrate.repo.signatures import SUBJECT
from orchestrate.repo.site import Site
from orchestrate.repo.state_branches import WORKSPACES, state_branch

_STOP = "stop.json"
_LARGEST_BYTES = 64 * 1024
#: How often a push that somebody else's was faster than is made anew.
_TRIES = 5
_REGULAR = ("100644", "100755")


class GitTombstone:
    """The tombstone of one workspace, by its ``rootSlug``; the port ``Tombstone`` on the git program."""

    def __init__(self, git: Git, site: Site, *, slug: str, workspace: WorkspaceId | None = None) -> None:
        self._plumbing = Plumbing(git, site.top)
        self._branch = RemoteBranch(self._plumbing, site, state_branch(slug))
        self._path = f"{WORKSPACES}{slug}/{_STOP}"
        self._slug = slug
        self._workspace = workspace
        self._seen: tuple[str | None, Stop | None] = (None, None)

    @property
    def ref(self) -> str:
        """The branch that carries it."""
        return self._branch.name

    async def look(self) -> Stop | None:
        """The tombstone, None where there is none for this workspace; ServiceError where nobody can tell."""
        commit = await self._branch.commit()
        if commit != self._seen[0]:
            self._seen = (commit, None if commit is None else await self._read(commit))
        stop = self._seen[1]
        return stop if stop is None or self._workspace is None or stop.is_for(self._workspace) else None

    async def put(self, stop: Stop) -> None:
        """Put it up; it is on the remote when this returns. ServiceError where that is not possible now."""
        blobs = await self._plumbing.blobs({self._path: encode_stop(stop)})
        for _ in range(_TRIES):
            before = await self._branch.fetched()
            message = f"{SUBJECT}{self._slug} is stopped\n"
            commit = await self._plumbing.commit(before, put=blobs, message=message)
            if await self._branch.is_moved(commit, before=before):
                return
        raise self._overtaken()

    async def remove(self) -> Stop | None:
        """Take it away, and answer what stood there for this workspace; ServiceError where that is not possible now."""
        for _ in range(_TRIES):
            stop, before = await self.look(), self._seen[0]
            if stop is None or before is None:
                return None
            message = f"{SUBJECT}{self._slug} goes on\n"
            commit = await self._plumbing.commit(before, put={}, removed=[self._path], message=message)
            if await self._branch.is_moved(commit, before=before):
                return stop
        raise self._overtaken()

    async def _read(self, commit: str) -> Stop | None:
        """What the branch says at this commit; something in its place that cannot be read stops as well."""
        if await self._plumbing.line("cat-file", "-e", f"{commit}^{{tree}}") is None:
            await self._branch.fetched()
        entry = (await self._plumbing.tip(commit, below=self._path)).files.get(self._path)
        if entry is None:
            return None
        if entry.mode not in _REGULAR or int(await self._plumbing.run("cat-file", "-s", entry.blob)) > _LARGEST_BYTES:
            return decode_stop(b"")
        said = await self._plumbing.run("cat-file", "blob", entry.blob)
        return decode_stop(said.encode("utf-8", "surrogateescape"))

    def _overtaken(self) -> Unavailable:
        return Unavailable(f"others push to {self.ref} all the time", code=OVERTAKEN)
