"""The limits in force: the plan's own, and what the planner above granted; the lesser of the two binds."""

from dataclasses import dataclass

from orchestrate.core.state import State
from orchestrate.model.grants import least


@dataclass(frozen=True, slots=True)
class Bounds:
    """What this workspace may come to; None where nothing bounds it."""

    budget_cents: float | None = None
    max_agents: int | None = None
    #: Levels of agents that may stand below this engine.
    levels: int | None = None
    #: True where the planner above bounds the cents, or the agents, and not the plan.
    is_budget_granted: bool = False
    is_count_granted: bool = False


def bounds_of(state: State) -> Bounds:
    """The limits that launches keep."""
    limits, own = state.plan.limits, state.workspace.grant
    granted_cents, granted_agents = (None, None) if own is None else (own.budget_cents, own.max_agents)
    budget, agents = least(limits.budget_cents, granted_cents), least(limits.max_agents, granted_agents)
    in_plan = None if limits.max_depth is None else max(0, limits.max_depth - state.session.settings.depth)
    levels = least(in_plan, None if own is None else own.grant.levels)
    return Bounds(
        budget_cents=budget,
        max_agents=None if agents is None else int(agents),
        levels=None if levels is None else int(levels),
        is_budget_granted=budget is not None and budget != limits.budget_cents,
        is_count_granted=agents is not None and agents != limits.max_agents,
    )
