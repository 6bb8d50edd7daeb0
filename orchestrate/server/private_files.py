"""Files and folders that only their owner can read, at any moment, and their removal; reading where agents can write."""

import os
import secrets
import shutil
import stat
from contextlib import suppress
from pathlib import Path


def write_private(path: Path, content: bytes) -> None:
    """Replace a file as a whole, synced."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            temporary.unlink()
        raise


def open_regular_file(path: Path, flags: int = os.O_RDONLY) -> int | None:
    """A descriptor; None for anything but a regular file: an agent could put a pipe or a link there."""
    try:
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None


def read_regular_file(path: Path, *, limit: int, offset: int = 0) -> bytes | None:
    """At most so many bytes of the file; None for anything but a regular file."""
    descriptor = open_regular_file(path)
    if descriptor is None:
        return None
    with os.fdopen(descriptor, "rb") as file:
        file.seek(offset)
        return file.read(limit)


def remove_tree(path: Path) -> None:
    """Remove the folder, whatever is in it, also what its owner has made read-only."""
    with suppress(FileNotFoundError):
        try:
            shutil.rmtree(path)
        except PermissionError:
            for folder, names, _ in os.walk(path):
                for entry in (Path(folder), *(Path(folder, name) for name in names)):
                    if not entry.is_symlink():
                        entry.chmod(0o700)
            shutil.rmtree(path)


def make_private_folder(path: Path) -> None:
    """Make the folder and what is missing above it, unless they are there."""
    if path.is_dir():
        return
    make_private_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
