"""One record of the journal as one task sees it: what a sentence of its story is made of."""

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrate.model.names import Timestamp
from orchestrate.model.rows import TaskRow


@dataclass(frozen=True, slots=True)
class Scene:
    """One record as one task sees it."""

    at: Timestamp
    event: Mapping[str, object]
    before: TaskRow | None
    row: TaskRow

    def said(self, key: str) -> str:
        """What the event says under this name; empty when it says nothing."""
        value = self.event.get(key)
        return value if isinstance(value, str) else ""
