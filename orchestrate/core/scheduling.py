"""Which tasks start now: those that miss nothing, by priority and then the plan's order, while slots and the budget allow."""

from dataclasses import replace

from orchestrate.core import budgets, capacity, launching
from orchestrate.core.changes import NOTHING, Change, Decision, Phase, RowChanged, SessionChanged, change
from orchestrate.core.effects import Effect
from orchestrate.core.events import Event
from orchestrate.core.slots import has_slot_for_planner, slots
from orchestrate.core.state import State, apply, may_start_but_for_bench
from orchestrate.core.turns import next_turn
from orchestrate.model.names import TaskName, Timestamp
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus, TaskType


def start_ready_tasks(state: State, event: Event) -> Decision:
    """Launch intents and launches for all ready tasks that fit into the free slots; others wait for the service's room."""
    if state.blueprint is None or hold_reason(state) is not None:
        return NOTHING
    changes: list[Change] = []
    effects: list[Effect] = []
    while (started := _next_start(state, at=event.at)) is not None:
        changes += started.changes
        effects += started.effects
        state = apply(state, started.changes)
    kept_waiting = _kept_waiting(state)
    if not changes and kept_waiting is NOTHING:
        return NOTHING
    return Decision(tuple(changes), tuple(effects)) + kept_waiting


def _next_start(state: State, *, at: Timestamp) -> Decision | None:
    """What starts first: a task that has a message, a launch that waited for room, or a task that is ready."""
    if _has_turn(state):
        assert state.called is not None
        return next_turn(state, state.rows[state.called.item], at=at)
    held, ready = capacity.next_held(state), _next_ready(state)
    back = _back_from_bench(state, ready)
    if back is not None:
        return change(_benched(state, state.session.benched - back))
    if held is not None and (ready is None or _is_before(state, held, ready)):
        if _must_wait_for_planners(state, held):
            row = launching.withdrawn(held, TaskStatus.PENDING, at=at)
            return change(_benched(state, state.session.benched | {held.name}), RowChanged(row))
        return launching.taken_on(state, held, at=at)
    if ready is None:
        return None
    if _must_wait_for_planners(state, ready):
        return change(_benched(state, state.session.benched | {ready.name}))
    refused = launching.too_deep(state, ready, at=at)
    if refused is not None:
        return refused
    row = launching.intended(state, ready, at=at)
    return change(RowChanged(row), effects=[launching.launch(state, row)])


def _must_wait_for_planners(state: State, row: TaskRow) -> bool:
    """True for a planner beside as many as may run: others go before it."""
    return row.type == TaskType.SUBPLANNER and not has_slot_for_planner(state)


def _back_from_bench(state: State, ready: TaskRow | None) -> frozenset[TaskName] | None:
    """The planner whose turn it is again, with those that wait no more; None where none comes before who is ready."""
    benched = state.session.benched
    if not benched or not has_slot_for_planner(state) or state.running >= slots(state) or not capacity.has_room(state):
        return None
    assert state.blueprint is not None
    waiting = [name for name in benched if may_start_but_for_bench(state, name)]
    if not waiting:
        return benched
    first = min(waiting, key=state.blueprint.rank)
    if ready is not None and state.blueprint.rank(ready.name) < state.blueprint.rank(first):
        return None
    return frozenset({first})


def _benched(state: State, names: frozenset[TaskName]) -> SessionChanged:
    return SessionChanged(replace(state.session, benched=names))


def _has_turn(state: State) -> bool:
    """True where a task that is over has a message, and there is a slot and money for its next run."""
    return state.called is not None and state.running < slots(state) and budgets.bound_ahead(state) is None


def _next_ready(state: State) -> TaskRow | None:
    """The first ready task, unless a limit of the plan or the service's room keeps it waiting."""
    if not _has_ready(state) or not capacity.has_room(state) or budgets.bound_ahead(state) is not None:
        return None
    assert state.ready is not None
    return state.rows[state.ready.item]


def _kept_waiting(state: State) -> Decision:
    """Why the next one does not start: a limit of the plan, or the service's room."""
    if _has_ready(state) or (state.called is not None and state.running < slots(state)):
        bound = budgets.bound_ahead(state)
        return capacity.armed(state) if bound is None else budgets.told_once(state, bound)
    return capacity.armed(state) if state.held else NOTHING


def _is_before(state: State, one: TaskRow, other: TaskRow) -> bool:
    assert state.blueprint is not None
    return state.blueprint.rank(one.name) < state.blueprint.rank(other.name)


def _has_ready(state: State) -> bool:
    """True while a task misses nothing and there is a slot for it."""
    return state.ready is not None and state.running < slots(state)


def hold_reason(state: State) -> str | None:
    """Why no task may start at all; None when only slots and dependencies decide."""
    if state.session.phase != Phase.RUNNING:
        return "the engine is leaving"
    if state.session.settings.answers_only:
        return "this engine only answers requests"
    if state.workspace.andon is not None and state.workspace.andon.is_raised:
        return "the andon is raised"
    if state.session.awaits_grant:
        return "what the planner above granted is not known yet"
    return state.session.hold
