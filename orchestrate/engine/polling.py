"""The slow poll: one look at a time goes round all watched runs, the one that waited longest first.

Each run's turn comes every ten seconds; with many runs the round is stretched so that polls stay below a fixed rate.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import anyio

from orchestrate.errors import ServiceError
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.wire import Run
from orchestrate.ports import AgentService, Clock

ROUND_SECONDS = 10.0
#: Seconds for each watched run: half of the 20 calls a minute that the service allows for one endpoint.
SECONDS_A_RUN = 6.0

Key = tuple[AgentId, RunId]


@dataclass(slots=True)
class _Watched:
    due_at: float
    on_terminal: Callable[[Run], None]


class Poller:
    """Looks at watched runs in turn, and tells each watcher of its run's end."""

    def __init__(self, service: AgentService, *, clock: Clock, seconds_a_run: float = SECONDS_A_RUN) -> None:
        self._service = service
        self._clock = clock
        self._seconds_a_run = seconds_a_run
        self._watched: dict[Key, _Watched] = {}
        self._has_work = anyio.Event()

    @property
    def stretch(self) -> float:
        """How much slower than usual everything that looks at runs goes, so that all looks together keep the rate."""
        return max(1.0, self._seconds_a_run * len(self._watched) / ROUND_SECONDS)

    @contextmanager
    def watching(self, key: Key, *, on_terminal: Callable[[Run], None]) -> Iterator[None]:
        """Have the run looked at until the block is left."""
        self._watched[key] = _Watched(self._clock.monotonic() + ROUND_SECONDS * self.stretch, on_terminal)
        self._has_work.set()
        try:
            yield
        finally:
            self._watched.pop(key, None)

    async def run(self) -> None:
        """Poll for ever; ended from outside."""
        while True:
            if not self._watched:
                self._has_work = anyio.Event()
                await self._has_work.wait()
            key, watched = min(self._watched.items(), key=lambda item: item[1].due_at)
            pause = watched.due_at - self._clock.monotonic()
            if pause > 0:
                await self._clock.sleep(min(pause, ROUND_SECONDS))
            else:
                await self._look(key, watched)

    async def _look(self, key: Key, watched: _Watched) -> None:
        watched.due_at = self._clock.monotonic() + ROUND_SECONDS * self.stretch
        try:
            run = await self._service.get_run(*key)
        except ServiceError:
            return  # the watcher's own look tells what is wrong; a poll only finds ends
        if run.status.is_terminal and self._watched.get(key) is watched:
            watched.on_terminal(run)
