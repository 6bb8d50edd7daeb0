"""Findings of results, a line each, in the live block and in the summary at the end."""

from collections.abc import Iterable

from orchestrate.cli.screens.layout import Line, Look, command, cut
from orchestrate.cli.screens.table import word_line
from orchestrate.cli.screens.vocabulary import beyond_paths, standing
from orchestrate.model.rows import TaskRow

#: Findings that are shown; the rest is counted.
SHOWN = 4


def has_findings(row: TaskRow) -> bool:
    """True for a task whose result people should look at."""
    return bool(row.findings or beyond_paths(row))


def finding_lines(rows: Iterable[TaskRow], look: Look, *, names: int, at_most: int = SHOWN) -> list[Line]:
    """The first findings, each with its task, and what shows the whole of all; nothing without any."""
    found = [(row, words) for row in rows for words in _words(row)]
    room = max(20, look.columns - names - 4)
    lines = [
        word_line(standing(row), row.name, cut(f"finding: {words}", room), names=names, url=row.url)
        for row, words in found[:at_most]
    ]
    more = len(found) - len(lines)
    if found:
        lines.append(command(f"  + {more} more findings: " if more else "  look: ", look.command("status", "-v")))
    return lines


def _words(row: TaskRow) -> list[str]:
    beyond = beyond_paths(row)
    return [*(finding.message for finding in row.findings), *([f"{beyond}."] if beyond else [])]
