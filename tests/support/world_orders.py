"""What was carried out of that which other processes asked for, as the synced journal of the seeded world has it.

The machine's own memory of requests is not asked: a request that changed rows twice, a launch after a kill, a cancelled
task that starts by itself, or a late agent that nobody cancels is seen here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from orchestrate.core.changes import Change, Decision, RowChanged
from orchestrate.core.effects import CancelRun, LaunchAgent
from orchestrate.core.events import AgentLaunched, Event, PlanRead
from orchestrate.core.request_events import CancelRequested, RespawnRequested, SpawnRequested, StopFound
from orchestrate.core.turns import is_between_runs
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus

if TYPE_CHECKING:
    from orchestrate.core.state import State
    from orchestrate.model.names import RequestId, TaskName

_REQUESTS = (CancelRequested, RespawnRequested, SpawnRequested)


class Orders:
    """The orders of one seed."""

    def __init__(self) -> None:
        self._carried_out: set[RequestId] = set()
        #: Tasks that were added beside the plan's file.
        self.added: set[TaskName] = set()
        #: Attempts that nobody may begin: the task was cancelled before.
        self._barred: set[tuple[TaskName, int]] = set()
        #: Attempts that somebody asked for, whatever the plan's policy says, each with its moment.
        self._granted: dict[tuple[TaskName, int], float] = {}
        self._unsynced: list[tuple[Event, tuple[TaskRow, ...], float]] = []

    def decided(self, event: Event, decision: Decision, *, before: State, after: State, now: float) -> None:
        """An engine decided this; it counts once its record is safe."""
        self._check_stop(decision, after)
        if isinstance(event, AgentLaunched):
            self._check_late(decision, after, event)
        if isinstance(event, (CancelRequested, StopFound)):
            self._check_cancels(decision, _rows(decision.changes))
        if isinstance(event, PlanRead) and before.blueprint is None and not after.session.settings.answers_only:
            self._check_cancels(decision, tuple(after.rows.values()))
        if isinstance(event, (*_REQUESTS, StopFound)):
            self._unsynced.append((event, _rows(decision.changes), now))

    def synced(self) -> None:
        """All records are safe."""
        for event, rows, now in self._unsynced:
            if rows and isinstance(event, _REQUESTS):
                assert event.request not in self._carried_out, f"carried out twice: {event}"
                self._carried_out.add(event.request)
            for row in rows:
                self._take(event, row, now)
        self._unsynced.clear()

    def lost(self) -> None:
        """The engine died before its records were safe."""
        self._unsynced.clear()

    def is_barred(self, task: TaskName, attempt: int) -> bool:
        """True for an attempt that must not begin."""
        return (task, attempt) in self._barred

    def has_cancelled(self, task: TaskName) -> bool:
        """True for a task that somebody cancelled."""
        return any(name == task for name, _ in self._barred)

    def is_granted(self, task: TaskName, attempt: int) -> bool:
        """True for an attempt that somebody asked for."""
        return (task, attempt) in self._granted

    def was_reset(self, task: TaskName, *, since: float = 0.0) -> bool:
        """True for a task that somebody had tried anew."""
        return any(name == task and at >= since for (name, _), at in self._granted.items())

    def _take(self, event: Event, row: TaskRow, now: float) -> None:
        following = (row.name, row.attempts + 1)
        if isinstance(event, RespawnRequested) and row.name in _reset_names(event, row):
            self._granted[following] = now
            self._barred.discard(following)
        if isinstance(event, SpawnRequested):
            self.added.add(row.name)
        if isinstance(event, (CancelRequested, StopFound)) and _is_ended(row):
            self._barred.add(following)

    @staticmethod
    def _check_stop(decision: Decision, after: State) -> None:
        launched = [effect.row.name for effect in decision.effects if isinstance(effect, LaunchAgent)]
        assert after.session.stop is None or not launched, f"launched after a kill: {launched}"

    @staticmethod
    def _check_cancels(decision: Decision, rows: Sequence[TaskRow]) -> None:
        """Whoever hears of a cancel, or of a row that says so, asks the service for it."""
        cancelled = {effect.run_id for effect in decision.effects if isinstance(effect, CancelRun)}
        for row in rows:
            is_due = row.status == TaskStatus.RUNNING and row.cancel is not None and row.run_id is not None
            is_due = is_due and not is_between_runs(row)  # then there is no run to end
            assert not is_due or row.run_id in cancelled, f"nobody asks for the cancel of {row}"

    def _check_late(self, decision: Decision, after: State, event: AgentLaunched) -> None:
        """An agent of a task that was cancelled meanwhile is cancelled as soon as it is known."""
        row = after.rows.get(event.task)
        is_taken = row is not None and any(changed.run_id == event.run_id for changed in _rows(decision.changes))
        if row is not None and row.status == TaskStatus.CANCELLED and row.agent_id is None:
            assert decision.effects or not decision.changes, f"nobody ends {event}"
        if row is None or not is_taken or not self.is_barred(row.name, row.attempts + 1):
            return
        cancelled = [effect.run_id for effect in decision.effects if isinstance(effect, CancelRun)]
        assert event.run_id in cancelled, f"nobody cancels the late agent: {event}"


def _rows(changes: Sequence[Change]) -> tuple[TaskRow, ...]:
    return tuple(item.row for item in changes if isinstance(item, RowChanged))


def _reset_names(event: RespawnRequested, row: TaskRow) -> set[TaskName]:
    """The row's name if it was reset: asked for, or behind one that was."""
    is_reset = row.status == TaskStatus.PENDING and row.started_at is None and row.finished_at is None
    return {row.name} if is_reset and (row.name in event.tasks or row.attempts) else set()


def _is_ended(row: TaskRow) -> bool:
    return row.cancel is not None or row.status in (TaskStatus.CANCELLED, TaskStatus.PRUNED)
