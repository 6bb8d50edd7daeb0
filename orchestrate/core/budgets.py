"""``limits.budgetCents`` and ``limits.maxAgents``, or what the planner above granted of them: what a launch sets aside, and when it has to wait.

A launch sets aside the dearest known cost of its type in this workspace, else ``limits.reserveCents``. That stands in
the row's charge, written with the intent, until the service tells the cost; no restart and no further attempt takes it
back. A launch that would bring what is spent and set aside over the budget waits, and all behind it wait with it. A
message that begins another run of an agent sets aside and waits alike; it makes no agent. A subplanner's launch takes
its share as well, and a message to one takes up again what had come back of it.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from orchestrate.core.accounts import cents, units
from orchestrate.core.bounds import bounds_of
from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, SessionChanged, change
from orchestrate.core.state import State
from orchestrate.model.grants import Grant, Share
from orchestrate.model.money import Money, dollars
from orchestrate.model.names import AgentId
from orchestrate.model.rows import Charge, TaskRow
from orchestrate.model.vocabulary import TaskType

#: Cents that a launch sets aside where neither the plan nor the workspace's past says more.
RESERVE_CENTS = 500.0


class Bound(StrEnum):
    """A limit of the plan that holds launches."""

    BUDGET = "budget"
    AGENTS = "agents"


@dataclass(frozen=True, slots=True)
class _Needs:
    """What a start takes beside what is taken already: agents, and cents as the accounts count them."""

    agents: int
    cents: int


def money_of(state: State) -> Money:
    """How the workspace stands under the plan in force."""
    bounds, accounts = bounds_of(state), state.accounts
    spent, reserved = cents(_spent(state)), cents(accounts.reserved + accounts.given)
    agents = accounts.agents_taken
    return Money(spent, reserved, agents, bounds.budget_cents, bounds.max_agents, given_agents=accounts.given_agents)


def has_bounds(state: State) -> bool:
    """True where it is bounded what may be spent or launched in all."""
    bounds = bounds_of(state)
    return bounds.budget_cents is not None or bounds.max_agents is not None


def has_budget(state: State) -> bool:
    """True where it is bounded what may be spent."""
    return bounds_of(state).budget_cents is not None


def reserve_cents(state: State, task_type: TaskType) -> float:
    """What a launch of this type sets aside."""
    dearest = state.accounts.dearest.get(task_type)
    if dearest is not None:
        return cents(dearest)
    own, above = state.plan.limits.reserve_cents, state.workspace.grant
    if own is not None:
        return float(own)
    return RESERVE_CENTS if above is None or above.grant.reserve is None else above.grant.reserve


def share_of(state: State, row: TaskRow) -> Grant | None:
    """What the next launch of this task gives away: the plan's word, else an equal part of what is left.

    None for a task that plans nothing. A launch that went back is sent again as it was, with what it said then.

    What is left is what neither this launch nor one launch of every other task that waits would take. It is divided
    among the subplanners that wait, and each may launch one agent at least.
    """
    if row.type != TaskType.SUBPLANNER:
        return None
    kept = _share(row, row.attempts + 1)
    if kept is not None:
        return kept.grant
    bounds, task, accounts = bounds_of(state), state.plan.tasks_by_name.get(row.name), state.accounts
    planners = max(1, state.to_come.get(row.type, 0))
    agents, amount = (None, None) if task is None else (task.max_agents, task.budget_cents)
    if agents is None and bounds.max_agents is not None:
        left = bounds.max_agents - accounts.agents_taken - max(1, sum(state.to_come.values()))
        agents = max(1, left // planners)
    own = None if amount is None else float(amount)
    if own is None and bounds.budget_cents is not None:
        others = sum(count * units(reserve_cents(state, each)) for each, count in state.to_come.items())
        left = units(bounds.budget_cents) - _committed(state) - max(others, units(reserve_cents(state, row.type)))
        own = max(reserve_cents(state, TaskType.WORKER), float(int(cents(left // planners))))
    levels = None if bounds.levels is None else max(0, bounds.levels - 1)
    reserve = None if own is None else reserve_cents(state, TaskType.WORKER)
    return Grant(agents, own, levels, reserve)


def bound_for(state: State, row: TaskRow) -> Bound | None:
    """The limit that keeps this task from being launched now; None where it may be."""
    return _bound(state, _needs_of_launch(state, row))


def bound_for_message(state: State, row: TaskRow) -> Bound | None:
    """The limit that keeps a message to this task's agent from being sent now; None where it may be."""
    return _bound(state, _needs_of_message(state, row))


def bound_ahead(state: State) -> Bound | None:
    """The limit that keeps the first of those waiting that may start; None where none does, or nobody waits."""
    row = _first_in_line(state)
    if row is None:
        return None
    return bound_for_message(state, row) if row.is_called else bound_for(state, row)


def charged(state: State, row: TaskRow, *, attempt: int, agent_id: AgentId) -> tuple[Charge, ...]:
    """The row's charges with what a launch sets aside."""
    return (*uncharged(row, attempt), _charge(state, row, attempt=attempt, agent_id=agent_id))


def charged_for_message(state: State, row: TaskRow) -> TaskRow:
    """The row with what the run of its first message sets aside."""
    assert row.agent_id is not None
    first, *others = row.queue
    first = replace(first, reserved=reserve_cents(state, row.type))
    charges = row.charges
    if all(charge.attempt != row.attempts for charge in charges):
        charges = (*charges, _charge(state, row, attempt=row.attempts, agent_id=row.agent_id))
    shares = tuple(replace(share, used=None) if share.attempt == row.attempts else share for share in row.shares)
    moved = _moved(charges, row.attempts, by=first.reserved)
    return replace(row, queue=(first, *others), charges=moved, shares=shares)


def uncharged_for_message(row: TaskRow) -> TaskRow:
    """The row without what its first message has set aside: it began no run."""
    first, *others = row.queue
    charges = _moved(row.charges, row.attempts, by=-first.reserved)
    return replace(row, queue=(replace(first, reserved=0.0), *others), charges=charges)


def uncharged(row: TaskRow, attempt: int) -> tuple[Charge, ...]:
    """The row's charges without this attempt's: it made no agent."""
    return tuple(charge for charge in row.charges if charge.attempt != attempt)


def recharged(row: TaskRow, agent_id: AgentId) -> tuple[Charge, ...]:
    """The row's charges, the present attempt's in the name of the agent that the service made."""
    return tuple(
        replace(charge, agent_id=agent_id) if charge.attempt == row.attempts else charge for charge in row.charges
    )


def shared_with(state: State, row: TaskRow, *, attempt: int, agent_id: AgentId) -> tuple[Share, ...]:
    """The row's shares with what the launch of this attempt gives away."""
    kept = _share(row, attempt)
    grant = share_of(state, row) if kept is None else kept.grant
    others = tuple(share for share in row.shares if share is not kept)
    return others if grant is None or grant.is_free else (*others, Share(attempt, agent_id, grant))


def reshared(row: TaskRow, agent_id: AgentId) -> tuple[Share, ...]:
    """The row's shares, the present attempt's in the name of the agent that the service made."""
    return tuple(replace(share, agent_id=agent_id) if share.attempt == row.attempts else share for share in row.shares)


def told_once(state: State, bound: Bound) -> Decision:
    """The line for an operator when a limit first keeps a task waiting; told again under another limit."""
    limit = f"{bound}: {_limit(state, bound)}"
    if state.session.bound_told == limit:
        return NOTHING
    told = SessionChanged(replace(state.session, bound_told=limit))
    return change(told, AttentionRaised(f"{why_held(state, bound)}; {_going_on(state)}. {what_to_raise(state, bound)}"))


def last_words(state: State) -> str | None:
    """Why a run that is over did not go on, where only a limit holds it; None elsewhere."""
    bound = bound_ahead(state)
    return None if bound is None else f"{why_held(state, bound)}. {what_to_raise(state, bound)}"


def why_held(state: State, bound: Bound) -> str:
    """What keeps the next task waiting."""
    money = money_of(state)
    bounds = bounds_of(state)
    if bound == Bound.AGENTS:
        assert money.max_agents is not None
        limit = (
            "the number of agents that the planner above granted," if bounds.is_count_granted else "limits.maxAgents of"
        )
        given = f" ({money.given_agents} of them given to subplanners)" if money.given_agents else ""
        if money.agents >= money.max_agents:
            return f"{limit} {money.max_agents} is reached{given}"
        return f"{limit} {money.max_agents} has no room for the next subplanner and its share{given}"
    assert money.budget is not None
    whose = "budget that the planner above granted," if bounds.is_budget_granted else "budget of"
    taken = f"{dollars(money.spent)} spent, {dollars(money.reserved)} set aside for agents whose cost is not known"
    row = _first_in_line(state)
    what = "another agent" if row is None or not row.is_called else f"the message to {row.name}"
    return f"the {whose} {dollars(money.budget)} has no room for {what} ({taken})"


def what_to_raise(state: State, bound: Bound) -> str:
    """What a planner does."""
    bounds, row = bounds_of(state), _first_in_line(state)
    if bounds.is_count_granted if bound == Bound.AGENTS else bounds.is_budget_granted:
        return "Only the planner above can grant more: hand off what is done, and say what is missing."
    assert row is not None
    needs = _needs_of_message(state, row) if row.is_called else _needs_of_launch(state, row)
    if bound == Bound.AGENTS:
        least = state.accounts.agents_taken + needs.agents
        return f"To go on, set limits.maxAgents in plan.json to {least} or more; it is read at once."
    needed = _committed(state) + needs.cents
    return f"To go on, set limits.budgetCents in plan.json to {-(-needed // units(1))} or more; it is read at once."


def _first_in_line(state: State) -> TaskRow | None:
    """Who would start next: messages to tasks that are over come before launches."""
    queue = state.ready if state.called is None else state.called
    return None if queue is None else state.rows[queue.item]


def _charge(state: State, row: TaskRow, *, attempt: int, agent_id: AgentId) -> Charge:
    return Charge(attempt, agent_id, row.type, reserve_cents(state, row.type))


def _moved(charges: tuple[Charge, ...], attempt: int, *, by: float) -> tuple[Charge, ...]:
    """The charges, what this attempt sets aside for follow-up runs changed by so many cents."""
    return tuple(
        replace(charge, follow_ups=max(0.0, round(charge.follow_ups + by, 3))) if charge.attempt == attempt else charge
        for charge in charges
    )


def _going_on(state: State) -> str:
    agents = "1 agent goes on" if state.running == 1 else f"{state.running} agents go on"
    return f"nothing new starts, {agents}"


def _share(row: TaskRow, attempt: int) -> Share | None:
    return next((share for share in row.shares if share.attempt == attempt), None)


def _limit(state: State, bound: Bound) -> float | None:
    bounds = bounds_of(state)
    return bounds.max_agents if bound == Bound.AGENTS else bounds.budget_cents


def _needs_of_launch(state: State, row: TaskRow) -> _Needs:
    share = share_of(state, row) or Grant()
    cents_needed = units(reserve_cents(state, row.type)) + units(share.cents or 0.0)
    return _Needs(1 + (share.agents or 0), cents_needed)


def _needs_of_message(state: State, row: TaskRow) -> _Needs:
    """A planner that goes on may take all of its grant: what had come back of it is needed again."""
    share, reserve = _share(row, row.attempts), units(reserve_cents(state, row.type))
    if share is None:
        return _Needs(0, reserve)
    whole = replace(share, used=None)
    agents = whole.given_agents - share.given_agents - share.used_agents
    back = units(whole.given_cents) - units(share.given_cents) - units(share.used_cents)
    return _Needs(max(0, agents), reserve + max(0, back))


def _bound(state: State, needs: _Needs) -> Bound | None:
    bounds = bounds_of(state)
    if (
        bounds.max_agents is not None
        and needs.agents
        and state.accounts.agents_taken + needs.agents > bounds.max_agents
    ):
        return Bound.AGENTS
    if bounds.budget_cents is None:
        return None
    return Bound.BUDGET if _committed(state) + needs.cents > units(bounds.budget_cents) else None


def _committed(state: State) -> int:
    return _spent(state) + state.accounts.reserved + state.accounts.given


def _spent(state: State) -> int:
    """What was told; the rows alone know it where a state was put together by hand."""
    return max(units(state.workspace.spent), state.accounts.settled) + state.accounts.used
