"""What an engine that starts now would do with each task, told by the machine itself and not by a second set of rules."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from orchestrate.core.budgets import Bound, bound_ahead, money_of, why_held
from orchestrate.core.effects import Effect, LaunchAgent, LookUpAgent, LookUpRefs, WatchRun
from orchestrate.core.events import PlanRead
from orchestrate.core.machine import step
from orchestrate.core.ref_events import RefsSeen, SeenRef
from orchestrate.core.scheduling import hold_reason
from orchestrate.core.state import State, open_dependencies
from orchestrate.model.graph import dependencies_first
from orchestrate.model.money import NO_MONEY, Money
from orchestrate.model.names import TaskName, Timestamp
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus


class Fate(StrEnum):
    """What would become of a task."""

    #: It is launched at once.
    LAUNCHED = "launched"
    #: It misses nothing but a slot.
    QUEUED = "queued"
    #: It is launched once its pause is over.
    PAUSED = "paused"
    #: It is launched once tasks before it have handed off.
    WAITS = "waits"
    #: It is not launched: a task before it will not hand off by itself, or launching is stopped.
    HELD = "held"
    #: Its run goes on and is watched again.
    WATCHED = "watched"
    #: Its launch had no answer: the agent is looked up by its id first.
    LOOKED_UP = "looked-up"
    #: Its request was put off by the service and is sent again, as it was.
    RESENT = "resent"
    #: Its row says running and not whose: it goes to error, and nothing is launched.
    LOST = "lost"
    #: It left the plan before it was launched.
    PRUNED = "pruned"
    #: It is over, and stays as it is.
    STAYS = "stays"


#: Fates in which a launch is to come.
TO_LAUNCH = frozenset({Fate.LAUNCHED, Fate.QUEUED, Fate.PAUSED, Fate.WAITS})
_GO_ON = frozenset({Fate.WATCHED, Fate.LOOKED_UP, Fate.RESENT})


@dataclass(frozen=True, slots=True)
class TaskForecast:
    """What would become of one task, and why."""

    #: The row as the engine would have it after its start.
    row: TaskRow
    fate: Fate
    #: Tasks that it waits for, or that hold it.
    because_of: tuple[TaskName, ...] = ()
    #: How many launches must come to an end one after the other before this one; None where none comes.
    wave: int | None = None

    @property
    def name(self) -> TaskName:
        """The task."""
        return self.row.name


@dataclass(frozen=True, slots=True)
class Forecast:
    """What would become of all tasks, in the order in which they would be launched."""

    tasks: tuple[TaskForecast, ...]
    #: Why nothing would be launched at all.
    hold: str | None = None
    #: What was spent and is set aside, with what is launched at once.
    money: Money = NO_MONEY

    def of(self, *fates: Fate) -> list[TaskForecast]:
        """The tasks with one of these fates."""
        return [task for task in self.tasks if task.fate in fates]

    @property
    def launches(self) -> list[TaskForecast]:
        """Every task that would be launched, at once or later."""
        return [task for task in self.tasks if task.fate in TO_LAUNCH]


def forecast(state: State, plan: Plan, *, at: Timestamp) -> Forecast:
    """What follows if an engine takes up this state, of which no plan was read yet, with this plan.

    Tasks that run are taken to hand off: what else may happen to them is nobody's to know.
    """
    before, hold = state.rows, hold_reason(state)
    after, decision = step(state, PlanRead(at=at, plan=plan))
    effects = [*decision.effects]
    for asked in (effect for effect in decision.effects if isinstance(effect, LookUpRefs)):
        after, decision = step(after, _as_known(after, asked, at=at))
        effects += decision.effects
    orders = dict(_orders(effects))
    hold = _bound_words(after) if hold is None else hold
    settled = {
        row.name: TaskForecast(row, _fate(row, before.get(row.name), orders.get(row.name)))
        for row in after.rows_in_order()
        if row.status != TaskStatus.PENDING
    }
    pending = [row for row in after.rows_in_order() if row.status == TaskStatus.PENDING]
    found = _with_pending(after, settled, pending, is_held=hold is not None)
    in_order = [found[row.name] for row in after.rows_in_order()]
    return Forecast(
        tuple(sorted(in_order, key=lambda task: (task.wave is None, task.wave or 0))), hold, money_of(after)
    )


def _bound_words(state: State) -> str | None:
    """Why a limit of the plan lets nothing more be launched; what runs may still make room in a budget."""
    bound = bound_ahead(state)
    if bound is None or (bound == Bound.BUDGET and state.running):
        return None
    return why_held(state, bound)


def _orders(effects: Iterable[Effect]) -> Iterable[tuple[TaskName, Fate]]:
    for effect in effects:
        match effect:
            case LaunchAgent(row=row):
                yield row.name, Fate.LAUNCHED
            case WatchRun(row=row):
                yield row.name, Fate.WATCHED
            case LookUpAgent(row=row):
                yield row.name, Fate.LOOKED_UP


def _fate(row: TaskRow, before: TaskRow | None, order: Fate | None) -> Fate:
    if row.status == TaskStatus.RUNNING:
        return order or Fate.RESENT
    if row.status == TaskStatus.PRUNED and (before is None or before.status != TaskStatus.PRUNED):
        return Fate.PRUNED
    return Fate.LOST if row.status == TaskStatus.ERROR and _was_running(before) else Fate.STAYS


def _was_running(before: TaskRow | None) -> bool:
    return before is not None and before.status == TaskStatus.RUNNING


def _as_known(state: State, asked: LookUpRefs, *, at: Timestamp) -> RefsSeen:
    """The answer of a remote that has what it is not known to lack."""
    lacking = (row.name for row in state.rows.values() if row.on_remote is not None and row.on_remote.is_there is False)
    absent = frozenset(lacking)
    refs = (
        SeenRef(ref.task, ref.attempt, ref.branch, None if ref.task in absent else "", runs=ref.runs)
        for ref in asked.refs
    )
    return RefsSeen(at=at, refs=tuple(refs))


def _with_pending(
    state: State, settled: Mapping[TaskName, TaskForecast], pending: Iterable[TaskRow], *, is_held: bool
) -> dict[TaskName, TaskForecast]:
    """The forecasts with those of waiting tasks, each made after those of the tasks that it waits for."""
    found = {name: _with_wave(task) for name, task in settled.items()}
    left = {row.name: row for row in pending}
    inner = {name: [other for other in row.depends_on if other in left] for name, row in left.items()}
    for name in dependencies_first(inner):
        found[name] = _of_pending(state, left[name], found, is_held=is_held)
    for name, row in left.items():
        if name not in found:  # rows of another tool that wait for each other
            found[name] = TaskForecast(row, Fate.HELD, row.depends_on)
    return found


def _with_wave(task: TaskForecast) -> TaskForecast:
    return TaskForecast(task.row, task.fate, wave=0) if task.fate is Fate.LAUNCHED else task


def _of_pending(state: State, row: TaskRow, found: Mapping[TaskName, TaskForecast], *, is_held: bool) -> TaskForecast:
    waits_for = open_dependencies(state, row)
    held_by = tuple(name for name in waits_for if name not in found or not _may_hand_off(found[name]))
    if held_by:
        return TaskForecast(row, Fate.HELD, held_by)
    if is_held:
        return TaskForecast(row, Fate.HELD)
    if waits_for:
        return TaskForecast(row, Fate.WAITS, waits_for, wave=1 + max(found[name].wave or 0 for name in waits_for))
    return TaskForecast(row, Fate.QUEUED if row.not_before is None else Fate.PAUSED, wave=0)


def _may_hand_off(task: TaskForecast) -> bool:
    return task.fate in TO_LAUNCH or task.fate in _GO_ON
