"""``plan.json`` as an engine sees it again while it runs: looked at cheaply, read and checked only when it is another."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import anyio.to_thread

from orchestrate.model.plan import Plan
from orchestrate.ports import PlanEdit, PlanStamp

#: The warnings about a plan with these bytes beside the one in force; InputRefused for one that may not be taken in.
Examine = Callable[[Plan, bytes, Plan], Awaitable[Sequence[str]]]


class WatchedPlanFile:
    """The plan's file, and which content of it was taken last; the file is never written."""

    def __init__(
        self,
        path: Path,
        source: bytes,
        *,
        plan: Plan,
        read: Callable[[Path], bytes],
        parse: Callable[[bytes], Plan],
        examine: Examine | None = None,
    ) -> None:
        self._path = path
        #: The content that was taken last, and the one that was read last.
        self._taken = self._offered = (_digest(source), plan)
        self._read = read
        self._parse = parse
        self._examine = examine

    async def stamp(self) -> PlanStamp | None:
        """What tells one state of the file from another; None while there is no file."""
        try:
            status = self._path.stat()  # two looks a second at one inode: not worth a thread
        except OSError:
            return None
        return (status.st_ino, status.st_mtime_ns, status.st_size)

    async def read(self) -> PlanEdit | None:
        """The plan, None while the content is that which was taken last; InputRefused for one that is no good."""
        found = await anyio.to_thread.run_sync(self._another)
        if found is None:
            return None
        plan, source = found
        _, in_force = self._taken
        warnings = () if self._examine is None else await self._examine(plan, source, in_force)
        self._offered = (_digest(source), plan)
        return PlanEdit(plan, tuple(warnings))

    def take(self) -> None:
        """What was read last is in force from now on."""
        self._taken = self._offered

    def _another(self) -> tuple[Plan, bytes] | None:
        source = self._read(self._path)
        return None if _digest(source) == self._taken[0] else (self._parse(source), source)


def _digest(source: bytes) -> bytes:
    return hashlib.sha256(source).digest()
