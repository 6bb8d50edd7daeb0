"""What each task did when: its waits for a slot, its tries and its silences, from the journal.

Rows of another tool, which have no journal, tell of their last try only.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from orchestrate.model.names import EngineId, TaskName
from orchestrate.model.records import Record
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.vocabulary import TaskStatus

#: Engines write nothing while agents work: one that follows so soon was hardly missed.
_UNWATCHED_SECONDS = 600


class Doing(StrEnum):
    """What a stretch of time was for the task."""

    WAITED = "waited"
    RAN = "ran"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a task's time, in seconds since 1970."""

    doing: Doing
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Try:
    """One launch and how it ended; ``ended`` is None while it runs."""

    number: int
    start: float
    end: float
    ended: TaskStatus | None = None


@dataclass(slots=True)
class Track:
    """All of one task's time."""

    stretches: list[Stretch] = field(default_factory=list)
    tries: list[Try] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class History:
    """Every task's track, and when an engine lived to see it."""

    tracks: Mapping[TaskName, Track]
    #: From the first to the last record of an engine, and of those that followed soon; empty without a journal.
    lives: Sequence[tuple[float, float]]


def history_of(records: Iterable[Record], rows: Sequence[TaskRow], *, now: float, is_engine_alive: bool) -> History:
    """The history of these tasks up to now, or to the last record where no engine lives."""
    reader = _Reader()
    for record in records:
        reader.take(record)
    last = max((end for _, end in reader.lives), default=None)
    until = now if is_engine_alive else _last_moment(rows, last)
    reader.close(until)
    for row in rows:
        if row.name not in reader.tracks:
            reader.tracks[row.name] = _track_of_row(row, until=until)
    wanted = {row.name for row in rows}
    lives = list(reader.lives)
    if lives and is_engine_alive:
        lives[-1] = (lives[-1][0], max(lives[-1][1], now))
    return History({name: track for name, track in reader.tracks.items() if name in wanted}, lives)


@dataclass(slots=True)
class _Open:
    """A try that has not ended yet."""

    number: int
    start: float
    silent_since: float | None = None


@dataclass(slots=True)
class _Reader:
    """The journal as far as it was read."""

    tracks: dict[TaskName, Track] = field(default_factory=dict)
    lives: list[tuple[float, float]] = field(default_factory=list)
    rows: dict[TaskName, TaskRow] = field(default_factory=dict)
    first_seen: dict[TaskName, float] = field(default_factory=dict)
    #: Until when a task was not to be launched, be that over or not.
    paused: dict[TaskName, float] = field(default_factory=dict)
    open: dict[TaskName, _Open] = field(default_factory=dict)
    engine: EngineId | None = None

    def take(self, record: Record) -> None:
        """What this record says of the tasks in it."""
        at = _moment(record.at)
        if at is None:
            return
        is_other, self.engine = record.engine != self.engine, record.engine
        if not self.lives or (is_other and at - self.lives[-1][1] > _UNWATCHED_SECONDS):
            self.lives.append((at, at))
        self.lives[-1] = (self.lives[-1][0], max(at, self.lives[-1][1]))
        for row in record.rows:
            self._take_row(row, at)

    def close(self, until: float) -> None:
        """What runs still runs until then."""
        for name, present in self.open.items():
            self._end(name, present, max(until, present.start), ended=None)
        self.open.clear()

    def _take_row(self, row: TaskRow, at: float) -> None:
        self.first_seen.setdefault(row.name, at)
        present, pause = self.open.get(row.name), _moment(row.not_before)
        self.rows[row.name] = row
        if present is not None and (row.status != TaskStatus.RUNNING or row.attempts != present.number):
            self._end(row.name, self.open.pop(row.name), at, ended=row.status)
            present = None
        if row.status != TaskStatus.RUNNING:
            if pause is not None:
                self.paused[row.name] = pause
            return
        if present is None:
            self.open[row.name] = self._begin(row, at)
        elif row.stalled_since is not None and present.silent_since is None:
            present.silent_since = max(_moment(row.stalled_since) or at, present.start)
        elif row.stalled_since is None and present.silent_since is not None:
            self._fall_silent(row.name, present, at)

    def _begin(self, row: TaskRow, at: float) -> _Open:
        start = _moment(row.started_at) or at
        ready = self._ready_at(row)
        if ready is not None and ready < start:
            self._track(row.name).stretches.append(Stretch(Doing.WAITED, ready, start))
        return _Open(row.attempts, start)

    def _ready_at(self, row: TaskRow) -> float | None:
        """Since when nothing but a slot was missing."""
        ends = [_moment(self.rows[each].finished_at) for each in row.depends_on if each in self.rows]
        former = [each.end for each in self._track(row.name).tries[-1:]]
        moments = [
            each for each in (*ends, *former, self.paused.get(row.name), self.first_seen[row.name]) if each is not None
        ]
        return max(moments, default=None)

    def _end(self, name: TaskName, present: _Open, at: float, *, ended: TaskStatus | None) -> None:
        track = self._track(name)
        track.stretches.append(Stretch(Doing.RAN, present.start, at))
        track.tries.append(Try(present.number, present.start, at, ended))
        if present.silent_since is not None:
            self._fall_silent(name, present, at)

    def _fall_silent(self, name: TaskName, present: _Open, until: float) -> None:
        """A silence that is over; it lies within the time that the task ran."""
        assert present.silent_since is not None
        self._track(name).stretches.append(Stretch(Doing.SILENT, present.silent_since, until))
        present.silent_since = None

    def _track(self, name: TaskName) -> Track:
        return self.tracks.setdefault(name, Track())


def _track_of_row(row: TaskRow, *, until: float) -> Track:
    start, end = _moment(row.started_at), _moment(row.finished_at)
    if start is None or row.status == TaskStatus.PENDING:
        return Track()
    is_open = row.status == TaskStatus.RUNNING
    last = max(start, until if end is None or is_open else end)
    track = Track(
        [Stretch(Doing.RAN, start, last)], [Try(max(1, row.attempts), start, last, None if is_open else row.status)]
    )
    silent = _moment(row.stalled_since)
    if silent is not None and is_open:
        track.stretches.append(Stretch(Doing.SILENT, max(start, silent), last))
    return track


def _last_moment(rows: Sequence[TaskRow], last_record: float | None) -> float:
    """The last thing that anybody knows of."""
    texts = (text for row in rows for text in (row.started_at, row.finished_at, row.last_update))
    moments = [moment for text in texts if (moment := _moment(text)) is not None]
    return max([*moments, *([] if last_record is None else [last_record])], default=0.0)


def _moment(text: str | None) -> float | None:
    return epoch_seconds(text) if text else None
