"""Short words for a seed's story: what a record says beyond its defaults."""

from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum

from orchestrate.core.events import PlanRead

_TEDIOUS = frozenset({"at", "last_update", "idempotency_key", "digest", "upstream", "type", "parent_agent_id", "plan"})
_SHOWN_OF_ID = 11


def brief(value: object) -> str:
    """The record in one line."""
    if isinstance(value, PlanRead):
        return f"PlanRead({len(value.plan.tasks)} tasks)"
    if is_dataclass(value):
        told = [
            f"{item.name}={brief(getattr(value, item.name))}"
            for item in fields(value)
            if item.name not in _TEDIOUS and getattr(value, item.name) != _default(item)
        ]
        return f"{type(value).__name__}({', '.join(told)})"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, str) and value.startswith(("bc-", "run-")):
        return value[:_SHOWN_OF_ID]
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(brief, value))}]"
    return str(value)


def _default(item: Field[object]) -> object:
    return item.default_factory() if item.default_factory is not MISSING else item.default
