"""Counts of a run, and the line that begins every screen."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orchestrate.cli.screens.layout import RIGHT_GAP, Line, Look, Span, Tint, cut_middle, spread, width_of
from orchestrate.model.money import Money, dollars
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus

_WIDEST = 120
#: What is left of a name at least; in favour of the text on the right it is not cut further.
_SHORTEST_SLUG = 8


@dataclass(frozen=True, slots=True)
class Tally:
    """How many tasks stand where; pruned ones do not count."""

    handed_off: int = 0
    running: int = 0
    waiting: int = 0
    error: int = 0
    cancelled: int = 0

    @property
    def total(self) -> int:
        """All tasks of the plan."""
        return self.handed_off + self.running + self.waiting + self.error + self.cancelled

    @property
    def is_all_handed_off(self) -> bool:
        """True once nothing is left to do."""
        return self.handed_off == self.total

    @property
    def percent(self) -> int:
        """How much is handed off; 100 only when all is."""
        return 100 * self.handed_off // self.total if self.total else 0


def counts_without_plan(row: TaskRow) -> bool:
    """False for a failed task that left the plan since: that is how a planner gives it up. Ad hoc ones never were in it."""
    return row.status not in (TaskStatus.ERROR, TaskStatus.CANCELLED) or bool(row.extra.get("adHoc"))


def tally_of(counts: Mapping[TaskStatus, int]) -> Tally:
    """The tally of these counts."""
    return Tally(
        handed_off=counts.get(TaskStatus.HANDED_OFF, 0),
        running=counts.get(TaskStatus.RUNNING, 0),
        waiting=counts.get(TaskStatus.PENDING, 0),
        error=counts.get(TaskStatus.ERROR, 0),
        cancelled=counts.get(TaskStatus.CANCELLED, 0),
    )


def tally_of_rows(rows: Iterable[TaskRow]) -> Tally:
    """The tally of these rows."""
    counts: dict[TaskStatus, int] = {}
    for row in rows:
        counts[row.status] = counts.get(row.status, 0) + 1
    return tally_of(counts)


def headline(slug: str, tally: Tally, look: Look, *, verdict: str = "", right: str = "") -> Line:
    """``checkout-export   3 of 6 handed off · 2 running · 1 waiting     18m 04s``.

    Of all this the name is cut first; the text on the right is whole or not there.
    """
    parts = [Span(f"   {tally.handed_off} of {tally.total} handed off")]
    for count, word, tint in (
        (tally.running, "running", Tint.RUNNING),
        (tally.waiting, "waiting", Tint.DIM),
        (tally.error, "error", Tint.ERROR),
        (tally.cancelled, "cancelled", Tint.ERROR),
    ):
        if count:
            parts += [Span(" · "), Span(f"{count} {word}", tint)]
    columns = min(look.columns, _WIDEST)
    room = columns - sum(width_of(part.text) for part in parts) - (len(verdict) + 1 if verdict else 0)
    beside = room - width_of(right) - RIGHT_GAP
    if right and beside >= min(_SHORTEST_SLUG, width_of(slug)):
        room = beside
    else:
        right = ""
    name = cut_middle(slug, max(_SHORTEST_SLUG, room))
    line = (Span(f"{name} {verdict}" if verdict else name, Tint.STRONG), *parts)
    return spread(line, right, columns=columns)


def with_cost(elapsed: str, money: Money) -> str:
    """``52m  $9.80 of $20.00``: what stands on the right of a headline."""
    return "  ".join(part for part in (elapsed, str(money)) if part)


def money_lines(money: Money) -> list[Line]:
    """How the plan's bounds stand; none for a plan that has none."""
    words = []
    if money.budget is not None:
        words.append(
            f"budget {dollars(money.budget)}: {dollars(money.spent)} spent, {dollars(money.reserved)} set aside"
        )
    if money.max_agents is not None:
        given = f", {money.given_agents} of them given to subplanners" if money.given_agents else ""
        words.append(f"{money.agents} of {money.max_agents} agents{given}")
    return [(Span(f"  {' · '.join(words)}"),)] if words else []
