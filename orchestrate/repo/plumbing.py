"""Commits made without checkout, index or hook of the user's, in a repository of theirs.

Objects are written, an index file of our own in a temporary folder makes the tree, and nothing points to the commit
until a caller says so.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

import anyio.to_thread

from orchestrate.errors import Unavailable
from orchestrate.repo.git import Git

#: No hook runs, nothing is signed, no watching daemon is asked, whatever the user's configuration says.
_OURS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.splitIndex=false",
    "core.logAllRefUpdates=true",
    "gc.auto=0",
    "pack.threads=1",
    "maintenance.auto=false",
    "push.gpgSign=false",
    "push.followTags=false",
    "push.recurseSubmodules=no",
    "submodule.recurse=false",
)
_FILE_MODE = "100644"
_NO_MODE = "0"
_IDENTITY = {"NAME": "orchestrate", "EMAIL": "orchestrate@localhost"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in a tree."""

    mode: str
    blob: str


@dataclass(frozen=True, slots=True)
class Tip:
    """A commit and the files that it has below one folder."""

    commit: str
    files: Mapping[str, Entry] = field(default_factory=lambda: MappingProxyType({}))
    message: str = ""


@dataclass(frozen=True, slots=True)
class Plumbing:
    """Git's plumbing in one repository."""

    git: Git
    top: Path

    async def run(
        self, *arguments: str, given: bytes = b"", variables: Mapping[str, str] = MappingProxyType({})
    ) -> str:
        """What git prints; the errors are those of ``Git``."""
        options = [word for setting in _OURS for word in ("-c", setting)]
        said = await self.git.output(
            ["-C", str(self.top), *options, "--literal-pathspecs", *arguments], given=given, variables=variables
        )
        return said.decode("utf-8", "surrogateescape")

    async def line(self, *arguments: str) -> str | None:
        """The same without its end of line; None where git has no answer."""
        try:
            return (await self.run(*arguments)).removesuffix("\n")
        except Unavailable:
            return None

    async def tip(self, commit: str, *, below: str) -> Tip:
        """A commit that is in this repository, with its message and its files below a folder."""
        listed = await self.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", below)
        message = (await self.run("cat-file", "commit", commit)).partition("\n\n")[2]
        return Tip(commit, dict(_tree_lines(listed)), message)

    async def blobs(self, contents: Mapping[str, bytes]) -> Mapping[str, str]:
        """The ids of these contents, written as objects, byte for byte."""
        if not contents:
            return {}
        with TemporaryDirectory(prefix="orchestrate-state-") as folder:
            names = await anyio.to_thread.run_sync(_written, Path(folder), list(contents.values()))
            given = "".join(f"{name}\n" for name in names).encode()
            said = await self.run("hash-object", "-w", "--no-filters", "--stdin-paths", given=given)
        return dict(zip(contents, said.split(), strict=True))

    async def commit(
        self,
        parent: str | None,
        *,
        put: Mapping[str, str],
        removed: Iterable[str] = (),
        message: str,
        identity: Mapping[str, str] | None = None,
    ) -> str:
        """A commit on ``parent`` with these blobs in its tree; nothing points to it yet.

        ``identity`` is what `identity` has answered before, for who commits often.
        """
        async with self._own_index() as variables:
            if parent is not None:
                await self.run("read-tree", parent, variables=variables)
            await self.put_into_index(put, removed=removed, variables=variables)
            tree = (await self.run("write-tree", "--missing-ok", variables=variables)).strip()
        who = await self.identity() if identity is None else identity
        parents = [] if parent is None else ["-p", parent]
        said = await self.run("commit-tree", tree, *parents, given=message.encode(), variables=who)
        return said.strip()

    async def put_into_index(
        self,
        put: Mapping[str, str],
        *,
        removed: Iterable[str] = (),
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Bring these entries of an index up to date, the user's without variables; no other entry is touched."""
        null = "0" * max((len(blob) for blob in put.values()), default=40)
        lines = [f"{_NO_MODE} {null}\t{path}" for path in removed]
        lines += [f"{_FILE_MODE} {blob}\t{path}" for path, blob in put.items()]
        given = "".join(f"{line}\0" for line in lines).encode("utf-8", "surrogateescape")
        await self.run("update-index", "--add", "-z", "--index-info", given=given, variables=variables)

    async def index_entries(self, paths: Sequence[str]) -> Mapping[str, str]:
        """The blobs that the user's index has for these paths."""
        listed = await self.run("ls-files", "--stage", "-z", "--", *paths)
        entries = (item.partition("\t") for item in listed.split("\0") if item)
        return {path: words.split()[1] for words, _, path in entries}

    @asynccontextmanager
    async def _own_index(self) -> AsyncIterator[Mapping[str, str]]:
        with TemporaryDirectory(prefix="orchestrate-index-") as folder:
            yield {"GIT_INDEX_FILE": str(Path(folder) / "index")}

    async def identity(self) -> Mapping[str, str]:
        """Our own identity where the user has set none; git would make one up, or refuse."""
        given = self.git.environment
        has_email = "EMAIL" in given or await self.line("config", "--get", "user.email") is not None
        has_name = await self.line("config", "--get", "user.name") is not None
        missing = [key for key, has in (("NAME", has_name), ("EMAIL", has_email)) if not has]
        roles = [(role, key) for role in ("AUTHOR", "COMMITTER") for key in missing]
        return {f"GIT_{r}_{k}": _IDENTITY[k] for r, k in roles if f"GIT_{r}_{k}" not in given}


def _written(folder: Path, contents: Sequence[bytes]) -> Sequence[Path]:
    """Files with these contents."""
    names = [folder / str(place) for place in range(len(contents))]
    for name, data in zip(names, contents, strict=True):
        name.write_bytes(data)
    return names


def _tree_lines(listed: str) -> Iterable[tuple[str, Entry]]:
    for item in listed.split("\0"):
        words, _, path = item.partition("\t")
        if path:
            mode, _, blob = words.split()
            yield path, Entry(mode, blob)
