"""The screen of ``timeline``: a lane a task, on a time axis without its idle stretches."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from orchestrate.cli.screens.advice import needs_somebody
from orchestrate.cli.screens.durations import duration
from orchestrate.cli.screens.estimate import Chain
from orchestrate.cli.screens.layout import Line, Look, Span, Tint, command, cut_middle, folded, line, padded
from orchestrate.cli.screens.table import TINTS, name_columns
from orchestrate.cli.screens.tally import Tally, headline
from orchestrate.cli.screens.time_axis import CUT, TimeAxis, time_axis
from orchestrate.cli.screens.tracks import Doing, History, Track
from orchestrate.cli.screens.vocabulary import Kind, Standing
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus

_BARS = {Doing.WAITED: "░", Doing.RAN: "█", Doing.SILENT: "▓"}
_FAILED = "×"  # noqa: RUF001  the sign of a failed try is no letter
_LEGEND = (
    ("░", "waited for a slot"),
    ("█", "ran"),
    ("▓", "silent"),
    (_FAILED, "failed try"),
    (CUT, "idle, cut out"),
)
#: Lanes beyond which those that say least are left out.
_LANES = 200
_LEAST_AXIS = 10


@dataclass(frozen=True, slots=True)
class TimelineView:
    """All that the screen shows."""

    slug: str
    tally: Tally
    #: In the plan's order.
    rows: Sequence[TaskRow]
    standing: Callable[[TaskRow], Standing]
    history: History
    longest: Chain | None = None
    elapsed_seconds: float | None = None


def timeline_screen(view: TimelineView, look: Look, *, is_whole: bool = False) -> list[Line]:
    """The run's line, the axis, the lanes, and what the signs mean."""
    spent = "" if view.elapsed_seconds is None else duration(view.elapsed_seconds)
    head = headline(view.slug, view.tally, look, right=spent)
    rows = [row for row in view.rows if _track(view, row).stretches]
    if not rows:
        return [head, line("  nothing was launched yet")]
    shown = rows if is_whole else _most_telling(rows, view)
    names = name_columns((row.name for row in shown), look, at_least=8)
    axis = _axis(view, rows, columns=max(_LEAST_AXIS, look.columns - names - 3))
    lanes = [(row, _cells(_track(view, row), view.standing(row), axis)) for row in shown]
    on_path = frozenset(view.longest.names if view.longest is not None else ())
    lines = [head, line(Span(f"{'':{names + 2}}{axis.labels(tz=look.tz)}", Tint.DIM))]
    lines += [_lane_line(row, cells, view, names=names, is_on_path=row.name in on_path) for row, cells in lanes]
    return [*lines, *_left_out(view, rows, shown, look), *_legend(view, [cells for _, cells in lanes], look)]


def _track(view: TimelineView, row: TaskRow) -> Track:
    return view.history.tracks[row.name]


def _most_telling(rows: Sequence[TaskRow], view: TimelineView) -> list[TaskRow]:
    """Rows that need somebody, that run, that are on the longest path, then the longest ones; in the plan's order."""
    if len(rows) <= _LANES:
        return list(rows)
    on_path = frozenset(view.longest.names if view.longest is not None else ())

    def weight(row: TaskRow) -> tuple[bool, bool, float]:
        ran = sum(each.end - each.start for each in _track(view, row).tries)
        return (needs_somebody(row) or row.status == TaskStatus.RUNNING, row.name in on_path, ran)

    chosen = {row.name for row in sorted(rows, key=weight, reverse=True)[:_LANES]}
    return [row for row in rows if row.name in chosen]


def _axis(view: TimelineView, rows: Sequence[TaskRow], *, columns: int) -> TimeAxis:
    stretches = [each for row in rows for each in _track(view, row).stretches]
    ran = [(each.start, each.end) for each in stretches if each.doing is Doing.RAN]
    start = min(each.start for each in stretches)
    end = max(each.end for each in stretches)
    return time_axis(_watched(ran, view.history.lives), start=start, end=end, columns=columns)


def _watched(
    spans: Sequence[tuple[float, float]], lives: Sequence[tuple[float, float]]
) -> Iterator[tuple[float, float]]:
    """The spans as far as an engine lived to see them; all of them where nobody knows."""
    if not lives:
        yield from spans
        return
    for first, last in spans:
        for start, end in lives:
            if first <= end and start <= last:
                yield max(first, start), min(last, end)


def _cells(track: Track, how: Standing, axis: TimeAxis) -> list[str]:
    """The lane's columns: its bars, the ends of its tries, and the cuts above both."""
    cells = [" "] * axis.columns
    for doing in Doing:
        for each in track.stretches:
            if each.doing is doing:
                first, last = axis.column(each.start), axis.column(each.end)
                last = max(last, first + 1) if doing is Doing.RAN else last
                cells[first:last] = _BARS[doing] * (min(last, axis.columns) - first)
    for place, one in enumerate(track.tries):
        is_present = place == len(track.tries) - 1
        column = min(axis.columns - 1, max(axis.column(one.end), axis.column(one.start) + 1))
        cells[column] = how.glyph if is_present and how.kind not in (Kind.WAITING, Kind.READY) else _FAILED
    for column in axis.cuts:
        cells[column : column + len(CUT)] = CUT
    return cells


def _lane_line(row: TaskRow, cells: Sequence[str], view: TimelineView, *, names: int, is_on_path: bool) -> Line:
    how = view.standing(row)
    tints = {"░": Tint.DIM, "▓": Tint.STALLED, _FAILED: Tint.ERROR, CUT[0]: Tint.DIM, " ": None}
    name = padded(cut_middle(row.name, names), names)
    spans = [Span("".join(run), tints.get(sign, TINTS[how.kind])) for sign, run in groupby(cells)]
    return (Span(name, url=row.url), Span(" *" if is_on_path else "  ", Tint.STRONG), *spans)


def _left_out(view: TimelineView, rows: Sequence[TaskRow], shown: Sequence[TaskRow], look: Look) -> list[Line]:
    lines: list[Line] = []
    if len(shown) < len(rows):
        lines.append(command(f"  + {len(rows) - len(shown):,} shorter ones: ", look.command("timeline", "--all")))
    if len(rows) < len(view.rows):
        lines.append(line(f"  + {len(view.rows) - len(rows):,} not launched yet"))
    return lines


def _legend(view: TimelineView, lanes: Sequence[Sequence[str]], look: Look) -> list[Line]:
    """The signs that are there, and the longest path."""
    used = {sign for cells in lanes for sign in cells}
    told = [f"{sign} {words}" for sign, words in _LEGEND if sign[0] in used]
    if view.longest is not None and view.longest.seconds > 0:
        told.append(f"* longest path {duration(view.longest.seconds)}")
    return [line(Span(f"  {each}", Tint.DIM)) for each in folded(told, columns=look.columns - 2)]
