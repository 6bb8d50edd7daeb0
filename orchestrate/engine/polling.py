"""The slow poll: one look at a time goes round all watched runs, those whose stream is silent or cut first.

Each run's turn comes every ten seconds; with many runs the round is stretched, so that polls stay below half of what the
service allows for such calls.
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
#: A stream that brought nothing for so long, not even a heartbeat, is as good as cut.
_SILENT_SECONDS = 60.0
#: The longest time to sleep: who comes meanwhile may be due earlier.
_NAP_SECONDS = 10.0

Key = tuple[AgentId, RunId]


@dataclass(slots=True)
class Watched:
    """A run that is looked at."""

    due_at: float
    on_terminal: Callable[[Run], None]
    #: When its stream last brought anything; None while there is no stream.
    heard_at: float | None = None

    def urgency(self, now: float) -> tuple[bool, float]:
        """Among runs whose turn has come the lowest goes first."""
        is_heard = self.heard_at is not None and now - self.heard_at < _SILENT_SECONDS
        return (is_heard, self.due_at)


class Poller:
    """Looks at watched runs in turn, and tells each watcher of its run's end."""

    def __init__(
        self,
        service: AgentService,
        *,
        clock: Clock,
        seconds_a_run: float = SECONDS_A_RUN,
        most_per_second: Callable[[], float] = lambda: float("inf"),
    ) -> None:
        self._service = service
        self._clock = clock
        self._own_seconds_a_run = seconds_a_run
        self._most_per_second = most_per_second
        self._watched: dict[Key, Watched] = {}
        self._has_work = anyio.Event()
        self._free_at = clock.monotonic()

    @property
    def stretch(self) -> float:
        """How much slower than usual everything that looks at runs goes, so that all looks together keep the rate."""
        return max(1.0, self._seconds_a_run * len(self._watched) / ROUND_SECONDS)

    @property
    def _seconds_a_run(self) -> float:
        """Between two looks: half of the rate that the service was seen to allow, or of the one that is known of it."""
        return max(self._own_seconds_a_run, 2 / self._most_per_second())

    @contextmanager
    def watching(self, key: Key, *, on_terminal: Callable[[Run], None]) -> Iterator[Watched]:
        """Have the run looked at until the block is left."""
        watched = Watched(self._clock.monotonic() + ROUND_SECONDS * self.stretch, on_terminal)
        self._watched[key] = watched
        self._has_work.set()
        try:
            yield watched
        finally:
            self._watched.pop(key, None)

    async def run(self) -> None:
        """Poll for ever; ended from outside."""
        while True:
            if not self._watched:
                self._has_work = anyio.Event()
                await self._has_work.wait()
            now = self._clock.monotonic()
            due = [item for item in self._watched.items() if item[1].due_at <= now]
            if due and self._free_at <= now:
                await self._look(*min(due, key=lambda item: item[1].urgency(now)))
            else:
                first = min((watched.due_at for watched in self._watched.values()), default=now)
                await self._clock.sleep(min(max(first, self._free_at) - now, _NAP_SECONDS))

    async def _look(self, key: Key, watched: Watched) -> None:
        now = self._clock.monotonic()
        watched.due_at, self._free_at = now + ROUND_SECONDS * self.stretch, now + self._seconds_a_run
        try:
            run = await self._service.get_run(*key)
        except ServiceError:
            return  # the watcher's own look tells what is wrong; a poll only finds ends
        if run.status.is_terminal and self._watched.get(key) is watched:
            watched.on_terminal(run)
