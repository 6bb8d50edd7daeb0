"""Watching for a kill from elsewhere: a tombstone beside the published state stops this engine as one in its workspace does."""

from collections.abc import Callable

from orchestrate.core.events import Event
from orchestrate.core.request_events import StopFound
from orchestrate.errors import OrchestrateError
from orchestrate.ports import Clock, Tombstone

#: How often it is looked for.
LOOK_SECONDS = 30.0


class TombstoneWatcher:
    """Looks where the state is published; where that cannot be read nothing follows, the publisher tells of it."""

    def __init__(self, tombstone: Tombstone, *, clock: Clock, put: Callable[[Event], None]) -> None:
        self._tombstone = tombstone
        self._clock = clock
        self._put = put
        self._found: str | None = None

    async def run(self) -> None:
        """Look until cancelled; who starts an engine has looked once."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            try:
                stop = await self._tombstone.look()
            except OrchestrateError:
                continue
            if stop is not None and stop.id != self._found:
                self._found = stop.id
                self._put(StopFound(stop=stop.id, by=stop.by, scope=stop.scope))
