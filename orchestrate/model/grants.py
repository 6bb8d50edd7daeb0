"""Grants: what a planner may take for agents of its own, and what it was given by the planner above it.

A grant travels in the metadata of the planner's agent, as JSON under one key, and its engine reads it there. A bound
that is None binds nobody.
"""

import json
from dataclasses import dataclass
from math import inf

from orchestrate.model.dumping import dump
from orchestrate.model.names import AgentId


@dataclass(frozen=True, slots=True)
class Grant:
    """What a planner may take below itself."""

    #: Agents in all, those of its own planners included.
    agents: int | None = None
    cents: float | None = None
    #: Levels of agents that may stand below it.
    levels: int | None = None
    #: Cents that its launches set aside where its plan does not say.
    reserve: float | None = None

    @property
    def is_free(self) -> bool:
        """True where nothing is bounded."""
        return self.agents is None and self.cents is None and self.levels is None


@dataclass(frozen=True, slots=True)
class Used:
    """What is certain of what a planner took below itself, once nobody there works any more."""

    agents: int
    #: None while a cost of them is not known.
    cents: float | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """What one attempt of a subplanner was given, taken off what is left here; what it did not use comes back."""

    attempt: int
    agent_id: AgentId
    grant: Grant
    #: None while it may be using it: then all of it counts as used.
    used: Used | None = None

    @property
    def given_agents(self) -> int:
        """Agents that it may still be launching: they count as launched."""
        return self.grant.agents or 0 if self.used is None else 0

    @property
    def used_agents(self) -> int:
        """Agents that it launched, once that is certain."""
        return 0 if self.used is None else self.used.agents

    @property
    def given_cents(self) -> float:
        """Cents that it may still be spending: they count as set aside."""
        return self.grant.cents or 0.0 if self.used is None or self.used.cents is None else 0.0

    @property
    def used_cents(self) -> float:
        """Cents that its agents cost, once that is certain."""
        return 0.0 if self.used is None else self.used.cents or 0.0

    @property
    def is_open(self) -> bool:
        """True while something of it may come back."""
        if self.used is None:
            return self.grant.agents is not None or self.grant.cents is not None
        return self.used.cents is None and self.grant.cents is not None


@dataclass(frozen=True, slots=True)
class OwnGrant:
    """What this workspace's planner was given, and where its accounts stood then."""

    agent_id: AgentId
    grant: Grant
    #: Agents and cents that another planner had taken in this workspace before.
    agents_before: int = 0
    cents_before: float = 0.0

    @property
    def max_agents(self) -> int | None:
        """The most agents that the workspace may come to."""
        return None if self.grant.agents is None else self.agents_before + self.grant.agents

    @property
    def budget_cents(self) -> float | None:
        """The most cents that the workspace may come to."""
        return None if self.grant.cents is None else self.cents_before + self.grant.cents


def least(*bounds: float | None) -> float | None:
    """The bound that binds; None where none does."""
    return min((bound for bound in bounds if bound is not None), default=None)


def tag_of(grant: Grant) -> str:
    """The grant as the value of an agent's metadata."""
    return dump(grant_document(grant)).decode()


def read_tag(tag: str) -> Grant | None:
    """The grant in an agent's metadata; None for a value that is none, of which nothing may be guessed."""
    try:
        document = json.loads(tag)
    except ValueError:
        return None
    if not isinstance(document, dict):
        return None
    counts = [document.get(name) for name in ("agents", "levels")]
    amounts = [document.get(name) for name in ("cents", "reserveCents")]
    if not (all(map(_is_count, counts)) and all(map(_is_amount, amounts))):
        return None
    return Grant(agents=counts[0], levels=counts[1], cents=amounts[0], reserve=amounts[1])


def grant_document(grant: Grant) -> dict[str, object]:
    """The grant as a JSON object; what is not bounded is left out."""
    fields = {"agents": grant.agents, "cents": grant.cents, "levels": grant.levels, "reserveCents": grant.reserve}
    return {name: value for name, value in fields.items() if value is not None}


def _is_count(value: object) -> bool:
    return value is None or (type(value) is int and value >= 0)


def _is_amount(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and type(value) is not bool and 0 <= value < inf)
