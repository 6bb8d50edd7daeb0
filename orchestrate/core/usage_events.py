"""Events of what agents cost."""

from dataclasses import dataclass

from orchestrate.core.events import Event
from orchestrate.model.names import RunId, TaskName


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageAnswered(Event):
    """What the service tells of an attempt's cost; ``cents`` is None while it does not know, or gave no answer.

    It covers the agent's runs up to ``run_id``.
    """

    task: TaskName
    attempt: int
    run_id: RunId | None = None
    cents: float | None = None
    tokens: int | None = None
