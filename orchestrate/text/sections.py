"""A message cut into sections: which lines stand under which title, and how plainly that title was written."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import assert_never

from orchestrate.text.markdown import Line, LineKind
from orchestrate.text.titles import (
    Label,
    Title,
    closes_a_sentence,
    glued_titles,
    heading_of,
    is_aside,
    is_value,
    label_of,
)


class Strength(IntEnum):
    """How plainly a title was written; of one title only the plainest are read."""

    NONE = 0
    #: ``Status: success`` in the text.
    LABEL = 1
    #: ``**Status**`` on a line of its own, ``**Status:** success``, a table row.
    BOLD = 2
    #: A heading.
    HEADING = 3


@dataclass(slots=True)
class Section:
    """The lines under one title."""

    title: Title
    strength: Strength
    number: int
    #: Of the heading; 0 for titles that are none.
    level: int = 0
    lines: list[Line] = field(default_factory=list)


#: Under a plain heading of these, fields such as ``Branch: x`` are part of the tale.
_TALES = frozenset(
    {
        Title.WORK,
        Title.TARGET,
        Title.NOTES,
        Title.FOLLOW_UPS,
        Title.EXECUTION,
        Title.FINDINGS,
        Title.MEASUREMENTS,
        Title.VERIFICATION,
        Title.VERDICT,
    }
)
#: A label without any mark counts for these only: "Notes: ..." and "Target: ..." are everyday prose.
_PLAIN_LABELS = frozenset(
    {Title.STATUS, Title.BRANCH, Title.VERIFICATION, Title.VERDICT, Title.MEASUREMENTS, Title.FAILURE_MODE}
)
#: A table under one of these may have a column of the same name.
_VALUES = frozenset({Title.STATUS, Title.BRANCH, Title.VERIFICATION, Title.VERDICT, Title.FAILURE_MODE})
_VERDICTS = frozenset({Title.VERIFICATION, Title.VERDICT})


def split(lines: Sequence[Line]) -> list[Section]:
    """The sections in order; what stands before the first title is in one titled ``OTHER``."""
    cutter = _Cutter()
    for line in _unglued(lines):
        cutter.take(line)
    return cutter.sections


def titled(sections: Iterable[Section], title: Title) -> list[Section]:
    """The sections of that title that are written most plainly."""
    found = [section for section in sections if section.title is title]
    strongest = max((section.strength for section in found), default=Strength.NONE)
    return [section for section in found if section.strength is strongest]


def titles_of(sections: Iterable[Section], *, at_least: Strength = Strength.BOLD) -> set[Title]:
    """The known titles among the sections."""
    return {each.title for each in sections if each.title is not Title.OTHER and each.strength >= at_least}


def _unglued(lines: Iterable[Line]) -> Iterator[Line]:
    """Headings that stick to the words before them get lines of their own."""
    for line in lines:
        cuts = glued_titles(line.text) if line.kind not in (LineKind.CODE, LineKind.QUOTE) else []
        if line.kind is not LineKind.HEADING:
            cuts = [cut for cut in cuts if closes_a_sentence(line.text[max(0, cut[0] - 40) : cut[0]])]
        yield from _parts(line, cuts) if cuts else (line,)


def _parts(line: Line, cuts: Sequence[tuple[int, int]]) -> Iterator[Line]:
    ends = [start for start, _ in cuts[1:]] + [len(line.text)]
    pieces = [(start, line.text[title:end].strip()) for (start, title), end in zip(cuts, ends, strict=True)]
    real = [(start, text) for start, text in pieces if line.kind is LineKind.HEADING or heading_of(text)]
    if not real:
        yield line
        return
    yield replace(line, text=line.text[: real[0][0]].strip())
    for index, (start, _) in enumerate(real):
        end = real[index + 1][0] if index + 1 < len(real) else len(line.text)
        yield replace(line, kind=LineKind.HEADING, text=line.text[start:end].lstrip("#").strip())


class _Cutter:
    """Takes lines one by one and puts each under its title."""

    def __init__(self) -> None:
        self.sections = [Section(title=Title.OTHER, strength=Strength.NONE, number=1)]
        self._columns: tuple[Label | None, ...] = ()

    def take(self, line: Line) -> None:
        match line.kind:
            case LineKind.CODE | LineKind.QUOTE:
                self._add(line)
            case LineKind.HEADING | LineKind.UNDERLINED:
                self._take_heading(line)
            case LineKind.HEADER_ROW | LineKind.ROW:
                self._take_row(line)
            case LineKind.TEXT | LineKind.ITEM:
                self._take_text(line)
            case _:
                assert_never(line.kind)

    @property
    def _current(self) -> Section:
        return self.sections[-1]

    def _add(self, line: Line) -> None:
        self._current.lines.append(line)

    def _open(self, title: Title, strength: Strength, line: Line, *, value: str = "") -> None:
        self.sections.append(Section(title=title, strength=strength, number=line.number, level=line.level))
        if value:
            self._add(replace(line, kind=LineKind.TEXT, text=value, cells=()))

    def _take_heading(self, line: Line) -> None:
        label = heading_of(line.text)
        if label is not None:
            self._open(label.title, Strength.HEADING, line, value="" if is_aside(label) else label.rest)
        elif line.kind is LineKind.UNDERLINED or self._is_branch_listing(line):
            self._add(replace(line, kind=LineKind.TEXT))
        elif not self._is_group(line):
            self._open(Title.OTHER, Strength.HEADING, line)

    def _is_group(self, line: Line) -> bool:
        """A deeper heading of the writer's own goes on with a list of measurements, or with what is still empty."""
        current = self._current
        is_below = 0 < current.level < line.level and current.title is not Title.OTHER
        return is_below and (current.title is Title.MEASUREMENTS or not current.lines)

    def _is_branch_listing(self, line: Line) -> bool:
        """``## cursor/x...origin/cursor/x`` of ``git status -sb`` looks like a heading and is a value."""
        is_listing = "..." in line.text or "/" in line.text or "(no branch)" in line.text
        alone = line.text.count(" ") == 0 or "..." in line.text or "(no branch)" in line.text
        return self._current.title is Title.BRANCH and not self._current.lines and is_listing and alone

    def _take_row(self, line: Line) -> None:
        if line.kind is LineKind.HEADER_ROW:
            labels = tuple(_bare_label(cell) for cell in line.cells)
            several = sum(label is not None for label in labels) > 1
            own = self._current.title in _VALUES and self._current.title in [label and label.title for label in labels]
            self._columns = labels if several and not own and self._may_hold_fields() else ()
            if own:
                self._add(line)
                return
        if self._columns:
            self._take_columns(line)
            return
        match line.cells:
            case [name, value] if self._may_hold_fields() and (label := _bare_label(name)) is not None:
                self._open(label.title, Strength.BOLD, line, value=value)
            case _:
                self._add(line)

    def _take_columns(self, line: Line) -> None:
        """``| Status | Branch |`` above its only row: each column is a field."""
        if line.kind is LineKind.HEADER_ROW:
            return
        columns, self._columns = self._columns, ()
        for label, cell in zip(columns, line.cells, strict=False):
            if label is not None:
                self._open(label.title, Strength.BOLD, line, value=cell)

    def _take_text(self, line: Line) -> None:
        label = label_of(line.text)
        strength = _strength(label) if label is not None else Strength.NONE
        if label is None or not strength or not self._opens(label, strength, line):
            self._add(line)
        else:
            self._open(label.title, strength, line, value=label.rest)

    def _opens(self, label: Label, strength: Strength, line: Line) -> bool:
        title = self._current.title
        if label.title is title or (label.title in _VERDICTS and title in _VERDICTS):
            return False
        if self._may_hold_fields():
            return True
        return strength is Strength.BOLD and not label.rest and line.kind is LineKind.TEXT

    def _may_hold_fields(self) -> bool:
        return self._current.strength is not Strength.HEADING or self._current.title not in _TALES


def _strength(label: Label) -> Strength:
    colon = label.separator in (":", "：")
    if label.is_marked and (colon or not label.rest):
        return Strength.BOLD
    if label.title not in _PLAIN_LABELS:
        return Strength.NONE
    if label.is_marked and is_value(label):
        return Strength.BOLD
    if colon or (not label.rest and not label.separator and label.is_capital):
        return Strength.LABEL
    return Strength.NONE


def _bare_label(cell: str) -> Label | None:
    label = label_of(cell)
    return label if label is not None and not label.rest else None
