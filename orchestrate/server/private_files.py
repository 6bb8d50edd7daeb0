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


def read_regular_file(path: Path, *, limit: int) -> bytes | None:
    """The file's first bytes; None for anything but a regular file: an agent could put a pipe or a link there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
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
