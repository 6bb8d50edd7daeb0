"""One engine of the seeded world: the loop as the real one does it, with a possible death between any two steps.

The real loop has requests written while the records are on their way; here some are ready before the sync, and the
others are written after it: a death in between leaves each of the two without the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from orchestrate.core import invariants
from orchestrate.core.changes import AttentionRaised, Change, RowChanged, Session, WorkspaceChanged
from orchestrate.core.effects import Effect, EndRun, LaunchAgent
from orchestrate.core.events import EngineStarted, Event, PlanRead
from orchestrate.core.facts import facts_of
from orchestrate.core.machine import step
from orchestrate.core.state import State, apply
from orchestrate.model.names import EngineId
from orchestrate.model.records import Record
from orchestrate.model.rows import Attention, Workspace
from tests.support.builders import SLUG, WORKSPACE
from tests.support.world_branches import Branches
from tests.support.world_performers import Performers
from tests.support.world_time import Action, Life

if TYPE_CHECKING:
    from tests.support.world import World


class SimulatedEngine:
    """The loop around the machine, without tasks and without waiting."""

    def __init__(self, world: World, *, number: int) -> None:
        self._world = world
        self.life = Life(number)
        self._settings = world.inbox.settings_now(world.settings)
        self.state, self._seq, has_records = self._loaded()
        self.exit_code: int | None = None
        self._ids = count(1)
        self._inbox: list[Event] = []
        self._is_turn_due = False
        self._performers = Performers(world, self)
        self._branches = Branches(self.state)
        self._begin(is_first=not has_records)

    def _begin(self, *, is_first: bool) -> None:
        inbox = self._world.inbox
        self.put(
            EngineStarted(
                engine=f"engine-{self.life.number}",
                is_first=is_first,
                requests=inbox.requests_found(),
                is_stopped=inbox.stop is not None,
            )
        )
        self.put(PlanRead(plan=self._world.plan))
        for event in inbox.found():
            self.put(event)

    def put(self, event: Event) -> None:
        """Let the engine hear of this in its next turn."""
        self._inbox.append(event)
        if not self._is_turn_due:
            self._is_turn_due = True
            self.after(self._world.random.choice([0.0, 0.001, 0.05]), self._turn)

    def after(self, seconds: float, action: Action) -> None:
        """Let this happen later, if the engine still lives then."""
        self._world.timeline.after(seconds, action, life=self.life)

    def _loaded(self) -> tuple[State, int, bool]:
        """The state as the synced records leave it; nothing is decided again."""
        workspace = Workspace(WORKSPACE, SLUG)
        state = State(workspace=workspace, session=Session(self._settings))
        records = self._world.disk.records()
        for place, record in enumerate(records, 1):
            assert record.seq == place, f"record {place} has seq {record.seq}"
            state = apply(state, [RowChanged(row) for row in record.rows])
            if record.workspace is not None:
                state = apply(state, [WorkspaceChanged(record.workspace)])
        self._world.disk.sweep_requests({name: row.attempts for name, row in state.rows.items()})
        return state, len(records), bool(records)

    def _turn(self) -> None:
        """Take all that waits, decide it, write it down, make it safe; only then act."""
        self._is_turn_due = False
        events, self._inbox = self._inbox, []
        effects: list[Effect] = []
        for event in events:
            effects += self._decided(event)
        for effect in effects:
            self._performers.prepare(effect)
        self._world.crash_point("before the sync")
        self._world.disk.sync()
        self._world.orders.synced()
        self._world.crash_point("after the sync, before the effects")
        self._world.published = self.state.rows
        for effect in effects:
            if isinstance(effect, EndRun):
                self.exit_code, self.life.is_over = effect.exit_code, True
                return
            self._performers.perform(effect)
            self._world.crash_point("between two effects")

    def _decided(self, event: Event) -> Sequence[Effect]:
        stamped = replace(event, at=self._world.timeline.at, id=f"e{next(self._ids)}")
        self._world.trace("told", stamped)
        before = self.state
        self.state, decision = step(before, stamped)
        invariants.check(self.state)
        invariants.check_starts(before, self.state)
        self._branches.heard(stamped, before=before, now=self._world.timeline.now)
        self._world.orders.decided(stamped, decision, before=before, after=self.state, now=self._world.timeline.now)
        self._world.messages.decided(decision, before=before)
        self._world.cord.check(decision, before=before, after=self.state)
        self._check_orders(decision.effects)
        self._write(stamped, decision.changes)
        for effect in decision.effects:
            self._world.trace("asks", effect)
        return decision.effects

    def _check_orders(self, effects: Sequence[Effect]) -> None:
        launched = [effect.row.name for effect in effects if isinstance(effect, LaunchAgent)]
        assert len(set(launched)) == len(launched), f"launched twice at once: {launched}"
        strangers = [name for name in launched if name not in self.state.plan.tasks_by_name]
        assert not strangers, f"launched, and not in the plan: {strangers}"
        for effect in effects:
            self._branches.ordered(effect, state=self.state, now=self._world.timeline.now)

    def _write(self, event: Event, changes: Sequence[Change]) -> None:
        rows = {item.row.name: item.row for item in changes if isinstance(item, RowChanged)}
        told = tuple(Attention(event.at, item.message) for item in changes if isinstance(item, AttentionRaised))
        workspaces = [item.workspace for item in changes if isinstance(item, WorkspaceChanged)]
        if not rows and not told and not workspaces:
            return
        self._seq += 1
        record = Record(
            seq=self._seq,
            engine=EngineId(f"engine-{self.life.number}"),
            at=event.at,
            event=facts_of(event),
            rows=tuple(rows.values()),
            workspace=workspaces[-1] if workspaces else None,
            attention=told,
        )
        for row in rows.values():
            self._world.trace("row", row)
        self._world.disk.append(record)
