"""The live block of ``run``: what needs you, what runs, what is next; never higher than the screen less two lines."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from orchestrate.cli.screens.advice import command_for
from orchestrate.cli.screens.durations import duration
from orchestrate.cli.screens.estimate import Chain
from orchestrate.cli.screens.findings import SHOWN, finding_lines
from orchestrate.cli.screens.layout import Line, Look, Span, Tint, command, cut, line
from orchestrate.cli.screens.table import Column, head, name_columns, row_line, word_line
from orchestrate.cli.screens.tally import Tally, headline
from orchestrate.cli.screens.vocabulary import (
    Circumstances,
    Kind,
    Standing,
    named,
    standing,
)
from orchestrate.model.rows import TaskRow

_MARGIN_ROWS = 2
_BAR_CELLS = 20
#: Lines beside tasks that the small form needs: head, slots, titles, "more" and the hint.
_FRAME_ROWS = 6
_NEXT_NAMED = 2
#: Findings beside many tasks.
_FOUND_OF_MANY = 2
#: On a lower screen the rows of tasks are worth more than the hint.
_ROWS_WITH_HINT = 16

_SHORT = (Column("for", 7, is_number=True), Column("seen", 5, is_number=True), Column("doing", 0))
_LONG = (
    Column("type", 10),
    Column("try", 6),
    Column("for", 7, is_number=True),
    Column("seen", 5, is_number=True),
    Column("doing", 34),
    Column("starts from", 0),
)


@dataclass(frozen=True, slots=True)
class Active:
    """A task that runs, as it looks at this moment."""

    row: TaskRow
    #: Since its launch.
    seconds: float | None = None
    #: Since its last sign of life in this session; None before the first.
    seen_seconds: float | None = None
    doing: str | None = None
    #: ``1 of 2``; the number alone where the plan names no limit.
    tries: str = ""


@dataclass(frozen=True, slots=True)
class Upcoming:
    """A task that waits, and for whom."""

    row: TaskRow
    waits_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """A task that ended badly, and how many wait behind it."""

    row: TaskRow
    behind: int = 0


@dataclass(frozen=True, slots=True)
class LiveView:
    """All that the block shows."""

    slug: str
    tally: Tally
    elapsed_seconds: float
    now: float
    #: None to whoever only watches another process: it is the engine's affair.
    slots: int | None
    #: Why nothing is launched at all.
    hold: str | None = None
    is_leaving: bool = False
    failed: Sequence[Failed] = ()
    #: Tasks that are over and whose results people should look at.
    found: Sequence[TaskRow] = ()
    #: Oldest first.
    active: Sequence[Active] = ()
    #: Nearest first, not necessarily all.
    upcoming: Sequence[Upcoming] = ()
    left: Chain | None = field(default=None)


def live_block(view: LiveView, look: Look) -> list[Line]:
    """The block's lines, at most the screen's rows less two."""
    room = max(1, look.rows - _MARGIN_ROWS)
    is_large = view.tally.total > max(1, room - _FRAME_ROWS)
    lines = _large(view, look, room) if is_large else _small(view, look)
    return lines[:room]


def _small(view: LiveView, look: Look) -> list[Line]:
    """Every open task has its line; the screen is high enough for the whole plan."""
    names = _names(view, look)
    lines = [headline(view.slug, view.tally, look, right=duration(view.elapsed_seconds)), *_slots_line(view)]
    lines += _trouble(view, look, names=names, room=look.rows)
    rest = [each for each in view.active if each.row.stalled_since is None]
    spare = look.rows - _MARGIN_ROWS - len(lines) - len(rest) - len(view.upcoming) - _FRAME_ROWS // 2
    lines += finding_lines(view.found, look, names=names, at_most=max(1, min(SHOWN, spare)))
    if rest:
        lines.append(head("task" if look.is_long else "running", _columns(look), names=names))
    lines += [_active_line(each, view, look, names=names) for each in rest]
    lines += [_upcoming_line(each, view, look, names=names) for each in view.upcoming]
    lines.append(_hint(view))
    return lines


def _large(view: LiveView, look: Look, room: int) -> list[Line]:
    """Counts instead of lines: what needs you first, some of what runs, who is next."""
    names = _names(view, look)
    lines = [headline(view.slug, view.tally, look), _bar_line(view)]
    tail = _next_line(view)
    if look.rows >= _ROWS_WITH_HINT or view.is_leaving:
        tail.append(_hint(view))
    lines += _trouble(view, look, names=names, room=max(2, (room - len(lines) - len(tail)) // 2))
    if look.rows >= _ROWS_WITH_HINT:
        lines += finding_lines(view.found, look, names=names, at_most=_FOUND_OF_MANY)
    rest = [each for each in view.active if each.row.stalled_since is None]
    space = room - len(lines) - len(tail) - 1
    if rest and space > 0:
        lines.append(head(_running_title(view), _columns(look), names=names))
        shown = rest if len(rest) <= space else rest[: max(0, space - 1)]
        lines += [_active_line(each, view, look, names=names) for each in shown]
        if len(shown) < len(rest):
            lines.append(line(f"  + {len(rest) - len(shown)} more running"))
    return [*lines, *tail]


def _running_title(view: LiveView) -> str:
    of = "" if view.slots is None else f" of {view.slots}"
    return f"running ({view.tally.running}{of})"


def _names(view: LiveView, look: Look) -> int:
    rows = [each.row for each in view.failed]
    rows += [*view.found, *(each.row for each in view.active)]
    rows += [each.row for each in view.upcoming]
    return name_columns((row.name for row in rows), look)


def _columns(look: Look) -> Sequence[Column]:
    return _LONG if look.is_long else _SHORT


def _slots_line(view: LiveView) -> list[Line]:
    """Slots, a hold and the estimate; no line where nothing of that is known."""
    parts: list[str | Span] = [] if view.slots is None else [f" · slots {view.tally.running} of {view.slots}"]
    parts += _held(view)
    if view.left is not None:
        parts.append(f" · longest path left ~{_rough(view.left.seconds)}: {named(view.left.names)}")
    if not parts:
        return []
    first, *rest = parts
    first = first.removeprefix(" · ") if isinstance(first, str) else first
    return [line("  ", first, *rest)]


def _bar_line(view: LiveView) -> Line:
    done = _BAR_CELLS * view.tally.handed_off // max(1, view.tally.total)
    bar = "#" * done + "." * (_BAR_CELLS - done)
    parts: list[str | Span] = [f"  [{bar}] {view.tally.percent} %   {duration(view.elapsed_seconds)}"]
    if view.left is not None:
        parts.append(f"   ~{_rough(view.left.seconds)} left")
    return line(*parts, *_held(view))


def _held(view: LiveView) -> list[str | Span]:
    return [] if view.hold is None else [" · ", Span(f"nothing new starts: {view.hold}", Tint.ERROR)]


def _trouble(view: LiveView, look: Look, *, names: int, room: int) -> list[Line]:
    """Errors, then stalled tasks, each group with the command to type."""
    lines: list[Line] = []
    stalled = [each for each in view.active if each.row.stalled_since is not None]
    space = max(1, room - 2)
    lines += [_failed_line(each, names=names) for each in view.failed[:space]]
    if view.failed:
        lines += _more(len(view.failed) - space, "in error")
        lines.append(command("  do: ", command_for(view.failed[0].row, look)))
    space = max(1, space - len(lines))
    for task in stalled[:space]:
        how = standing(task.row, Circumstances(now=view.now))
        doing = f", last: {task.doing}" if task.doing else ""
        lines.append(word_line(how, task.row.name, f"{how.word}{doing}", names=names, url=task.row.url))
    if stalled:
        lines += _more(len(stalled) - space, "stalled")
        lines.append(command("  do: ", look.command("story", stalled[0].row.name)))
    return lines


def _more(count: int, word: str) -> list[Line]:
    return [line(f"  + {count} more {word}")] if count > 0 else []


def _failed_line(each: Failed, *, names: int) -> Line:
    behind = f"   {each.behind} behind it" if each.behind else ""
    how = standing(each.row)
    return word_line(how, each.row.name, f"{cut(how.word, 44)}{behind}", names=names, url=each.row.url)


def _active_line(each: Active, view: LiveView, look: Look, *, names: int) -> Line:
    how = standing(each.row, Circumstances(now=view.now))
    doing = each.doing if how.kind is Kind.RUNNING and how.word == "running" else how.word
    spent = "" if each.seconds is None else duration(each.seconds)
    seen = "" if each.seen_seconds is None else _seen(each.seen_seconds)
    unseen = how.word if view.slots is None else ""  # what agents do never enters the files
    cells = [spent, seen, doing or unseen]
    if look.is_long:
        cells = [each.row.type, each.tries, *cells, each.row.starting_ref]
    return row_line(how, each.row.name, cells, _columns(look), names=names, url=each.row.url)


def _upcoming_line(each: Upcoming, view: LiveView, look: Look, *, names: int) -> Line:
    how = _upcoming_standing(each, view)
    cells = ["", "", how.word]
    if look.is_long:
        cells = [each.row.type, "", *cells, ""]
    return row_line(how, each.row.name, cells, _columns(look), names=names)


def _upcoming_standing(each: Upcoming, view: LiveView) -> Standing:
    held = view.hold or ("its turn" if view.slots is None else "the slots: all taken")
    return standing(each.row, Circumstances(waits_for=each.waits_for, held_by=held, now=view.now))


def _next_line(view: LiveView) -> list[Line]:
    if not view.upcoming:
        return []
    shown = view.upcoming[:_NEXT_NAMED]
    words = [
        f"{each.row.name} waits for {len(each.waits_for)}" if each.waits_for else f"{each.row.name} is ready"
        for each in shown
    ]
    rest = view.tally.waiting - len(shown)
    if rest > 0:
        words.append(f"+ {rest} more waiting")
    return [line(f"  next: {' · '.join(words)}")]


def _hint(view: LiveView) -> Line:
    if view.is_leaving:
        return (Span("Leaving: answers in flight are awaited; agents go on. Ctrl-C again leaves at once.", Tint.DIM),)
    if view.slots is None:
        return (Span("Ctrl-C ends the watching; the run goes on.", Tint.DIM),)
    return (Span("Ctrl-C leaves the agents running; the same command goes on with them.", Tint.DIM),)


def _seen(seconds: float) -> str:
    return duration(seconds).split()[0]


def _rough(seconds: float) -> str:
    return duration(seconds).split()[0] if seconds < 3600 else duration(seconds)  # noqa: PLR2004  an hour
