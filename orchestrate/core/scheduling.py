"""Which tasks start now: those that miss nothing, by priority and then the plan's order, while slots and the budget allow."""

from orchestrate.core import budgets, launching
from orchestrate.core.changes import NOTHING, Decision, Phase, RowChanged
from orchestrate.core.effects import LaunchAgent
from orchestrate.core.events import Event
from orchestrate.core.state import State, apply


def start_ready_tasks(state: State, event: Event) -> Decision:
    """Launch intents and launches for all ready tasks that fit into the free slots."""
    if state.blueprint is None or hold_reason(state) is not None:
        return NOTHING
    changes: list[RowChanged] = []
    effects: list[LaunchAgent] = []
    held: Decision = NOTHING
    while state.ready is not None and state.running < slots(state):
        bound = budgets.bound_ahead(state)
        if bound is not None:
            held = budgets.told_once(state, bound)
            break
        row = launching.intended(state, state.rows[state.ready.item], at=event.at)
        started = RowChanged(row)
        changes.append(started)
        effects.append(launching.launch(state, row))
        state = apply(state, (started,))
    return Decision(tuple(changes), tuple(effects)) + held if changes else held


def slots(state: State) -> int:
    """How many tasks may run at once."""
    limits, settings = state.plan.limits, state.session.settings
    follows = settings.follows_plan and limits.max_concurrent is not None
    own = (limits.max_concurrent if follows else settings.max_concurrent, limits.max_concurrent_per_repo)
    return min(limit for limit in own if limit is not None)


def hold_reason(state: State) -> str | None:
    """Why no task may start at all; None when only slots and dependencies decide."""
    if state.session.phase != Phase.RUNNING:
        return "the engine is leaving"
    if state.session.settings.answers_only:
        return "this engine only answers requests"
    if state.workspace.andon is not None and state.workspace.andon.is_raised:
        return "the andon is raised"
    return state.session.hold
