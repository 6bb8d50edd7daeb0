"""A new file of the user's, written piece by piece and there only as a whole; nothing is replaced, no link followed."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from orchestrate.errors import InputRefused
from orchestrate.store.files import FILE_MODE, Folder, failure, is_there, sync

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def relative_path_fault(path: str) -> str | None:
    """What is wrong with a path that must lead down from where one stands."""
    if not path or "\0" in path:
        return "is empty or holds a NUL"
    if path.startswith("/") or "\\" in path:
        return "must be relative, with / between its parts"
    if any(part in ("", ".", "..") for part in path.split("/")):
        return 'must not have empty parts, "." or ".."'
    return None if path.isprintable() else "holds characters that cannot be printed"


@dataclass(slots=True)
class NewFile:
    """A file on its way; ``write`` refuses more than ``at_most`` bytes."""

    descriptor: int
    path: Path
    at_most: int
    size: int = 0

    def write(self, piece: bytes) -> None:
        """Add a piece."""
        self.size += len(piece)
        if self.size > self.at_most:
            raise InputRefused(f"it has more than {self.at_most:,} bytes; nothing was kept", hint="raise --max-bytes")
        rest = memoryview(piece)
        try:
            while rest:
                rest = rest[os.write(self.descriptor, rest) :]
        except OSError as error:
            raise failure(error, self.path) from error


@contextmanager
def new_file(root: Path, path: str, *, at_most: int) -> Iterator[NewFile]:
    """The file below ``root``: there, whole and for its owner only, once this ends without an error."""
    fault = relative_path_fault(path)
    if fault is not None:
        raise InputRefused(f"the path {fault}")
    *parents, name = PurePosixPath(path).parts
    whole = root / path
    try:
        with Folder(root, tuple(parents)).held(create=True) as folder:
            if is_there(folder, name):
                raise InputRefused(f"{whole} is there already; nothing is replaced")
            yield from _written(folder, name, NewFile(-1, whole, at_most))
    except OSError as error:
        raise failure(error, whole) from error


def _written(folder: int, name: str, new: NewFile) -> Iterator[NewFile]:
    temporary = f".{secrets.token_hex(8)}.tmp"
    new.descriptor = os.open(temporary, _CREATE, FILE_MODE, dir_fd=folder)
    try:
        yield new
        sync(new.descriptor)
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(new.descriptor)
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
    sync(folder)
