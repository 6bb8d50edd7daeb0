"""Files that are there whole or not at all, in folders that nobody can lead us out of.

Every file is reached through an open folder and one plain name. A symlink, a pipe or a device in the place of one of
our files or folders is refused. These functions block: async callers hop to a thread.
"""

import errno
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrate.errors import InputRefused, OrchestrateError, StorageFailed

FILE_MODE = 0o600
FOLDER_MODE = 0o700

#: No symlink is followed, no pipe waited for, nothing left open in a child.
_CAREFULLY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFULLY
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

_CHUNK = 1 << 20
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{16}\.tmp\Z")

_WHAT_TO_DO = {
    errno.ENOSPC: "free some space, then run the same command again",
    errno.EDQUOT: "the disk quota is used up: free some space, then run the same command again",
    errno.EFBIG: "raise the limit on file sizes (ulimit -f), then run the same command again",
    errno.EROFS: "the disk is mounted read-only: copy the workspace to one that can be written",
    errno.EACCES: "give yourself the right to read and write there",
    errno.EPERM: "give yourself the right to read and write there",
    errno.EIO: "check the disk, then run the same command again",
}

#: ``fdatasync`` leaves out what nobody needs after a crash (dates); where it is missing, ``fsync`` does.
sync_data = getattr(os, "fdatasync", os.fsync)


class SyncFailed(StorageFailed):
    """The disk did not confirm a write; asking again would say nothing, for the kernel may have dropped the pages."""


class _SyncError(OSError):
    """What the operating system said to a sync."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder: the workspace itself, or one of ours below it (``parts``)."""

    #: May be reached through symlinks: it is what the user named.
    root: Path
    parts: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """Where it lies; for messages."""
        return self.root.joinpath(*self.parts)

    def below(self, name: str) -> "Folder":
        """The folder of this name in this one."""
        return Folder(self.root, (*self.parts, _plain(name)))

    def create(self) -> None:
        """Make the folder, and those above it up to the workspace, unless they are there."""
        with _in_our_words(self.path), self.held(create=True):
            return

    def read(self, name: str, *, at_most: int | None = None) -> bytes | None:
        """The whole file, or None if there is none; one that is larger than ``at_most`` bytes is refused."""
        try:
            with self.opened(name, os.O_RDONLY) as descriptor, _in_our_words(self.path / name):
                if at_most is not None and os.fstat(descriptor).st_size > at_most:
                    raise InputRefused(f"{self.path / name} is larger than {at_most} bytes")
                return _read_all(descriptor)
        except FileNotFoundError:
            return None

    def has(self, name: str) -> bool:
        """True if something of this name is there."""
        try:
            with _in_our_words(self.path / name, but=FileNotFoundError), self.held() as folder:
                return is_there(folder, _plain(name))
        except FileNotFoundError:
            return False

    def replace(self, files: Mapping[str, bytes], *, mode: int = FILE_MODE) -> None:
        """Put each file in place as a whole; all of them are on the disk when this returns, or an error says why not."""
        with _in_our_words(self.path / next(iter(files), "")), self.held(create=True) as folder:
            for name, data in files.items():
                replace_within(folder, _plain(name), data, mode=mode)
            sync(folder)

    def move(self, name: str, to: "Folder") -> bool:
        """Move a file or a folder as it is, links too; False if there is none. What is there by that name is replaced."""
        path = self.path / _plain(name)
        with _in_our_words(path), self.held() as here, to.held(create=True) as there:
            if not is_there(here, name):
                return False
            os.rename(name, name, src_dir_fd=here, dst_dir_fd=there)
            sync(there)
            sync(here)
        return True

    @contextmanager
    def opened(self, name: str, flags: int) -> Iterator[int]:
        """An open regular file, closed at the end; ``FileNotFoundError`` if there is none."""
        descriptor = self.open(name, flags)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def open(self, name: str, flags: int) -> int:
        """A descriptor of a regular file that the caller closes; ``FileNotFoundError`` if there is none."""
        path = self.path / _plain(name)
        creates = bool(flags & os.O_CREAT)
        with _in_our_words(path, but=FileNotFoundError), self.held(create=creates) as folder:
            is_new = creates and not is_there(folder, name)
            descriptor = os.open(name, flags | _CAREFULLY, FILE_MODE, dir_fd=folder)
            if is_new:
                sync(folder)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise InputRefused(f"{path} is no regular file", hint="move it away")
        return descriptor

    def sweep(self, is_left_over: Callable[[str], object] = _TEMPORARY.match) -> None:
        """Remove what a crash left behind, unless told otherwise of replacements; only the one writer may."""
        with suppress(FileNotFoundError), _in_our_words(self.path, but=FileNotFoundError), self.held() as folder:
            left_over = [name for name in os.listdir(folder) if is_left_over(name)]  # noqa: PTH208  by descriptor, which pathlib cannot
            for name in left_over:
                os.unlink(name, dir_fd=folder)
            if left_over:
                sync(folder)

    @contextmanager
    def held(self, *, create: bool = False) -> Iterator[int]:
        """A descriptor of the folder itself, closed at the end; errors are those of the operating system."""
        with ExitStack() as stack:
            descriptor = os.open(self.root, _FOLDER)
            stack.callback(os.close, descriptor)
            for part in self.parts:
                descriptor = _entered(descriptor, part, create=create)
                stack.callback(os.close, descriptor)
            yield descriptor


def replace_file(path: Path, data: bytes, *, mode: int = FILE_MODE) -> None:
    """Replace one file as a whole: temporary file in the same folder, sync, rename, sync of the folder."""
    Folder(path.parent).replace({path.name: data}, mode=mode)


def replace_within(folder: int, name: str, data: bytes, *, mode: int = FILE_MODE) -> None:
    """Put a file in place, itself on the disk; the folder's descriptor is still to be synced."""
    _refuse_link(folder, name)
    temporary = f".{name}.{secrets.token_hex(8)}.tmp"
    try:
        descriptor = os.open(temporary, _CREATE, mode, dir_fd=folder)
        try:
            append_whole(descriptor, data, end=0)
            sync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def is_there(folder: int, name: str) -> bool:
    """True if something of this name is in the folder, be it a link to nowhere."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def sync(descriptor: int) -> None:
    """Wait until the disk has it; ``failure`` tells an error of this from any other."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise _SyncError(*error.args) from error


def append_whole(descriptor: int, data: bytes, *, end: int) -> None:
    """Write behind ``end``, the present size; what cannot be written whole is taken back before the error goes on."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError:
        with suppress(OSError):
            os.ftruncate(descriptor, end)
        raise


def failure(error: OSError, path: Path) -> OrchestrateError:
    """The error of the operating system in our words."""
    if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):
        return InputRefused(
            f"{path} is, or lies behind, a symlink or a file that is none of ours",
            hint="move it away; the workspace's own files and folders may not be links",
        )
    reason = os.strerror(error.errno) if error.errno else str(error)
    if isinstance(error, _SyncError):
        return SyncFailed(
            f"{path}: the disk did not confirm a write ({reason.lower()}); this engine stops, its agents go on",
            hint="check the disk, then run the same command again",
        )
    hint = _WHAT_TO_DO.get(error.errno or 0, "check the disk and its rights, then run the same command again")
    return StorageFailed(f"{path}: {reason.lower()}", hint=hint)


@contextmanager
def _in_our_words(path: Path, *, but: type[OSError] | tuple[()] = ()) -> Iterator[None]:
    """Errors of the operating system become ours, ``but`` those that the caller knows what to do with."""
    try:
        yield
    except but:
        raise
    except OSError as error:
        raise failure(error, path) from error


def _plain(name: str) -> str:
    """The name, if it is one step down and no more."""
    if not name or name in (".", "..") or "/" in name or "\0" in name:
        raise InputRefused(f"{name!r} is no name of a file in a workspace")
    return name


def _entered(parent: int, name: str, *, create: bool) -> int:
    """A descriptor of the folder below."""
    try:
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)
    except FileNotFoundError:
        if not create:
            raise
    with suppress(FileExistsError):
        os.mkdir(name, FOLDER_MODE, dir_fd=parent)
    sync(parent)
    return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)


def _refuse_link(folder: int, name: str) -> None:
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)


def _read_all(descriptor: int) -> bytes:
    pieces = []
    while piece := os.read(descriptor, _CHUNK):
        pieces.append(piece)
    return b"".join(pieces)
