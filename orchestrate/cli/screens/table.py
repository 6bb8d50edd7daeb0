"""Columns below each other: a glyph, a name, then cells of fixed widths."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrate.cli.screens.layout import Line, Look, Span, Tint, cut, cut_middle, padded, width_of
from orchestrate.cli.screens.vocabulary import Kind, Standing
from orchestrate.text.terminal import escape_for_terminal

#: Widest name column of the short and of the long form.
NAME_COLUMNS = 24
LONG_NAME_COLUMNS = 34

#: The colour of each kind.
TINTS = {
    Kind.WAITING: Tint.DIM,
    Kind.READY: Tint.DIM,
    Kind.LAUNCHING: Tint.RUNNING,
    Kind.RUNNING: Tint.RUNNING,
    Kind.STALLED: Tint.STALLED,
    Kind.DONE: Tint.DONE,
    Kind.PARTIAL: Tint.RUNNING,
    Kind.ERROR: Tint.ERROR,
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column behind the name."""

    title: str
    width: int
    is_number: bool = False


def name_columns(names: Iterable[str], look: Look, *, at_least: int = 18) -> int:
    """How wide the name column is: as the names need, within what the form allows."""
    most = LONG_NAME_COLUMNS if look.is_long else NAME_COLUMNS
    return min(most, max(at_least, *(width_of(name) for name in names), 0))


def head(title: str, columns: Sequence[Column], *, names: int) -> Line:
    """The line of titles."""
    cells = "".join(f"  {padded(column.title, column.width, to_right=column.is_number)}" for column in columns)
    return (Span(f"  {padded(title, names)}{cells}".rstrip(), Tint.DIM),)


def row_line(
    how: Standing,
    name: str,
    cells: Sequence[str],
    columns: Sequence[Column],
    *,
    names: int,
    url: str | None = None,
) -> Line:
    """One task's line; the last cell may be as long as the screen is wide."""
    tint = TINTS[how.kind]
    shown = cut_middle(name, names)
    parts = [Span(how.glyph, tint), Span(" "), Span(shown, url=url), Span(" " * max(0, names - width_of(shown)))]
    for place, (cell, column) in enumerate(zip(cells, columns, strict=True)):
        is_last, safe = place == len(columns) - 1, escape_for_terminal(cell)
        text = safe if is_last else padded(cut(safe, column.width), column.width, to_right=column.is_number)
        parts.append(Span(f"  {text}", tint if how.kind in (Kind.WAITING, Kind.READY) else None))
    return tuple(parts)


def word_line(how: Standing, name: str, words: str, *, names: int, url: str | None = None) -> Line:
    """One task's line with words behind its name."""
    return row_line(how, name, [words], [Column("", 0)], names=names, url=url)
