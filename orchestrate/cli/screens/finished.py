"""The end of a run: finished, or what needs you and the command for it."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestrate.cli.screens.advice import mending_command, needs_somebody
from orchestrate.cli.screens.durations import duration
from orchestrate.cli.screens.estimate import Chain
from orchestrate.cli.screens.findings import finding_lines, has_findings
from orchestrate.cli.screens.layout import Line, Look, command, cut_middle, folded, line, width_of, wrapped
from orchestrate.cli.screens.table import Column, head, name_columns, row_line, word_line
from orchestrate.cli.screens.tally import headline, tally_of_rows, with_cost
from orchestrate.cli.screens.vocabulary import Circumstances, Kind, evidence, standing
from orchestrate.model.money import NO_MONEY, Money
from orchestrate.model.names import TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus, TaskType, Verification

_EXIT_BLOCKED = 75
_EXIT_CHECKPOINT = 100
_EXIT_INTERRUPTED = 130
#: Rows that the table of results shows, and rows that need somebody.
_RESULTS = 40
_NEEDY = 12
_MERGES = 3
#: Verdicts after which nobody should merge without a look.
_REFUTED = (Verification.VERIFIER_FAILED, Verification.VERIFIER_BLOCKED)

#: Widest column of evidence and of branches; the try stands behind both.
_EVIDENCE, _BRANCH, _TRY = 28, 40, 4


@dataclass(frozen=True, slots=True)
class EndView:
    """All that the summary shows."""

    slug: str
    #: In the plan's order.
    rows: Sequence[TaskRow]
    exit_code: int
    elapsed_seconds: float | None = None
    longest: Chain | None = None
    #: Branches that were only planned, or that everybody starts from: nothing of the task is there.
    no_branches: frozenset[str] = frozenset()
    #: For each blocked task those that wait for it.
    holds: Mapping[TaskName, Sequence[str]] = field(default_factory=dict)
    money: Money = NO_MONEY
    #: What to set where only a limit of the plan holds the run.
    held: str | None = None


def end_screen(view: EndView, look: Look) -> list[Line]:
    """The summary that replaces the live block."""
    return _finished(view, look) if view.exit_code == 0 else _not_finished(view, look)


def result_lines(rows: Sequence[TaskRow], look: Look, *, no_branches: frozenset[str]) -> list[Line]:
    """The table of tasks that handed off: who says what, where it is, which try; nothing where there are none."""
    if not rows:
        return []
    shown = rows[:_RESULTS]
    names = name_columns((row.name for row in shown), look)
    branches = [_branch_cell(row, no_branches) for row in shown]
    says = min(_EVIDENCE, max(len(evidence(row)) for row in shown))
    room = max(12, look.columns - names - says - _TRY - 8)
    columns = (
        Column("evidence", says),
        Column("branch", min(room, _BRANCH, max(width_of(branch) for branch in branches))),
        Column("try", 0),
    )
    lines = [head("task", columns, names=names)]
    for row, branch in zip(shown, branches, strict=True):
        cells = [evidence(row), cut_middle(branch, columns[1].width), str(max(1, row.attempts))]
        lines.append(row_line(standing(row), row.name, cells, columns, names=names, url=row.url))
    if len(shown) < len(rows):
        lines.append(command(f"  + {len(rows) - len(shown)} more: ", look.command("status", "-v")))
    return lines


def _branch_cell(row: TaskRow, no_branches: frozenset[str]) -> str:
    pull_request = f"  #{row.pr_number}" if row.pr_number is not None else ""
    return f"{branch_of(row, no_branches)}{pull_request}"


def branch_of(row: TaskRow, no_branches: frozenset[str]) -> str:
    """The branch that the task really has."""
    return "no branch" if not row.branch or row.branch in no_branches else row.branch


def reading_lines(rows: Sequence[TaskRow], look: Look, *, no_branches: frozenset[str]) -> list[Line]:
    """What to read and what to merge: the tasks that nobody builds on."""
    last = last_tasks(rows)
    if not last:
        return []
    lines = [command("  read    ", look.command("handoff", last[0].name))]
    branches = [
        row.branch for row in last if branch_of(row, no_branches) == row.branch and row.verification not in _REFUTED
    ]
    lines += [command("  merge   ", _merge_command(branch, look)) for branch in branches[:_MERGES]]
    return lines


def _merge_command(branch: str, look: Look) -> str:
    """Works in any clone of the repository: agents push to the remote, the clone has not seen their branches yet."""
    return f"git fetch {shlex.quote(look.remote)} {shlex.quote(branch)} && git merge FETCH_HEAD"


def last_tasks(rows: Sequence[TaskRow]) -> list[TaskRow]:
    """Tasks whose work no other one takes up; a verifier takes up nothing."""
    by_name: Mapping[TaskName, TaskRow] = {row.name: row for row in rows}
    taken = {name for row in rows if row.type != TaskType.VERIFIER for name in row.depends_on}
    ends = [row for row in by_name.values() if row.name not in taken and row.status == TaskStatus.HANDED_OFF]
    works = [row for row in ends if row.type != TaskType.VERIFIER]
    return sorted(works or ends, key=lambda row: not (row.verification in _REFUTED or needs_somebody(row)))


def _finished(view: EndView, look: Look) -> list[Line]:
    rows = [row for row in view.rows if row.status != TaskStatus.PRUNED]
    spent = "" if view.elapsed_seconds is None else duration(view.elapsed_seconds)
    if spent and view.longest is not None:
        spent += f" (longest path {duration(view.longest.seconds)})"
    spent = with_cost(spent, view.money)
    return [
        headline(view.slug, tally_of_rows(rows), look, verdict="finished", right=spent),
        *result_lines(rows, look, no_branches=view.no_branches),
        *_finding_lines(rows, look),
        *reading_lines(rows, look, no_branches=view.no_branches),
    ]


def _not_finished(view: EndView, look: Look) -> list[Line]:
    rows = [row for row in view.rows if row.status != TaskStatus.PRUNED]
    tally = tally_of_rows(rows)
    spent = "" if view.elapsed_seconds is None else duration(view.elapsed_seconds)
    spent = with_cost(spent, view.money)
    verdict = {
        _EXIT_BLOCKED: "is blocked",
        _EXIT_CHECKPOINT: "is at its checkpoint",
        _EXIT_INTERRUPTED: "was interrupted",
    }
    lines = [headline(view.slug, tally, look, verdict=verdict.get(view.exit_code, "needs you"), right=spent)]
    lines += needy_lines(rows, look, holds=view.holds) + _finding_lines(rows, look)
    done = [f"{standing(row).glyph} {row.name}" for row in rows if standing(row).kind is Kind.DONE]
    lines += [line(each) for each in folded(done, columns=look.columns)]
    agents = "1 agent" if tally.running == 1 else f"{tally.running} agents"
    if view.held is not None:
        lines += [line(f"  {each}") for each in wrapped(view.held, max(20, look.columns - 2))]
        lines.append(command("  do      ", look.command("run")))
    lines.append(_state_line(agents, view.exit_code))
    if view.exit_code in (_EXIT_BLOCKED, _EXIT_CHECKPOINT, _EXIT_INTERRUPTED) or tally.running:
        lines.append(command("  go on   ", look.command("run")))
    return lines


def _finding_lines(rows: Sequence[TaskRow], look: Look) -> list[Line]:
    found = [row for row in rows if has_findings(row)]
    return finding_lines(found, look, names=name_columns((row.name for row in found), look))


def _state_line(agents: str, exit_code: int) -> Line:
    return line(f"  {agents} still running · state saved · exit {exit_code}")


def needy_lines(rows: Sequence[TaskRow], look: Look, *, holds: Mapping[TaskName, Sequence[str]]) -> list[Line]:
    """Each task that ended badly or half, with the command to type."""
    needy = [row for row in rows if needs_somebody(row)]
    names = name_columns((row.name for row in needy[:_NEEDY]), look)
    lines: list[Line] = []
    for row in needy[:_NEEDY]:
        how = standing(row, Circumstances(holds=holds.get(row.name, ())))
        lines.append(word_line(how, row.name, how.word, names=names, url=row.url))
        lines.append(command(f"{'':{names + 4}}do: ", mending_command(row, look)))
    if len(needy) > _NEEDY:
        lines.append(command(f"  + {len(needy) - _NEEDY} more: ", look.command("status")))
    return lines
