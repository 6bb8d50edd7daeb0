"""The screen of ``story``: one task's life in sentences, and where to look next."""

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrate.cli.screens.advice import command_for, needs_somebody
from orchestrate.cli.screens.durations import clock_minute, clock_time, with_local_times
from orchestrate.cli.screens.layout import Line, Look, Span, Tint, command, line, wrapped
from orchestrate.cli.screens.table import TINTS
from orchestrate.cli.screens.vocabulary import Standing, evidence
from orchestrate.core.story import Line as Sentence
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus

_INDENT = 9
#: Where the day ends in a moment as it is shown.
_DAY = slice(0, -6)


@dataclass(frozen=True, slots=True)
class StoryView:
    """All that the screen shows."""

    row: TaskRow
    how: Standing
    sentences: Sequence[Sentence]
    #: Agents and runs of each try, for those who want ids.
    ids: Sequence[tuple[str, str]] = ()
    now: float = 0.0


def story_screen(view: StoryView, look: Look, *, is_verbose: bool = False) -> list[Line]:
    """How the task stands, then what happened, oldest first."""
    lines = [_head(view)]
    day = ""
    for sentence in view.sentences:
        new_day = clock_minute(sentence.at, tz=look.tz, now=view.now)[_DAY]
        if new_day != day and new_day:
            lines.append(line(Span(new_day.strip(), Tint.DIM)))
        day = new_day
        lines += _sentence(sentence, look)
    if not view.sentences:
        lines.append(line("  it was never launched"))
    if is_verbose:
        lines += [line(f"{'':{_INDENT}}", Span(f"{label:<8}", Tint.DIM), text) for label, text in view.ids]
    if needs_somebody(view.row) and view.row.handoff_path is not None:
        lines.append(command("  do: ", command_for(view.row, look)))
    return lines


def _head(view: StoryView) -> Line:
    row, how = view.row, view.how
    words = f"{how.word}, {evidence(row)}" if row.status == TaskStatus.HANDED_OFF else how.word
    return line(Span(how.glyph, TINTS[how.kind]), " ", Span(row.name, Tint.STRONG, url=row.url), f"  {words}")


def _sentence(sentence: Sentence, look: Look) -> list[Line]:
    clock = clock_time(sentence.at, tz=look.tz) or " " * 8
    first, *rest = wrapped(with_local_times(sentence.text, tz=look.tz), max(20, look.columns - _INDENT))
    return [line(Span(clock, Tint.DIM), f" {first}"), *(line(f"{'':{_INDENT}}{each}") for each in rest)]
