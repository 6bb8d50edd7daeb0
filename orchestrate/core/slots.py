"""How many tasks run at once, and how many of them may be planners.

A planner waits for agents of its own. Where it takes a slot of the service itself, planners alone could fill the service,
and none of them would ever get an agent. So they never take more than half of the slots that are known: those of the
plan, and the room that the service was learned to have. On our own server planners take no slot; there only a refusal
for lack of room, which says that this server counts them all, brings the rule about.
"""

from orchestrate.core.state import State


def slots(state: State) -> int:
    """How many tasks may run at once."""
    limits, settings = state.plan.limits, state.session.settings
    follows = settings.follows_plan and limits.max_concurrent is not None
    own = (limits.max_concurrent if follows else settings.max_concurrent, limits.max_concurrent_per_repo)
    return min(limit for limit in own if limit is not None)


def has_slot_for_planner(state: State) -> bool:
    """True while one more planner leaves at least as many slots to others; a single planner always may run."""
    most = _most_planners(state)
    return most is None or state.planners < most


def _most_planners(state: State) -> int | None:
    line = state.session.line
    room = None if line is None else line.room
    if state.session.settings.planners_take_slots:
        room = slots(state) if room is None else min(slots(state), room)
    return None if room is None else max(1, room // 2)
