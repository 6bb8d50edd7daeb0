"""Silence: told once when it is long, and told again when it ends; it never ends a run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from orchestrate.core.events import RunStalled, RunStirred
from orchestrate.engine.inbox import Inbox
from orchestrate.engine.view import ActivityView
from orchestrate.model.names import RunId, TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import to_timestamp
from orchestrate.ports import Clock

#: Silences of 5 to 10 minutes are normal (public runs: 302 to 626 s, all finished).
STALLED_AFTER_SECONDS = 1800.0
_LOOK_SECONDS = 30.0
#: A stream that is read anew begins with what was there before; it comes within this time.
_HISTORY_SECONDS = 5.0


@dataclass(slots=True)
class _Watched:
    run_id: RunId
    began_at: float
    is_stalled: bool
    #: True while its silence was told by a former engine only.
    is_inherited: bool


class Silence:
    """Looks at how long each watched run has shown nothing."""

    def __init__(self, *, clock: Clock, inbox: Inbox, view: ActivityView) -> None:
        self._clock = clock
        self._inbox = inbox
        self._view = view
        self._watched: dict[TaskName, _Watched] = {}

    @contextmanager
    def watching(self, row: TaskRow) -> Iterator[None]:
        """Have the run's silence looked at until the block is left."""
        assert row.run_id is not None, row
        now, is_stalled = self._clock.monotonic(), row.stalled_since is not None
        self._watched[row.name] = _Watched(row.run_id, now, is_stalled, is_inherited=is_stalled)
        try:
            yield
        finally:
            self._watched.pop(row.name, None)

    async def run(self) -> None:
        """Look at all watched runs again and again; ended from outside."""
        while True:
            await self._clock.sleep(_LOOK_SECONDS)
            for task, watched in self._watched.items():
                self._check(task, watched)

    def stirred(self, task: TaskName) -> None:
        """Tell that a silent run goes on; asked at every activity."""
        watched = self._watched[task]
        if not watched.is_stalled or (watched.is_inherited and self._may_be_history(watched)):
            return
        watched.is_stalled = watched.is_inherited = False
        self._inbox.put(RunStirred(task=task, run_id=watched.run_id))

    def _check(self, task: TaskName, watched: _Watched) -> None:
        activity = self._view.of(task)
        if activity is None or watched.is_stalled:
            return
        silent = self._clock.monotonic() - activity.at
        if silent >= STALLED_AFTER_SECONDS:
            watched.is_stalled = True
            since = to_timestamp(self._clock.now() - silent)
            self._inbox.put(RunStalled(task=task, run_id=watched.run_id, since=since, last_activity=activity.doing))

    def _may_be_history(self, watched: _Watched) -> bool:
        return self._clock.monotonic() - watched.began_at < _HISTORY_SECONDS
