"""The tree's andon on git: in the state that the root publishes, and beside it what other planners have raised."""

import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from posixpath import dirname

from orchestrate.errors import Unavailable
from orchestrate.model.andon_format import encode_raised, published_andon, raised_andon
from orchestrate.model.names import WorkspaceId
from orchestrate.model.rows import Andon
from orchestrate.repo.git import OVERTAKEN, Git
from orchestrate.repo.plumbing import Plumbing
from orchestrate.repo.remote_branch import RemoteBranch
from orchestrate.repo.signatures import SUBJECT
from orchestrate.repo.site import Site

#: Raises of one tree that are read; nobody needs more to stop.
_MOST_RAISES = 200
_LARGEST_RAISE_BYTES = 16_384
_TRIES = 4


class GitCord:
    """The port ``Cord`` on the git program."""

    def __init__(self, git: Git, site: Site, *, branch: str, path: str, workspace: WorkspaceId) -> None:
        self._plumbing = Plumbing(replace(git, gives_way=True), site.top)
        self._branch = RemoteBranch(self._plumbing, site, branch)
        self._path = path
        self._workspace = workspace
        self._seen: tuple[str, Andon | None] | None = None

    @property
    def ref(self) -> str:
        """The branch that carries it."""
        return self._branch.name

    async def look(self) -> Andon | None:
        """The tree's andon; ServiceError where nobody can tell."""
        commit = await self._branch.fetched()
        if commit is None:
            raise Unavailable(f"{self.ref} is not on the remote", code="branch_not_found")
        if self._seen is None or self._seen[0] != commit:
            self._seen = (commit, await self._read(commit))
        return self._seen[1]

    async def pull(self, andon: Andon) -> None:
        """Put a raise of ours beside the root's state."""
        name = uuid.uuid5(uuid.UUID(self._workspace), str(andon.raised_at))
        path = f"{self._raises()}/{name}.json"
        blobs = await self._plumbing.blobs({path: encode_raised(andon)})
        for _ in range(_TRIES):
            before = await self._branch.fetched()
            commit = await self._plumbing.commit(before, put=blobs, message=f"{SUBJECT}andon raised\n")
            if await self._branch.is_moved(commit, before=before):
                return
        raise Unavailable(f"others push to {self.ref} all the time", code=OVERTAKEN)

    async def _read(self, commit: str) -> Andon | None:
        tip = await self._plumbing.tip(commit, below=dirname(self._path))
        if self._path not in tip.files:
            raise Unavailable(f"{self.ref} has no {self._path}", code="state_not_found")
        try:
            published = published_andon(await self._blob(tip.files[self._path].blob))
        except ValueError as error:
            raise Unavailable(f"{self._path} on {self.ref} is no state: {error}", code="state_damaged") from error
        if published is not None and published.is_raised:
            return published
        names = [path for path in tip.files if dirname(path) == self._raises() and path.endswith(".json")]
        raises = await self._raised(tip.files[path].blob for path in names[:_MOST_RAISES])
        cleared_at = "" if published is None else published.cleared_at or ""
        later = [andon for andon in raises if (andon.raised_at or "") > cleared_at]
        return min(later, key=lambda andon: andon.raised_at or "") if later else published

    async def _raised(self, blobs: Iterable[str]) -> list[Andon]:
        """What can be read; what is none of ours is passed over."""
        found: list[Andon] = []
        for blob in blobs:
            data = await self._blob(blob)
            with suppress(ValueError):
                found += [raised_andon(data)] if len(data) <= _LARGEST_RAISE_BYTES else []
        return found

    async def _blob(self, blob: str) -> bytes:
        return (await self._plumbing.run("cat-file", "blob", blob)).encode("utf-8", "surrogateescape")

    def _raises(self) -> str:
        return f"{dirname(self._path)}/andon"
