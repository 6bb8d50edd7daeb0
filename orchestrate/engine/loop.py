"""The loop: the one place where events become state.

It takes all waiting events, decides them in order, each on the state that the one before leaves, and appends their
records in one write. Performers get the effects together with an event that is set once the records are synced and the
state is published: until then they may prepare, and nothing else, so nothing is ever done that a crash could forget.
What arrives meanwhile waits for the next turn: a slow disk makes groups larger, never the engine wrong.

Effects are not journalled. A crash between the sync and an effect is the same as a crash before its answer: recovery
derives both from the rows. That is why a performer may fail in only one way that ends the run: its storage.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import count

import anyio
from anyio.abc import TaskGroup

from orchestrate.core.changes import AttentionRaised, Change, Phase, RowChanged, WorkspaceChanged
from orchestrate.core.effects import Effect, EndRun
from orchestrate.core.events import Event
from orchestrate.core.facts import facts_of
from orchestrate.core.machine import step
from orchestrate.core.state import State
from orchestrate.engine.inbox import Inbox
from orchestrate.engine.performers import Performers
from orchestrate.model.names import EngineId, TaskName
from orchestrate.model.records import Record
from orchestrate.model.rows import Attention, TaskRow, Workspace
from orchestrate.model.timestamps import to_timestamp
from orchestrate.ports import Clock, Ledger, Publication, Surface

#: How often it is asked whether a snapshot is due.
_SNAPSHOT_CHECK_SECONDS = 0.25


def _nothing() -> None:
    """Nobody has to know."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """What one group of events came to."""

    state: State
    records: list[Record]
    effects: list[Effect]


class Loop:
    """One engine's life in one workspace, from its first event to its exit code."""

    def __init__(
        self,
        state: State,
        *,
        engine: EngineId,
        seq: int,
        ledger: Ledger,
        clock: Clock,
        surface: Surface,
        inbox: Inbox,
        on_leaving: Callable[[], None] = _nothing,
    ) -> None:
        self._state = state
        self._engine = engine
        self._seqs = count(seq + 1)
        self._ids = count(1)
        self._ledger = ledger
        self._clock = clock
        self._surface = surface
        self._inbox = inbox
        self._on_leaving = on_leaving

    @property
    def state(self) -> State:
        """The last published state."""
        return self._state

    async def run(self, performers: Performers) -> int:
        """Live until the machine ends the run; answers the exit code. StorageFailed ends it too, agents go on."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._keep_snapshots)
            exit_code = await self._turn_until_end(performers, tasks)
            tasks.cancel_scope.cancel()
        await self._ledger.write_snapshot()
        return exit_code

    async def conclude(self, event: Event) -> None:
        """Write down what was learnt behind the end; nothing is started any more."""
        turn = self._decided([event])
        if turn.records:
            await self._ledger.append(turn.records)
            await self._ledger.write_snapshot()
        self._publish(turn)

    async def _turn_until_end(self, performers: Performers, tasks: TaskGroup) -> int:
        while True:
            turn, durable = self._decided(await self._inbox.take_all()), anyio.Event()
            for effect in turn.effects:
                if not isinstance(effect, EndRun):
                    tasks.start_soon(performers.perform, effect, durable)
            if turn.records:
                await self._ledger.append(turn.records)
            self._publish(turn)
            durable.set()
            if turn.state.session.phase != Phase.RUNNING:
                self._on_leaving()
            for effect in turn.effects:
                if isinstance(effect, EndRun):
                    return effect.exit_code

    def _decided(self, events: Iterable[Event]) -> _Turn:
        state, records, effects = self._state, list[Record](), list[Effect]()
        for event in events:
            stamped = replace(event, at=to_timestamp(self._clock.now()), id=f"e{next(self._ids)}")
            state, decision = step(state, stamped)
            effects.extend(decision.effects)
            record = self._record(stamped, decision.changes)
            if record is not None:
                records.append(record)
        return _Turn(state, records, effects)

    def _record(self, event: Event, changes: Iterable[Change]) -> Record | None:
        """The journal record of a decision; None when nothing that outlives this engine has changed."""
        rows: dict[TaskName, TaskRow] = {}
        attention: list[Attention] = []
        workspace: Workspace | None = None
        for change in changes:
            match change:
                case RowChanged(row):
                    rows[row.name] = row
                case AttentionRaised(message):
                    attention.append(Attention(event.at, message))
                case WorkspaceChanged(changed):
                    workspace = changed
                case _:
                    pass
        if not rows and not attention and workspace is None:
            return None
        return Record(
            seq=next(self._seqs),
            engine=self._engine,
            at=event.at,
            event=facts_of(event),
            rows=tuple(rows.values()),
            workspace=workspace,
            attention=tuple(attention),
        )

    def _publish(self, turn: _Turn) -> None:
        self._state = turn.state
        rows = tuple(row for record in turn.records for row in record.rows)
        attention = tuple(line for record in turn.records for line in record.attention)
        self._surface.publish(Publication(turn.state, rows, attention))

    async def _keep_snapshots(self) -> None:
        while True:
            await self._clock.sleep(_SNAPSHOT_CHECK_SECONDS)
            await self._ledger.write_snapshot_if_due(self._clock.now())
