"""Files that agents leave for people: what there is, and getting at it without ever leaving the folder.

An agent leaves them in the folder that ``ORCHESTRATE_ARTIFACTS_DIR`` names, or under ``artifacts/`` in its clone. On the
wire both are ``artifacts/<path below>``; where both have a file, the first counts. Links are never followed.
"""

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from orchestrate.server.clones import ARTIFACTS
from orchestrate.server.private_files import make_private_folder

_MOST_FILES = 10_000
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
#: Opening a pipe without O_NONBLOCK would wait for somebody who writes.
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FoundArtifact:
    """A file that an agent left."""

    path: str
    size: int
    changed_at: float


@dataclass(frozen=True, slots=True)
class ArtifactFolders:
    """Where one agent leaves its files."""

    own: Path
    in_clone: Path
    #: Paths on the wire of files that were in the repository before the agent came.
    not_its_own: frozenset[str] = frozenset()

    def found(self) -> list[FoundArtifact]:
        """All files, in the order of their paths."""
        found = (*islice(self._found_in_clone(), _MOST_FILES), *islice(_walk(self.own), _MOST_FILES))
        by_path = {file.path: file for file in found}
        return [by_path[path] for path in sorted(by_path)][:_MOST_FILES]

    def open(self, path: str) -> int | None:
        """A descriptor of the file; None if there is no such regular file below one of the folders."""
        first, *steps = path.split("/")
        if first != ARTIFACTS or not steps or any(step in ("", ".", "..") or "\0" in step for step in steps):
            return None
        descriptor = _open_below(self.own, steps)
        if descriptor is None and path not in self.not_its_own:
            descriptor = _open_below(self.in_clone, steps)
        return descriptor

    def keep(self) -> None:
        """Have what lies in the clone only outlive the clone; OSError where that is more than a list can take."""
        found = list(islice(self._found_in_clone(), _MOST_FILES + 1))
        if len(found) > _MOST_FILES:
            raise OSError(errno.EMFILE, "more artifacts than a list can take", str(self.in_clone))
        for file in found:
            steps = file.path.split("/")[1:]
            descriptor = _open_below(self.in_clone, steps)
            if descriptor is not None:
                _keep(descriptor, self.own.joinpath(*steps))

    def _found_in_clone(self) -> Iterator[FoundArtifact]:
        return (file for file in _walk(self.in_clone) if file.path not in self.not_its_own)


def _walk(root: Path) -> Iterator[FoundArtifact]:
    """The regular files below the folder; links are left out."""
    if root.is_symlink():
        return
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            on_the_wire = f"{ARTIFACTS}/{path.relative_to(root).as_posix()}"
            with suppress(OSError, UnicodeEncodeError):
                on_the_wire.encode()
                status = path.lstat()
                if stat.S_ISREG(status.st_mode):
                    yield FoundArtifact(on_the_wire, size=status.st_size, changed_at=status.st_mtime)


def _open_below(root: Path, steps: list[str]) -> int | None:
    """Open step by step, each in the folder before, so that no link leads elsewhere, not even one made meanwhile."""
    try:
        folder = os.open(root, _FOLDER_FLAGS)
        for step in steps[:-1]:
            folder = _open_and_close(step, _FOLDER_FLAGS, above=folder)
        return _regular(_open_and_close(steps[-1], _FILE_FLAGS, above=folder))
    except (OSError, ValueError):
        return None


def _open_and_close(step: str, flags: int, *, above: int) -> int:
    try:
        return os.open(step, flags, dir_fd=above)
    finally:
        os.close(above)


def _regular(descriptor: int) -> int | None:
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None


def _keep(descriptor: int, target: Path) -> None:
    """Give the file a second name, which takes no room however large it is; where that cannot be, copy it."""
    make_private_folder(target.parent)
    with os.fdopen(descriptor, "rb") as source:
        if not _is_named(descriptor, target):
            _copy(source, target)


def _is_named(descriptor: int, target: Path) -> bool:
    """True if the file, or one before it, has this name now; False if the system has no way to give it."""
    try:
        folder = os.open(target.parent, _FOLDER_FLAGS)
        try:
            # Without a folder's descriptor Python would make a link to the link in /proc.
            os.link(f"/proc/self/fd/{descriptor}", target.name, dst_dir_fd=folder, follow_symlinks=True)
        finally:
            os.close(folder)
        os.fchmod(descriptor, 0o600)
    except FileExistsError:
        return True
    except OSError:
        return False
    return True


def _copy(source: BinaryIO, target: Path) -> None:
    try:
        copy = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(copy, "wb") as file:
        shutil.copyfileobj(source, file)
