"""Dialogues with the machine: told an event, it asks these effects and leaves these rows.

The invariants are checked after every event. ``asks`` compares effects without their ``cause``; ``leaves`` compares
the named facts of one row.
"""

from dataclasses import replace

from orchestrate.core import invariants
from orchestrate.core.changes import AttentionRaised, Change, Decision
from orchestrate.core.effects import Effect, LaunchAgent
from orchestrate.core.events import Event
from orchestrate.core.machine import step
from orchestrate.core.state import State
from orchestrate.model.names import TaskName
from orchestrate.model.rows import TaskRow
from tests.support.builders import moment


class Playbook:
    """One dialogue; ``state`` and ``decision`` are those after the last event."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.decision = Decision()
        self._told = 0

    def tell(self, event: Event) -> "Playbook":
        """The machine hears of this event; an event without a moment happens a second after the one before."""
        self._told += 1
        stamped = replace(event, at=event.at or moment(self._told), id=event.id or f"e{self._told}")
        before = self.state
        self.state, self.decision = step(before, stamped)
        invariants.check(self.state)
        invariants.check_starts(before, self.state)
        assert all(effect.cause == stamped.id for effect in self.decision.effects)
        return self

    def asks(self, *effects: Effect) -> "Playbook":
        """Just these orders came, in this order."""
        assert [replace(effect, cause="") for effect in self.decision.effects] == list(effects)
        return self

    def launches(self, *tasks: str) -> "Playbook":
        """Just these tasks were launched, in this order."""
        assert [effect.row.name for effect in self.decision.effects if isinstance(effect, LaunchAgent)] == list(tasks)
        return self

    def changes_nothing(self) -> "Playbook":
        """The event was taken in and meant nothing."""
        assert self.decision == Decision()
        return self

    def leaves(self, task: str = "a", **facts: object) -> "Playbook":
        """The task's row has these values."""
        row = self.row(task)
        assert {name: getattr(row, name) for name in facts} == facts
        return self

    def row(self, task: str = "a") -> TaskRow:
        """The task's row as it is now."""
        return self.state.rows[TaskName(task)]

    def attention(self) -> list[str]:
        """What an operator was told after the last event."""
        return [item.message for item in self.decision.changes if isinstance(item, AttentionRaised)]

    def effects(self, kind: type[Effect]) -> list[Effect]:
        """The orders of this kind after the last event."""
        return [effect for effect in self.decision.effects if isinstance(effect, kind)]

    def changed(self) -> tuple[Change, ...]:
        """All that changed with the last event."""
        return self.decision.changes
