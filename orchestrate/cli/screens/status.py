"""The screen of ``status``: what needs you, what runs, what waits; finished work is folded unless it is asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestrate.cli.screens.advice import needs_somebody, next_command
from orchestrate.cli.screens.durations import clock_minute, duration, with_local_times
from orchestrate.cli.screens.findings import has_findings
from orchestrate.cli.screens.finished import branch_of, reading_lines, result_lines
from orchestrate.cli.screens.layout import Line, Look, Span, Tint, command, cut, folded, line, wrapped
from orchestrate.cli.screens.table import name_columns, word_line
from orchestrate.cli.screens.tally import headline, money_lines, tally_of_rows, with_cost
from orchestrate.cli.screens.vocabulary import Circumstances, Kind, beyond_paths, evidence, finding_words, standing
from orchestrate.model.money import NO_MONEY, Money
from orchestrate.model.names import TaskName
from orchestrate.model.rows import Andon, Attention, TaskRow, Unpublished
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.vocabulary import TaskStatus

#: Rows of each kind that the short screen shows.
_SHOWN = 10
_ATTENTION_SHOWN = 3
_ATTENTION_VERBOSE = 50
#: Behind the word "attention".
_ATTENTION_INDENT = 13
#: What is older than this says so.
_STALE_SECONDS = 90


@dataclass(frozen=True, slots=True)
class StatusView:
    """All that the screen shows."""

    slug: str
    #: In the plan's order, without pruned ones that were never launched.
    rows: Sequence[TaskRow]
    now: float
    #: For each waiting task the dependencies that have not released it.
    waits_for: Mapping[TaskName, Sequence[str]]
    #: For each waiting task the branch that it starts from, where the remote is known to lack it.
    missing_branches: Mapping[TaskName, str] = field(default_factory=dict)
    attention: Sequence[Attention] = ()
    #: The engine that runs the workspace: ``pid 4121, since 14:02``; None without one.
    engine: str | None = None
    is_new: bool = False
    #: When the workspace's last record was written.
    last_record: str | None = None
    elapsed_seconds: float | None = None
    #: How the plan differs from what the engine last took in; None if it does not.
    plan_change: str | None = None
    no_branches: frozenset[str] = frozenset()
    notes: Sequence[str] = ()
    money: Money = NO_MONEY
    #: Why others see an old state on git; None while they do not.
    unpublished: Unpublished | None = None
    #: The andon, where it was ever raised.
    andon: Andon | None = None


def status_screen(view: StatusView, look: Look, *, is_verbose: bool = False) -> list[Line]:
    """The lines, trouble first."""
    spent = "" if view.elapsed_seconds is None else duration(view.elapsed_seconds)
    tally = tally_of_rows(view.rows)
    lines = [headline(view.slug, tally, look, right=with_cost(spent, view.money)), _engine_line(view, look)]
    lines += _andon_lines(view, look)
    lines += _git_lines(view, look)
    lines += money_lines(view.money)
    lines += _every_row(view, look) if is_verbose else _open_rows(view, look)
    if tally.is_all_handed_off and not is_verbose:
        lines += result_lines(view.rows, look, no_branches=view.no_branches)
    lines += _attention(view, look, is_verbose=is_verbose)
    lines += [line(f"  note       {each}") for each in view.notes]
    following = next_command(view.rows, look, is_engine_alive=view.engine is not None)
    if following is not None:
        lines.append(command("  next: ", following))
    elif tally.is_all_handed_off:
        lines += reading_lines(view.rows, look, no_branches=view.no_branches)
    return lines


def _engine_line(view: StatusView, look: Look) -> Line:
    if view.engine is not None:
        words = f"engine running, {view.engine}"
        heard = epoch_seconds(view.last_record) if view.last_record else None
        if heard is not None and view.now - heard > _STALE_SECONDS:
            words += f" · last change {duration(view.now - heard)} ago"
    elif view.is_new:
        words = "never run"
    else:
        since = clock_minute(view.last_record, tz=look.tz, now=view.now)
        words = f"engine not running since {since}" if since else "engine not running"
    if view.is_new:
        return line(f"  {words}")
    return line(f"  {words} · plan changed since: {view.plan_change or 'no'}")


def _andon_lines(view: StatusView, look: Look) -> list[Line]:
    """Why nothing is launched."""
    andon = view.andon
    if andon is None or not andon.is_raised:
        return []
    since = clock_minute(andon.raised_at or "", tz=look.tz, now=view.now)
    words = f"andon raised at {since} by {andon.raised_by or 'somebody'}: {andon.reason or 'no reason given'}"
    return [line("  ", Span(cut(words, max(20, look.columns - 2)), Tint.ERROR))]


def _git_lines(view: StatusView, look: Look) -> list[Line]:
    """Why others see an old state."""
    behind = view.unpublished
    if behind is None:
        return []
    since = clock_minute(behind.since, tz=look.tz, now=view.now)
    times = "once" if behind.failures == 1 else f"{behind.failures} times"
    words = f"state not pushed to {behind.ref} since {since} ({times}): {behind.reason}"
    return [line("  ", Span(cut(words, max(20, look.columns - 2)), Tint.STALLED))]


def _open_rows(view: StatusView, look: Look) -> list[Line]:
    """What is open, each group folded behind its first rows, then what is done in few lines."""
    groups = (
        [row for row in view.rows if needs_somebody(row) or has_findings(row)],
        [row for row in view.rows if row.status == TaskStatus.RUNNING],
        [row for row in view.rows if row.status == TaskStatus.PENDING],
    )
    shown = [row for group in groups for row in group[:_SHOWN]]
    names = name_columns((row.name for row in shown), look, at_least=16)
    lines: list[Line] = []
    for group, word in zip(groups, ("that need you", "running", "waiting"), strict=True):
        lines += [_row_line(row, view, look, names=names) for row in group[:_SHOWN]]
        if len(group) > _SHOWN:
            lines.append(command(f"  + {len(group) - _SHOWN} more {word}: ", look.command("status", "-v")))
    if shown:
        folded_away = (row for row in view.rows if standing(row).kind is Kind.DONE and not has_findings(row))
        done = [f"✓ {row.name}" for row in folded_away]
        lines += [line(each) for each in folded(done, columns=look.columns, at_most=2)]
    return lines


def _every_row(view: StatusView, look: Look) -> list[Line]:
    names = name_columns((row.name for row in view.rows), look, at_least=16)
    lines: list[Line] = []
    for row in view.rows:
        lines.append(_row_line(row, view, look, names=names))
        details = [
            ("branch", branch_of(row, view.no_branches) if row.status == TaskStatus.HANDED_OFF else ""),
            ("agent", row.agent_id or (row.launch.agent_id if row.launch else "")),
            ("at", row.url if row.url and "://" in row.url else ""),
            *(("finding", finding.message) for finding in row.findings),
            ("paths", "; ".join(str(each) for each in row.paths_check.findings) if row.paths_check else ""),
            ("read", look.command("handoff", row.name) if row.handoff_path else ""),
            ("note", with_local_times(row.note or "", tz=look.tz)),
        ]
        lines += [line(f"{'':{names + 4}}", Span(f"{label:<7}", Tint.DIM), text) for label, text in details if text]
    return lines


def _row_line(row: TaskRow, view: StatusView, look: Look, *, names: int) -> Line:
    waits = view.waits_for.get(row.name, ())
    held = "its turn" if view.engine is not None else "nothing but the start of an engine"
    around = Circumstances(
        waits_for=waits,
        missing_branch=view.missing_branches.get(row.name),
        held_by=held,
        holds=_holds(row, view),
        now=view.now,
    )
    how = standing(row, around)
    words = how.word
    started = epoch_seconds(row.started_at) if row.started_at else None
    if row.status == TaskStatus.RUNNING and started is not None:
        words += f", launched {duration(view.now - started)} ago"
    if row.status == TaskStatus.HANDED_OFF:
        words += f", {evidence(row)}"
        words += "".join(f", {each}" for each in (finding_words(row), beyond_paths(row)) if each)
    if row.status == TaskStatus.ERROR and row.note and row.note not in words:
        words += f": {row.note}"
    room = max(20, look.columns - names - 4)
    return word_line(how, row.name, cut(with_local_times(words, tz=look.tz), room), names=names, url=row.url)


def _holds(row: TaskRow, view: StatusView) -> Sequence[str]:
    if standing(row).word != "blocked":
        return ()
    return [name for name, waits in view.waits_for.items() if row.name in waits]


def _attention(view: StatusView, look: Look, *, is_verbose: bool) -> list[Line]:
    """The latest lines for the operator, oldest first; whole where everything is asked for."""
    lines: list[Line] = []
    items = view.attention[-(_ATTENTION_VERBOSE if is_verbose else _ATTENTION_SHOWN) :]
    for place, item in enumerate(items):
        label = "attention" if place == 0 else ""
        text = f"{clock_minute(item.at, tz=look.tz, now=view.now)} {with_local_times(item.message, tz=look.tz)}"
        room = max(20, look.columns - _ATTENTION_INDENT)
        first, *rest = wrapped(text, room) if is_verbose else [cut(text, room)]
        lines.append(line("  ", Span(f"{label:<9}", Tint.STALLED), f"  {first}"))
        lines += [line(f"{'':{_ATTENTION_INDENT}}{each}") for each in rest]
    return lines
