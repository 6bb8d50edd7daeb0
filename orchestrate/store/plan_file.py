"""``plan.json`` as an engine sees it again while it runs: looked at cheaply, read and checked only when it is another."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import anyio.to_thread

from orchestrate.model.plan import Plan
from orchestrate.ports import PlanStamp


class WatchedPlanFile:
    """The plan's file, and which content of it was taken last; the file is never written."""

    def __init__(
        self, path: Path, source: bytes, *, read: Callable[[Path], bytes], parse: Callable[[bytes], Plan]
    ) -> None:
        self._path = path
        self._taken = _digest(source)
        self._read = read
        self._parse = parse

    async def stamp(self) -> PlanStamp | None:
        """What tells one state of the file from another; None while there is no file."""
        try:
            status = self._path.stat()  # two looks a second at one inode: not worth a thread
        except OSError:
            return None
        return (status.st_ino, status.st_mtime_ns, status.st_size)

    async def read(self) -> Plan | None:
        """The plan, None while the content is that which was taken last; InputRefused for one that is no good."""
        return await anyio.to_thread.run_sync(self._another)

    def _another(self) -> Plan | None:
        source = self._read(self._path)
        digest = _digest(source)
        if digest == self._taken:
            return None
        plan = self._parse(source)
        self._taken = digest
        return plan


def _digest(source: bytes) -> bytes:
    return hashlib.sha256(source).digest()
