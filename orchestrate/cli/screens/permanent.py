"""Lines that are printed once, when something is over or needs somebody; they stay in the scrollback."""

from collections.abc import Sequence

from orchestrate.cli.screens.advice import command_for, mending_command
from orchestrate.cli.screens.durations import clock_time, duration, rough_duration, with_local_times
from orchestrate.cli.screens.layout import Line, Look, Span, Tint, line, wrapped
from orchestrate.cli.screens.vocabulary import Kind, Standing, evidence, named, standing
from orchestrate.model.rows import Attention, TaskRow
from orchestrate.model.timestamps import seconds_between

#: Behind the clock and the glyph.
_INDENT = 11
_LABEL = 7

_TINTS = {Kind.DONE: Tint.DONE, Kind.ERROR: Tint.ERROR, Kind.STALLED: Tint.STALLED, Kind.PARTIAL: Tint.RUNNING}


def handed_off_lines(row: TaskRow, look: Look, *, held: Sequence[str] = ()) -> list[Line]:
    """``14:09:12 ✓ api-schema handed off in 6m 10s, verified: unit tests``."""
    how = standing(row)
    seconds = None if row.accepted is not None else seconds_between(row.started_at, row.finished_at)
    spent = "" if seconds is None else f" in {duration(seconds)}"
    first = f"{how.word}{spent}, {evidence(row)}"
    if how.kind is Kind.DONE:
        return _block(row.finished_at, how, row, first, [], look)
    details = [("held", named(held)), ("do", look.command("handoff", row.name))]
    return _block(row.finished_at, how, row, first, details, look)


def verified_lines(row: TaskRow, look: Look) -> list[Line]:
    """A verdict that came after the handoff."""
    return _block(row.last_update, standing(row), row, evidence(row), [], look)


def ended_badly_lines(row: TaskRow, look: Look, *, held: Sequence[str] = ()) -> list[Line]:
    """An error or a cancel, with what is known and what to type."""
    how = standing(row)
    note = with_local_times(row.note or "", tz=look.tz)
    first = how.word if note in how.word or not note else f"{how.word}: {note}"
    details = [
        ("where", row.url or ""),
        ("held", named(held)),
        ("look", command_for(row, look)),
        ("do", mending_command(row, look)),
    ]
    return _block(row.finished_at, how, row, first, details, look)


def stalled_lines(row: TaskRow, look: Look, *, now: float, doing: str | None) -> list[Line]:
    """Silence is told once; the run goes on."""
    silent = seconds_between(row.stalled_since, row.last_update)
    how = standing(row)
    time = "" if silent is None else f" for {rough_duration(silent)}"
    since = clock_time(row.stalled_since, tz=look.tz)
    last = "" if doing is None else f"{doing} (since {since})"
    details = [("last", last), ("look", row.url or look.command("story", row.name))]
    return _block(now, how, row, f"stalled: no activity{time}; it was not stopped", details, look)


def attention_lines(item: Attention, look: Look) -> list[Line]:
    """What an operator must know."""
    return _paragraph(item.at, Span("!", Tint.STALLED), with_local_times(item.message, tz=look.tz), look)


def note_lines(message: str, look: Look, *, at: float) -> list[Line]:
    """Something to know; nothing is to be done."""
    return _paragraph(at, Span("·", Tint.DIM), message, look)


def _block(
    at: float | str | None, how: Standing, row: TaskRow, first: str, details: Sequence[tuple[str, str]], look: Look
) -> list[Line]:
    glyph = Span(how.glyph, _TINTS.get(how.kind, Tint.RUNNING))
    lines = _paragraph(at, glyph, f"{row.name} {first}", look, link=(row.name, row.url))
    for label, text in details:
        if text:
            lines += _labelled(label, text, look)
    return lines


def _paragraph(
    at: float | str | None, glyph: Span, text: str, look: Look, *, link: tuple[str, str | None] = ("", None)
) -> list[Line]:
    clock = clock_time(at, tz=look.tz) or " " * 8
    first, *rest = wrapped(text, max(20, look.columns - _INDENT))
    name, url = link
    head = (Span(name, url=url), Span(first.removeprefix(name))) if name and first.startswith(name) else (Span(first),)
    return [(Span(f"{clock} "), glyph, Span(" "), *head), *(line(f"{'':{_INDENT}}{each}") for each in rest)]


def _labelled(label: str, text: str, look: Look) -> list[Line]:
    if label in ("do", "look"):
        return [line(f"{'':{_INDENT}}", Span(f"{label:<{_LABEL}}", Tint.DIM), Span(text, is_whole=True))]
    first, *rest = wrapped(text, max(20, look.columns - _INDENT - _LABEL))
    indent = " " * (_INDENT + _LABEL)
    head = line(f"{'':{_INDENT}}", Span(f"{label:<{_LABEL}}", Tint.DIM), first)
    return [head, *(line(f"{indent}{each}") for each in rest)]
