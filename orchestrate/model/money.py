"""What a workspace has spent and set aside, and amounts of money in words."""

from collections.abc import Iterable
from dataclasses import dataclass

from orchestrate.model.rows import TaskRow


@dataclass(frozen=True, slots=True)
class Money:
    """How a workspace stands, in cents."""

    #: What the service has told.
    spent: float = 0.0
    #: What is set aside for agents whose cost is not known.
    reserved: float = 0.0
    agents: int = 0
    budget: float | None = None
    max_agents: int | None = None
    #: Of the agents: given to subplanners, which may still launch them.
    given_agents: int = 0

    def __str__(self) -> str:
        """``$4.12 of $20.00``, ``$4.12``; empty where nothing was spent and nothing is bounded."""
        if self.budget is not None:
            return f"{dollars(self.spent)} of {dollars(self.budget)}"
        return dollars(self.spent) if self.spent else ""

    def document(self) -> dict[str, object]:
        """The same for programs; bounds that the plan does not have are left out."""
        bounds = {"budgetCents": self.budget, "maxAgents": self.max_agents}
        known = {name: value for name, value in bounds.items() if value is not None}
        if self.given_agents:
            known["givenAgents"] = self.given_agents
        return {"spentCents": self.spent, "reservedCents": self.reserved, "agents": self.agents, **known}


#: Nothing was spent, and nothing is bounded.
NO_MONEY = Money()


def money_in(
    rows: Iterable[TaskRow], *, spent: float, budget: float | None = None, max_agents: int | None = None
) -> Money:
    """How a workspace with these rows stands."""
    rows = tuple(rows)
    charges = [charge for row in rows for charge in row.charges]
    shares = [share for row in rows for share in row.shares_out]
    reserved = sum(charge.set_aside for charge in charges)
    told = sum(charge.cents for charge in charges if charge.cents is not None)
    given, used = sum(share.given_cents for share in shares), sum(share.used_cents for share in shares)
    given_agents = sum(share.given_agents for share in shares)
    agents = len(charges) + given_agents + sum(share.used_agents for share in shares)
    spent, reserved = round(max(spent, told) + used, 3), round(reserved + given, 3)
    return Money(spent, reserved, agents, budget, max_agents, given_agents)


def dollars(cents: float) -> str:
    """``$4.12``."""
    return f"${cents / 100:,.2f}"
