"""A reading: the value that stands in a section, or a note that says why there is none."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from orchestrate.text.markdown import Line, LineKind
from orchestrate.text.sections import Section

Value = TypeVar("Value")

#: Lines of a section that are looked at for its value.
_LINES_READ = 200
_CHECKBOX = re.compile(r"\[(?P<mark>[ xX✓✔])\]\s+")
_ASIDE_KINDS = (LineKind.CODE, LineKind.QUOTE)


@dataclass(frozen=True, slots=True)
class Reading(Generic[Value]):
    """What was read; neither value nor note means that nothing is there."""

    value: Value | None = None
    note: str | None = None


def spoken_lines(section: Section) -> list[Line]:
    """The lines in the writer's own voice, of a list of boxes the ticked ones; else what is quoted or fenced."""
    lines = section.lines[:_LINES_READ]
    own = [line for line in lines if line.kind not in _ASIDE_KINDS and line.kind is not LineKind.HEADER_ROW]
    return _ticked(own or lines)


def agreed(sections: Sequence[Section], read: Callable[[Section], Reading[Value]], *, name: str) -> Reading[Value]:
    """One value for all sections of a title: where they differ there is none."""
    readings = [read(section) for section in sections]
    values = list(dict.fromkeys(reading.value for reading in readings if reading.value is not None))
    notes = [reading.note for reading in readings if reading.note is not None]
    if len(values) > 1:
        shown = ", ".join(str(value) for value in values)
        return Reading(note=f"{name}: {len(readings)} places say different things ({shown}); none was taken")
    return Reading(value=values[0] if values else None, note=notes[0] if notes else None)


def _ticked(lines: Sequence[Line]) -> list[Line]:
    """A list of boxes says what is ticked; lines beside the boxes stay."""
    chosen = []
    for line in lines:
        box = _CHECKBOX.match(line.text)
        if box is None:
            chosen.append(line)
        elif box["mark"] != " ":
            chosen.append(Line(kind=line.kind, text=line.text[box.end() :], number=line.number, cells=line.cells))
    return chosen
