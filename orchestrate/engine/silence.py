"""Silence: told once when it is long, and told again when it ends; it never ends a run."""

from orchestrate.core.events import RunStalled, RunStirred
from orchestrate.engine.inbox import Inbox
from orchestrate.engine.view import ActivityView
from orchestrate.model.names import RunId, TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import to_timestamp
from orchestrate.ports import Clock

#: Silences of 5 to 10 minutes are normal (public runs: 302 to 626 s, all finished).
STALLED_AFTER_SECONDS = 1800.0


class Silence:
    """Looks at how long each watched run has shown nothing."""

    def __init__(self, *, clock: Clock, inbox: Inbox, view: ActivityView) -> None:
        self._clock = clock
        self._inbox = inbox
        self._view = view
        self._stalled: set[TaskName] = set()

    def check(self, row: TaskRow) -> None:
        """Tell of a run that has been silent for long; asked at every poll."""
        activity = self._view.of(row.name)
        if activity is None or row.name in self._stalled:
            return
        silent = self._clock.monotonic() - activity.at
        if silent < STALLED_AFTER_SECONDS:
            return
        self._stalled.add(row.name)
        since = to_timestamp(self._clock.now() - silent)
        self._inbox.put(RunStalled(task=row.name, run_id=_run_id(row), since=since, last_activity=activity.doing))

    def stirred(self, row: TaskRow) -> None:
        """Tell that a silent run goes on; asked at every frame."""
        if row.stalled_since is None and row.name not in self._stalled:
            return
        self._stalled.discard(row.name)
        self._inbox.put(RunStirred(task=row.name, run_id=_run_id(row)))


def _run_id(row: TaskRow) -> RunId:
    assert row.run_id is not None, row
    return row.run_id
