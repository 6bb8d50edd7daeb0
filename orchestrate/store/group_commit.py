"""Group commit: what callers want written gathers while the batch before is on its way, and then goes in one hop.

A lone save waits for nobody. Under load batches grow by themselves, so that the cost of a hop and of a sync is shared.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import anyio
import anyio.to_thread

from orchestrate.errors import OrchestrateError

#: Each save of a batch holds a few descriptors, and its caller waits for all of the batch.
AT_MOST = 32

_Item = TypeVar("_Item")


@dataclass(slots=True, eq=False)
class _Gathering(Generic[_Item]):
    """Items that go together."""

    items: list[_Item] = field(default_factory=list)
    written: anyio.Event = field(default_factory=anyio.Event)
    #: For each item what was wrong with it, or None; no list before it is written.
    errors: Sequence[OrchestrateError | None] | None = None


class GroupCommit(Generic[_Item]):
    """One writer's queue; ``write`` blocks, and answers what is wrong with each item."""

    def __init__(
        self, write: Callable[[Sequence[_Item]], Sequence[OrchestrateError | None]], *, at_most: int = AT_MOST
    ) -> None:
        self._write = write
        self._at_most = at_most
        self._gathering = _Gathering[_Item]()
        #: Whose batch is on its way; the others wait in the order of their first items.
        self._turn = anyio.CapacityLimiter(1)
        self._thread = anyio.CapacityLimiter(1)

    async def put(self, item: _Item) -> None:
        """Have the item written; it is when this returns. A caller that is cancelled does not take it back."""
        gathering = self._gathering
        place = len(gathering.items)
        gathering.items.append(item)
        if place + 1 == self._at_most:
            self._gathering = _Gathering()
        if place == 0:
            await self._lead(gathering)
        else:
            await gathering.written.wait()
        assert gathering.errors is not None, "the writer broke off; whoever put the first item has its error"
        error = gathering.errors[place]
        if error is not None:
            raise error

    async def wait_until_idle(self) -> None:
        """Let what was put before come to its end."""
        async with self._turn:
            return

    async def _lead(self, gathering: _Gathering[_Item]) -> None:
        """Whoever puts the first item sees to all of them, so it is not cancelled on the way."""
        with anyio.CancelScope(shield=True):
            async with self._turn:
                if self._gathering is gathering:
                    self._gathering = _Gathering()
                try:
                    gathering.errors = await anyio.to_thread.run_sync(
                        self._write, gathering.items, limiter=self._thread
                    )
                finally:
                    gathering.written.set()
