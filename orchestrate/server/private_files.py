"""Files and folders that only their owner can read, at any moment."""

import os
import secrets
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


def make_private_folder(path: Path) -> None:
    """Make the folder and what is missing above it, unless they are there."""
    if path.is_dir():
        return
    make_private_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
