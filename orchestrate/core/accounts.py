"""What is set aside, how many agents there are, and what a type has cost: counted from the rows' charges and shares.

Amounts are whole thousandths of a cent in here, so that what is added and taken away again leaves nothing behind.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from immutables import Map

from orchestrate.model.grants import Share
from orchestrate.model.rows import Charge, TaskRow
from orchestrate.model.vocabulary import TaskType

_IN_A_CENT = 1000


@dataclass(frozen=True, slots=True)
class Accounts:
    """Sums over all charges, and over all shares of subplanners."""

    #: Of attempts whose cost is not known.
    reserved: int = 0
    #: Of attempts whose cost is known.
    settled: int = 0
    #: Attempts that made an agent, or may have made one.
    agents: int = 0
    #: The most that an attempt of a type has cost.
    dearest: Map[TaskType, int] = field(default_factory=Map)
    #: Agents and cents that subplanners were given and may still take.
    given_agents: int = 0
    given: int = 0
    #: Agents and cents that they are known to have taken.
    used_agents: int = 0
    used: int = 0

    @property
    def agents_taken(self) -> int:
        """Agents that count as launched: those of this workspace, and those below it."""
        return self.agents + self.given_agents + self.used_agents


def units(cents: float) -> int:
    """Cents as they are counted here."""
    return round(cents * _IN_A_CENT)


def cents(amount: int) -> float:
    """What is counted here, in cents."""
    return amount / _IN_A_CENT


def accounts_of(rows: Iterable[TaskRow]) -> Accounts:
    """The accounts, counted anew."""
    accounts = Accounts()
    for row in rows:
        accounts = shared(moved(accounts, (), row.charges), (), row.shares_out)
    return accounts


def moved(accounts: Accounts, before: tuple[Charge, ...], after: tuple[Charge, ...]) -> Accounts:
    """The accounts after a row's charges became others."""
    if before == after:
        return accounts
    dearest = accounts.dearest
    for charge in after:
        if charge.cents is not None and units(charge.cents) > dearest.get(charge.type, -1):
            dearest = dearest.set(charge.type, units(charge.cents))
    return replace(
        accounts,
        reserved=accounts.reserved + _reserved(after) - _reserved(before),
        settled=accounts.settled + _settled(after) - _settled(before),
        agents=accounts.agents + len(after) - len(before),
        dearest=dearest,
    )


def shared(accounts: Accounts, before: tuple[Share, ...], after: tuple[Share, ...]) -> Accounts:
    """The accounts after a row's shares became others."""
    if before == after:
        return accounts
    former, now = _sums(before), _sums(after)
    return replace(
        accounts,
        given_agents=accounts.given_agents + now[0] - former[0],
        given=accounts.given + now[1] - former[1],
        used_agents=accounts.used_agents + now[2] - former[2],
        used=accounts.used + now[3] - former[3],
    )


def _sums(shares: tuple[Share, ...]) -> tuple[int, int, int, int]:
    return (
        sum(share.given_agents for share in shares),
        sum(units(share.given_cents) for share in shares),
        sum(share.used_agents for share in shares),
        sum(units(share.used_cents) for share in shares),
    )


def _reserved(charges: Iterable[Charge]) -> int:
    return sum(units(charge.set_aside) for charge in charges)


def _settled(charges: Iterable[Charge]) -> int:
    return sum(units(charge.cents) for charge in charges if charge.cents is not None)
