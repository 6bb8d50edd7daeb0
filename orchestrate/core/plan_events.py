"""Events of a plan that is changed while an engine runs it."""

from dataclasses import dataclass

from orchestrate.core.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanNotTaken(Event):
    """``plan.json`` was changed, and cannot be read or has faults; the plan in force stays."""

    message: str
