"""Looking branches up, many in one call.

Whoever comes first opens a batch and asks for all that join it. An order that no task waits for leaves the batch open
for a moment, so that handoffs which come together cost one call; one that is awaited closes it at once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import anyio

from orchestrate.core.effects import LookUpRefs
from orchestrate.core.ref_events import RefsSeen, SeenRef, WantedRef
from orchestrate.errors import OrchestrateError
from orchestrate.ports import Clock, Heads

#: How long a batch that nobody waits for stays open.
GATHERING_SECONDS = 0.5
#: A remote that takes longer cannot be asked now.
DEADLINE_SECONDS = 12.0
#: Calls at the same time.
_AT_ONCE = 2


@dataclass(slots=True)
class _Batch:
    """Names that are asked for together, and what came of it."""

    names: set[str] = field(default_factory=set)
    awaited: anyio.Event = field(default_factory=anyio.Event)
    done: anyio.Event = field(default_factory=anyio.Event)
    heads: Mapping[str, str] = field(default_factory=dict)
    unknown: str | None = "the look-up was given up"


class RefLooker:
    """Asks the remote; it never raises for what the remote does."""

    def __init__(self, heads: Heads, *, clock: Clock) -> None:
        self._heads = heads
        self._clock = clock
        self._turns = anyio.CapacityLimiter(_AT_ONCE)
        self._open: _Batch | None = None

    async def look_up(self, effect: LookUpRefs) -> RefsSeen:
        """What the remote says of these refs."""
        batch = await self._asked(_names(effect.refs), is_awaited=effect.is_awaited)
        return RefsSeen(refs=tuple(_seen(ref, batch.heads) for ref in effect.refs), unknown=batch.unknown)

    async def _asked(self, names: Iterable[str], *, is_awaited: bool) -> _Batch:
        opened, self._open = self._open, self._open or _Batch()
        batch = self._open
        batch.names.update(names)
        if is_awaited:
            batch.awaited.set()
        if opened is None:
            await self._lead(batch)
        else:
            await batch.done.wait()
        return batch

    async def _lead(self, batch: _Batch) -> None:
        try:
            await self._gather(batch)
            async with self._turns:
                self._close(batch)
                with anyio.fail_after(DEADLINE_SECONDS):
                    batch.heads = await self._heads.heads(sorted(batch.names))
                batch.unknown = None
        except OrchestrateError as error:
            batch.unknown = error.message
        except TimeoutError:
            batch.unknown = f"no answer within {DEADLINE_SECONDS:g} seconds"
        finally:
            self._close(batch)
            batch.done.set()

    async def _gather(self, batch: _Batch) -> None:
        """Leave the batch open until its time is over or somebody waits."""
        async with anyio.create_task_group() as group:

            async def stop_when_awaited() -> None:
                await batch.awaited.wait()
                group.cancel_scope.cancel()

            group.start_soon(stop_when_awaited)
            await self._clock.sleep(GATHERING_SECONDS)
            group.cancel_scope.cancel()

    def _close(self, batch: _Batch) -> None:
        if self._open is batch:
            self._open = None


def _names(refs: Iterable[WantedRef]) -> Iterable[str]:
    for ref in refs:
        yield ref.branch
        if ref.start is not None:
            yield ref.start


def _seen(ref: WantedRef, heads: Mapping[str, str]) -> SeenRef:
    start = None if ref.start is None else heads.get(ref.start)
    return SeenRef(ref.task, ref.attempt, ref.branch, heads.get(ref.branch), start, ref.runs)
