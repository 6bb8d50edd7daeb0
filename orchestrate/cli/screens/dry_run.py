"""The screen of ``run --dry-run``: what keeps the run from starting, what goes on, and what would be launched when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrate.cli.screens.layout import Line, Look, Span, Tint, cut_middle, line
from orchestrate.cli.screens.table import Column, head, name_columns, row_line
from orchestrate.cli.screens.tally import money_lines
from orchestrate.cli.screens.vocabulary import Kind, Standing, named, standing
from orchestrate.core.forecast import Fate, Forecast, TaskForecast
from orchestrate.model.money import NO_MONEY, Money
from orchestrate.model.names import TaskName
from orchestrate.model.vocabulary import TaskStatus

#: Rows of each group that the short screen shows.
_SHOWN = 12
_COLUMNS = (Column("type", 10), Column("prompt", 9, is_number=True), Column("what would happen", 0))
_LONG_COLUMNS = (*_COLUMNS[:2], Column("model", 18), _COLUMNS[2])
_KILOBYTE = 1000
#: Tenths of a kilobyte are told up to here.
_SMALL = 10

_GROUPS: tuple[tuple[str, tuple[Fate, ...]], ...] = (
    ("would not start", (Fate.LOST, Fate.HELD)),
    ("goes on", (Fate.WATCHED, Fate.LOOKED_UP, Fate.RESENT)),
    ("at once", (Fate.LAUNCHED,)),
    ("as slots become free", (Fate.QUEUED, Fate.PAUSED)),
)


@dataclass(frozen=True, slots=True)
class StartCost:
    """What the launch of a task sends."""

    prompt_bytes: int
    #: None where the choice is left to the service, or to the agent program.
    model: str | None = None
    #: Handoffs that will be in the prompt too, and do not exist yet.
    handoffs_to_come: int = 0


@dataclass(frozen=True, slots=True)
class DryRunView:
    """All that the screen shows."""

    slug: str
    #: ``local (--runtime)``.
    runtime: str
    max_concurrent: int
    forecast: Forecast
    costs: Mapping[TaskName, StartCost]
    #: Fields of tasks that differ from what these ran with.
    changed: Mapping[TaskName, Sequence[str]]
    #: True if something was found that would keep the run from starting.
    is_refused: bool = False
    money: Money = NO_MONEY


def dry_run_screen(view: DryRunView, look: Look, *, is_verbose: bool = False) -> list[Line]:
    """The lines: trouble first, then in the order of time, what is over last."""
    columns = _LONG_COLUMNS if look.is_long else _COLUMNS
    names = name_columns((task.name for task in view.forecast.tasks), look)
    where = f"  runtime {view.runtime} · {view.max_concurrent} at a time"
    lines = [_headline(view, look), line(where), *money_lines(view.money), head("task", columns, names=names)]
    for title, tasks in _groups(view.forecast):
        shown = tasks if is_verbose else tasks[:_SHOWN]
        lines.append(line(Span(f"  {title}", Tint.STRONG)))
        lines += [_row(task, view, look, names=names) for task in shown]
        if len(tasks) > len(shown):
            lines.append(line(Span(f"  + {len(tasks) - len(shown)} more (-v shows them)", Tint.DIM)))
    return [*lines, *_foot(view)]


def _headline(view: DryRunView, look: Look) -> Line:
    found = view.forecast
    counts = (
        (len(found.of(Fate.LAUNCHED)), "launched at once"),
        (len(found.of(Fate.QUEUED, Fate.PAUSED, Fate.WAITS)), "later"),
        (len(found.of(Fate.WATCHED, Fate.LOOKED_UP, Fate.RESENT)), "going on"),
        (len(found.of(Fate.LOST, Fate.HELD)), "not started"),
        (len(found.of(Fate.STAYS, Fate.PRUNED)), "over"),
    )
    words = " · ".join(f"{count} {word}" for count, word in counts if count)
    slug = cut_middle(view.slug, max(8, look.columns // 3))
    return line(Span(f"{slug} dry run", Tint.STRONG), f"   {words}")


def _groups(found: Forecast) -> list[tuple[str, list[TaskForecast]]]:
    groups = [(title, found.of(*fates)) for title, fates in _GROUPS]
    waves: dict[int, list[TaskForecast]] = {}
    for task in found.of(Fate.WAITS):
        waves.setdefault(task.wave or 0, []).append(task)
    groups += [("then" if wave == 1 else f"then, wave {wave + 1}", tasks) for wave, tasks in sorted(waves.items())]
    groups.append(("stays as it is", found.of(Fate.PRUNED, Fate.STAYS)))
    return [(title, tasks) for title, tasks in groups if tasks]


def _row(task: TaskForecast, view: DryRunView, look: Look, *, names: int) -> Line:
    cost = view.costs.get(task.name)
    prompt = "" if cost is None else f"{_size(cost.prompt_bytes)}{'+' if cost.handoffs_to_come else ' '}"
    words = _words(task, view)
    if not look.is_long:
        return row_line(_standing(task), task.name, [task.row.type, prompt, words], _COLUMNS, names=names)
    model = "" if cost is None else cost.model or "left open"
    return row_line(_standing(task), task.name, [task.row.type, prompt, model, words], _LONG_COLUMNS, names=names)


def _standing(task: TaskForecast) -> Standing:
    """The sign of what would become of the task; its words stand in the last column."""
    match task.fate:
        case Fate.LAUNCHED | Fate.QUEUED | Fate.PAUSED:
            return Standing(Kind.READY, "")
        case Fate.RESENT:
            return Standing(Kind.LAUNCHING, "")
        case Fate.WAITS | Fate.HELD:
            return Standing(Kind.WAITING, "")
        case Fate.LOST:
            return Standing(Kind.ERROR, "")
        case _:
            return standing(task.row)


def _words(task: TaskForecast, view: DryRunView) -> str:
    row, changed = task.row, view.changed.get(task.name, ())
    since = f"; {named(changed)} changed since it was launched, which has no effect" if changed else ""
    others = named(task.because_of)
    held = f"held by {others}, which will not hand off by itself" if others else f"held: {view.forecast.hold}"
    rest = ", and is not tried again by itself" if row.status == TaskStatus.ERROR else ""
    return {
        Fate.LAUNCHED: f"launched from {row.starting_ref}",
        Fate.QUEUED: f"launched from {row.starting_ref} when a slot is free",
        Fate.PAUSED: f"launched from {row.starting_ref} after its pause, at {row.not_before}",
        Fate.WAITS: f"waits for {others}",
        Fate.HELD: held,
        Fate.WATCHED: f"runs; is watched again, not launched{since}",
        Fate.LOOKED_UP: f"its launch had no answer; the agent is looked up first{since}",
        Fate.RESENT: f"its request was put off and is sent again as it was{since}",
        Fate.LOST: f"becomes an error: {row.note}",
        Fate.PRUNED: "is taken out: it is not in the plan any more",
        Fate.STAYS: f"{standing(row).word}{rest}{since}",
    }[task.fate]


def _foot(view: DryRunView) -> list[Line]:
    launches, costs = view.forecast.launches, view.costs.values()
    lines: list[Line] = []
    if launches:
        size = _size(sum(cost.prompt_bytes for cost in costs))
        count = "1 launch" if len(launches) == 1 else f"{len(launches):,} launches"
        lines.append(line(f"  to start   {count}, {size} of prompts; what agents spend then is not known"))
        if any(cost.handoffs_to_come for cost in costs):
            lines.append(line("  +          handoffs that do not exist yet will be in these prompts too"))
    elif not view.forecast.of(Fate.WATCHED, Fate.LOOKED_UP, Fate.RESENT):
        lines.append(line("  nothing would be launched or watched"))
    done = "nothing was launched, sent or written"
    lines.append(line(Span(f"  {done}; run would be refused, see below" if view.is_refused else f"  {done}", Tint.DIM)))
    return lines


def _size(count: int) -> str:
    """``812 B``, ``5.1 kB``, ``64 kB``."""
    if count < _KILOBYTE:
        return f"{count} B"
    kilobytes = count / _KILOBYTE
    return f"{kilobytes:.1f} kB" if kilobytes < _SMALL else f"{kilobytes:,.0f} kB"
