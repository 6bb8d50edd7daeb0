"""A time axis in columns: idle stretches are cut out, and what is left has one scale."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import pairwise
from math import ceil

#: What a cut looks like, and so how wide it is.
CUT = "//"
#: An idle stretch is cut out if it is longer than this part of the time that is not idle.
_CUT_FRACTION = 0.15
_MOST_CUTS = 6
#: Steps between labels: seconds, minutes, hours, days.
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
_MINUTE, _DAY = 60, 86400
#: Columns between two labels at least.
_BETWEEN = 4


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of time that is shown, from its first column on."""

    start: float
    end: float
    column: float


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Columns of moments."""

    pieces: Sequence[_Piece]
    #: Columns a second.
    scale: float
    columns: int

    def column(self, moment: float) -> int:
        """The column of a moment; within a cut that of its beginning."""
        place = max(0, bisect_right(self.pieces, moment, key=lambda piece: piece.start) - 1)
        piece = self.pieces[place]
        within = min(max(moment, piece.start), piece.end) - piece.start
        return min(self.columns - 1, int(piece.column + within * self.scale + 1e-6))

    @property
    def cuts(self) -> list[int]:
        """The first column of each cut."""
        return [int(piece.column) - len(CUT) for piece in self.pieces[1:]]

    def labels(self, *, tz: tzinfo | None) -> str:
        """Times above the columns, on the reader's clock."""
        step = self._step(tz=tz)
        cells = [" "] * (self.columns + 1)
        for piece, following in zip(self.pieces, [*self.pieces[1:], None], strict=True):
            limit = self.columns if following is None else int(following.column) - len(CUT)
            self._label_piece(cells, piece, limit, step=step, tz=tz)
        for column in self.cuts:
            cells[column : column + len(CUT)] = CUT
        return "".join(cells).rstrip()

    def _label_piece(self, cells: list[str], piece: _Piece, limit: int, *, step: int, tz: tzinfo | None) -> None:
        free = int(piece.column)
        for moment in (piece.start, *_multiples(piece.start, piece.end, step, tz=tz)):
            text = self._text(moment, step=step, tz=tz)
            column = int(piece.column + (moment - piece.start) * self.scale)
            if column >= free and column + len(text) <= limit:
                cells[column : column + len(text)] = text
                free = column + len(text) + _BETWEEN

    def _step(self, *, tz: tzinfo | None) -> int:
        steps = (step for step in _STEPS if step * self.scale >= len(self._text(0, step=step, tz=tz)) + _BETWEEN)
        days = (len(self._text(0, step=_DAY, tz=tz)) + _BETWEEN) / (self.scale * _DAY)
        return next(steps, _DAY * ceil(days))

    def _text(self, moment: float, *, step: int, tz: tzinfo | None) -> str:
        local = _local(moment, tz=tz)
        if self.pieces[-1].end - self.pieces[0].start > _DAY:
            return f"{local:%a %H:%M}"
        return f"{local:%H:%M}" if step >= _MINUTE else f"{local:%H:%M:%S}"


def time_axis(busy: Iterable[tuple[float, float]], *, start: float, end: float, columns: int) -> TimeAxis:
    """The axis from start to end; what is not busy may be cut out."""
    merged = _merged(busy, start=start, end=end)
    cuts = _cuts(merged)
    shown = _shown(cuts, start=start, end=max(end, start + 1e-3))
    room = max(1, columns - len(CUT) * len(cuts))
    scale = room / sum(last - first for first, last in shown)
    pieces: list[_Piece] = []
    column = 0.0
    for first, last in shown:
        pieces.append(_Piece(first, last, column))
        column = float(int(column + (last - first) * scale) + len(CUT))
    return TimeAxis(pieces, scale, columns)


def _merged(spans: Iterable[tuple[float, float]], *, start: float, end: float) -> list[tuple[float, float]]:
    """The spans without overlaps, with the ends of the axis as spans of their own."""
    merged: list[tuple[float, float]] = [(start, start)]
    for first, last in sorted([*spans, (end, end)]):
        if first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _cuts(busy: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    total = sum(last - first for first, last in busy)
    gaps = [(one[1], other[0]) for one, other in pairwise(busy)]
    long = [gap for gap in gaps if gap[1] - gap[0] > max(1.0, total * _CUT_FRACTION)]
    return sorted(sorted(long, key=lambda gap: gap[0] - gap[1])[:_MOST_CUTS])


def _shown(cuts: Sequence[tuple[float, float]], *, start: float, end: float) -> list[tuple[float, float]]:
    """What is left between the cuts."""
    starts, ends = [start, *(cut[1] for cut in cuts)], [*(cut[0] for cut in cuts), end]
    return [(first, max(last, first + 1e-3)) for first, last in zip(starts, ends, strict=True)]


def _multiples(start: float, end: float, step: int, *, tz: tzinfo | None) -> list[float]:
    """Round moments of the reader's clock between the two."""
    offset = _local(start, tz=tz).utcoffset()
    shift = 0.0 if offset is None else offset.total_seconds()
    first = (int((start + shift) // step) + 1) * step - shift
    return [first + step * number for number in range(max(0, int((end - first) // step) + 1))]


def _local(moment: float, *, tz: tzinfo | None) -> datetime:
    return datetime.fromtimestamp(moment, tz).astimezone(tz)
