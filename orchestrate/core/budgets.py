"""``limits.budgetCents`` and ``limits.maxAgents``: what a launch sets aside, and when it has to wait.

A launch sets aside the dearest known cost of its type in this workspace, else ``limits.reserveCents``. That stands in
the row's charge, written with the intent, until the service tells the cost; no restart and no further attempt takes it
back. A launch that would bring what is spent and set aside over the budget waits, and all behind it wait with it. A message
that begins another run of an agent sets aside and waits alike; it makes no agent.
"""

from dataclasses import replace
from enum import StrEnum

from orchestrate.core.accounts import cents, units
from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, SessionChanged, change
from orchestrate.core.state import State
from orchestrate.model.money import Money, dollars
from orchestrate.model.names import AgentId
from orchestrate.model.plan import Plan
from orchestrate.model.rows import Charge, TaskRow
from orchestrate.model.vocabulary import TaskType

#: Cents that a launch sets aside where neither the plan nor the workspace's past says more.
RESERVE_CENTS = 500.0


class Bound(StrEnum):
    """A limit of the plan that holds launches."""

    BUDGET = "budget"
    AGENTS = "agents"


def money_of(state: State) -> Money:
    """How the workspace stands under the plan in force."""
    limits = state.plan.limits
    spent, reserved = cents(_spent(state)), cents(state.accounts.reserved)
    return Money(spent, reserved, state.accounts.agents, limits.budget_cents, limits.max_agents)


def has_bounds(plan: Plan) -> bool:
    """True for a plan that bounds what may be spent or launched in all."""
    return plan.limits.budget_cents is not None or plan.limits.max_agents is not None


def reserve_cents(state: State, task_type: TaskType) -> float:
    """What a launch of this type sets aside."""
    dearest = state.accounts.dearest.get(task_type)
    if dearest is not None:
        return cents(dearest)
    own = state.plan.limits.reserve_cents
    return RESERVE_CENTS if own is None else float(own)


def bound_for(state: State, row: TaskRow) -> Bound | None:
    """The limit that keeps this task from being launched now; None where it may be."""
    limits = state.plan.limits
    if limits.max_agents is not None and state.accounts.agents >= limits.max_agents:
        return Bound.AGENTS
    return bound_for_message(state, row)


def bound_for_message(state: State, row: TaskRow) -> Bound | None:
    """The limit that keeps a message to this task's agent from being sent now; None where it may be."""
    if state.plan.limits.budget_cents is None:
        return None
    needed = _committed(state) + units(reserve_cents(state, row.type))
    return Bound.BUDGET if needed > units(state.plan.limits.budget_cents) else None


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
    return replace(row, queue=(first, *others), charges=_moved(charges, row.attempts, by=first.reserved))


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


def told_once(state: State, bound: Bound) -> Decision:
    """The line for an operator when a limit first keeps a task waiting; told again under another limit."""
    limit = f"{bound}: {_limit(state.plan, bound)}"
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
    if bound == Bound.AGENTS:
        return f"limits.maxAgents of {money.max_agents} is reached"
    assert money.budget is not None
    taken = f"{dollars(money.spent)} spent, {dollars(money.reserved)} set aside for agents whose cost is not known"
    row = _first_in_line(state)
    what = "another agent" if row is None or not row.is_called else f"the message to {row.name}"
    return f"the budget of {dollars(money.budget)} has no room for {what} ({taken})"


def what_to_raise(state: State, bound: Bound) -> str:
    """What a planner does."""
    if bound == Bound.AGENTS:
        least = state.accounts.agents + 1
        return f"To go on, set limits.maxAgents in plan.json to {least} or more; it is read at once."
    row = _first_in_line(state)
    assert row is not None
    needed = _committed(state) + units(reserve_cents(state, row.type))
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


def _limit(plan: Plan, bound: Bound) -> int | None:
    return plan.limits.max_agents if bound == Bound.AGENTS else plan.limits.budget_cents


def _committed(state: State) -> int:
    return _spent(state) + state.accounts.reserved


def _spent(state: State) -> int:
    """What was told; the rows alone know it where a state was put together by hand."""
    return max(units(state.workspace.spent), state.accounts.settled)
