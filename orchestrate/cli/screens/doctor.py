"""The screen of ``doctor``: a line a finding, what to do below it, and whether a run would start."""

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrate.cli.checks.findings import Finding, Verdict, having
from orchestrate.cli.messages import as_typed, count_of
from orchestrate.cli.screens.layout import Line, Look, Span, Tint, command, line, wrapped
from orchestrate.cli.screens.table import TINTS
from orchestrate.cli.screens.vocabulary import GLYPHS, Kind
from orchestrate.text.terminal import escape_for_terminal

_KINDS = {
    Verdict.GOOD: Kind.DONE,
    Verdict.WARNING: Kind.STALLED,
    Verdict.FAULT: Kind.ERROR,
    Verdict.SKIPPED: Kind.WAITING,
}
#: Columns before the words of a finding: glyph, subject, gaps.
_SUBJECT = 11
_INDENT = _SUBJECT + 2
_LEAST_WORDS = 30


@dataclass(frozen=True, slots=True)
class DoctorView:
    """All that the screen shows."""

    slug: str
    #: ``cloud (--runtime)``; empty where none was chosen.
    runtime: str
    findings: Sequence[Finding]


def doctor_screen(view: DoctorView, look: Look) -> list[Line]:
    """The lines, in the order of the subjects."""
    heading = line(Span(view.slug, Tint.STRONG), f"   {view.runtime}" if view.runtime else "")
    lines = [heading]
    for finding in view.findings:
        lines += _finding(finding, look)
    return [*lines, *_foot(view, look)]


def _finding(finding: Finding, look: Look) -> list[Line]:
    kind = _KINDS[finding.verdict]
    tint = TINTS[kind]
    first, *rest = wrapped(_safe(finding.message, look), max(_LEAST_WORDS, look.columns - _INDENT))
    lines = [line(Span(GLYPHS[kind][0], tint), f" {finding.check.value:<{_SUBJECT}}", Span(first))]
    lines += [line(f"{'':{_INDENT}}{words}") for words in rest]
    lines += [line(f"{'':{_INDENT}}known  {_safe(each, look)}") for each in finding.known]
    if finding.hint:
        lines.append(command(f"{'':{_INDENT}}do  ", _safe(finding.hint, look)))
    return lines


def _foot(view: DoctorView, look: Look) -> list[Line]:
    faults, warnings = having(view.findings, Verdict.FAULT), having(view.findings, Verdict.WARNING)
    told = f", {count_of(len(warnings), 'warning')}" if warnings else ""
    if faults:
        return [line(f"  {count_of(len(faults), 'fault')}{told}; a run would not start. Nothing was changed.")]
    return [line(f"  no fault{told}. Nothing was changed."), command("  next: ", look.command("run"))]


def _safe(text: str, look: Look) -> str:
    return escape_for_terminal(as_typed(text, program=look.program))
