"""Which tasks start now: those that miss nothing, by priority and then the plan's order, while slots are free."""

from orchestrate.core import launching
from orchestrate.core.changes import Decision, Phase, RowChanged
from orchestrate.core.effects import LaunchAgent
from orchestrate.core.events import Event
from orchestrate.core.queue import Queue, rest
from orchestrate.core.state import State, is_ready
from orchestrate.model.names import TaskName


def start_ready_tasks(state: State, event: Event) -> Decision:
    """Launch intents and launches for all ready tasks that fit into the free slots."""
    if state.blueprint is None or hold_reason(state) is not None:
        return Decision()
    changes: list[RowChanged] = []
    effects: list[LaunchAgent] = []
    queue = next_ready(state, state.ready)
    for _ in range(slots(state) - state.running):
        if queue is None:
            break
        row = launching.intended(state, state.rows[queue.item], at=event.at)
        changes.append(RowChanged(row))
        effects.append(launching.launch(state, row))
        queue = next_ready(state, rest(queue))
    return Decision(tuple(changes), tuple(effects))


def slots(state: State) -> int:
    """How many tasks may run at once."""
    limits = state.plan.limits
    own = (state.session.settings.max_concurrent, limits.max_concurrent_per_repo)
    return min(limit for limit in own if limit is not None)


def hold_reason(state: State) -> str | None:
    """Why no task may start at all; None when only slots and dependencies decide."""
    if state.session.phase != Phase.RUNNING:
        return "the engine is leaving"
    if state.workspace.andon is not None and state.workspace.andon.is_raised:
        return "the andon is raised"
    return state.session.hold


def next_ready(state: State, queue: Queue[TaskName] | None) -> Queue[TaskName] | None:
    """The queue from its first task on that is ready still."""
    while queue is not None and not _may_start(state, queue.item):
        queue = rest(queue)
    return queue


def has_ready(state: State) -> bool:
    """True while a task misses nothing but a slot."""
    return next_ready(state, state.ready) is not None


def _may_start(state: State, name: TaskName) -> bool:
    return is_ready(state.rows[name]) and state.waiting.get(name) == 0
