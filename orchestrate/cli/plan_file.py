"""Reading the file of a plan."""

from pathlib import Path

from orchestrate.errors import InputRefused

#: A plan of 10,000 tasks has some 5 MB; beyond this it is a mistake.
LARGEST_PLAN_BYTES = 256 * 1024 * 1024


def read_plan_file(path: Path) -> bytes:
    """The bytes of the file; InputRefused for one that cannot be read, or is too large to be a plan."""
    try:
        with path.open("rb") as file:
            return sized(file.read(LARGEST_PLAN_BYTES + 1), path)
    except OSError as error:
        reason = (error.strerror or "no reason").lower()
        raise InputRefused(f"{path} cannot be read: {reason}.", hint="name a plan.json, or its folder") from error


def sized(source: bytes, path: Path) -> bytes:
    """The same bytes, if they may be a plan."""
    if len(source) > LARGEST_PLAN_BYTES:
        raise InputRefused(f"{path} is larger than {LARGEST_PLAN_BYTES // 2**20} MiB; that is no plan.")
    return source
