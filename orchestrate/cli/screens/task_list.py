"""The screen of ``list``: a line a task, nothing folded; and what a line says of a row wherever it has little room."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orchestrate.cli.screens.durations import duration, with_local_times
from orchestrate.cli.screens.finished import branch_of
from orchestrate.cli.screens.layout import Line, Look, line, width_of
from orchestrate.cli.screens.table import Column, head, name_columns, row_line
from orchestrate.cli.screens.tally import Tally, headline
from orchestrate.cli.screens.vocabulary import Kind, Standing, evidence
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.vocabulary import TaskStatus, TaskType

_TYPE, _TRY, _TIME = 10, 3, 7
#: Least and most columns of the words in the long form, where the branch stands behind them.
_WORDS, _MOST_WORDS = 24, 44


@dataclass(frozen=True, slots=True)
class ListView:
    """All that the screen shows."""

    slug: str
    #: Of the whole run.
    tally: Tally
    #: Those that were asked for, in the plan's order.
    rows: Sequence[TaskRow]
    standing: Callable[[TaskRow], Standing]
    now: float
    no_branches: frozenset[str] = frozenset()
    #: What was asked for: ``error, stalled``; empty for all.
    asked: str = ""


def list_screen(view: ListView, look: Look) -> list[Line]:
    """The run's line, then a line a task."""
    lines = [headline(view.slug, view.tally, look)]
    if view.asked:
        lines.append(line(f"  {len(view.rows)} of them {view.asked}"))
    if not view.rows:
        return lines
    names = name_columns((row.name for row in view.rows), look)
    told = [(row, how, row_words(row, how, look)) for row in view.rows for how in (view.standing(row),)]
    columns = _columns([words for _, _, words in told], look)
    lines.append(head("task", columns, names=names))
    for row, how, words in told:
        cells = [str(row.attempts or ""), spent(row, now=view.now), words]
        if look.is_long:
            cells = [row.type, *cells, _branch(row, view.no_branches)]
        lines.append(row_line(how, row.name, cells, columns, names=names, url=row.url))
    return lines


def matches(row: TaskRow, how: Standing, wanted: Sequence[str]) -> bool:
    """True if one of these words is true of the task: a status of the file, or a word of the screen."""
    return not {row.status.value, how.kind.value, row.handoff_status}.isdisjoint(wanted)


def known_words() -> list[str]:
    """Every word that ``matches`` knows, each once."""
    statuses = [status.value for status in TaskStatus]
    return list(dict.fromkeys([*statuses, *(kind.value for kind in Kind if kind is not Kind.DONE), "blocked", "done"]))


def known_types() -> list[str]:
    """Every type of a task."""
    return [each.value for each in TaskType]


def row_words(row: TaskRow, how: Standing, look: Look) -> str:
    """How the task stands and who says so, in one line: ``handed off, verified: unit tests``."""
    words = how.word
    if row.status == TaskStatus.HANDED_OFF:
        words += f", {evidence(row)}"
    if row.status == TaskStatus.ERROR and row.note and row.note not in words:
        words += f": {row.note}"
    return with_local_times(words, tz=look.tz)


def spent(row: TaskRow, *, now: float) -> str:
    """How long the task's present try took, or takes so far; empty where nobody knows."""
    start = epoch_seconds(row.started_at) if row.started_at else None
    if start is None or row.status == TaskStatus.PENDING or _was_never_launched(row):
        return ""
    end = epoch_seconds(row.finished_at) if row.finished_at else None
    if end is None and row.status != TaskStatus.RUNNING:
        return ""
    return duration((now if end is None else end) - start)


def _was_never_launched(row: TaskRow) -> bool:
    return row.status == TaskStatus.ERROR and row.agent_id is None


def _columns(words: Sequence[str], look: Look) -> Sequence[Column]:
    numbers = (Column("try", _TRY, is_number=True), Column("for", _TIME, is_number=True))
    if not look.is_long:
        return (*numbers, Column("status", 0))
    most = min(_MOST_WORDS, max(_WORDS, *map(width_of, words)))
    return (Column("type", _TYPE), *numbers, Column("status", most), Column("branch", 0))


def _branch(row: TaskRow, no_branches: frozenset[str]) -> str:
    return branch_of(row, no_branches) if row.status == TaskStatus.HANDED_OFF else ""
