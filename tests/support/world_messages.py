"""Messages to agents in the seeded world: people write and take back, runs are begun, and each message begins one at most.

All of it is drawn from a stream of its own: two in three seeds have no messages. Only workers and verifiers get some.
"""

from __future__ import annotations

from functools import partial
from random import Random
from typing import TYPE_CHECKING

from orchestrate.core.changes import RowChanged
from orchestrate.core.effects import LookUpRuns, SendFollowUp
from orchestrate.core.events import AccessLost, Event
from orchestrate.core.follow_up_events import (
    FollowUpDelayed,
    FollowUpOutcomeUnknown,
    FollowUpRefused,
    FollowUpSent,
    RunsSeen,
)
from orchestrate.core.turns import is_between_runs
from orchestrate.model.inbox_requests import DropRequest, SteerRequest
from orchestrate.model.names import RequestId, TaskName
from orchestrate.model.vocabulary import MessageDelay, TaskStatus, TaskType

if TYPE_CHECKING:
    from orchestrate.core.changes import Decision
    from orchestrate.core.state import State
    from orchestrate.model.messages import QueuedMessage
    from orchestrate.model.rows import TaskRow
    from tests.support.world import World
    from tests.support.world_engine import SimulatedEngine

_WITHIN = 1500.0
_MOST_MESSAGES = 6
_TIMEOUT = 30.0
#: Longest time that a message is on its way; a look at the runs takes longer where the message may have left.
_LONGEST_WAY = 8.0
_LOOK_UP_SECONDS = 10.0
_TAKEN = frozenset({TaskStatus.RUNNING, TaskStatus.HANDED_OFF, TaskStatus.ERROR})


class Messages:
    """The messages of one seed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.random = Random(f"messages {world.seed}")
        #: Each message and its task, in the order in which they were written.
        self.written: list[tuple[TaskName, RequestId]] = []
        #: Messages that the service has refused.
        self._wrong: dict[RequestId, bool] = {}
        #: When a task last went on with a message.
        self._turns: dict[TaskName, float] = {}
        self._asked = self._late = 0
        if self.random.random() < 2 / 3:
            return
        for _ in range(self.random.randint(1, _MOST_MESSAGES)):
            world.timeline.after(self.random.uniform(0, _WITHIN), self._write)
        self._late = self.random.choice([0, 0, 1])

    def asks_late(self) -> bool:
        """After an engine left, and nobody would start the next one: whether somebody has one more message."""
        if not self._late:
            return False
        self._late -= 1
        return self._write()

    def had_turn(self, task: TaskName, *, since: float) -> bool:
        """True for a task that went on with a message at that moment or later."""
        return self._turns.get(task, -1.0) >= since

    def decided(self, decision: Decision, *, before: State) -> None:
        """An engine decided this."""
        for row in (item.row for item in decision.changes if isinstance(item, RowChanged)):
            former = before.rows.get(row.name)
            if row.is_called or (is_between_runs(row) and (former is None or not is_between_runs(former))):
                self._turns[row.name] = self._world.timeline.now

    def look_up(self, effect: LookUpRuns, engine: SimulatedEngine) -> None:
        """List the agent's runs; where the message may have left, for as long as it could be on its way."""
        self._look(effect.row, engine, asked_for=0.0)

    def send(self, effect: SendFollowUp, engine: SimulatedEngine) -> None:
        """Send the message; what was sent arrives even when its sender has died meanwhile."""
        row, message = effect.row, effect.row.queue[0]
        self._world.rare_crash_point("before a message is sent", chance=0.5)
        if self._happens(self._world.luck.request_lost):
            self._unknown(row, message, engine, after=_TIMEOUT)
            return
        travel = self.random.choice([0.05, self.random.uniform(0.1, 2), self.random.uniform(1, _LONGEST_WAY)])
        self._world.timeline.after(travel, partial(self._arrived, row, message, engine))
        self._world.rare_crash_point("after a message is sent", chance=0.5)

    def _look(self, row: TaskRow, engine: SimulatedEngine, *, asked_for: float) -> None:
        message, now = row.queue[0], self._world.timeline.now
        assert row.agent_id is not None
        if self._world.service.is_locked(now):
            self._answer(engine, AccessLost(task=row.name, run_id=row.run_id, message="the key was refused."))
            return
        if self._happens(self._world.luck.unreachable):
            if message.sent_at is None:
                self._answer(engine, _delayed(row, message, MessageDelay.UNREACHABLE))
            else:
                self._unknown(row, message, engine, after=self.random.uniform(0.1, _TIMEOUT))
            return
        runs = self._world.service.agents[row.agent_id].runs_seen(now)
        found = next((run.run_id for run in runs if run.message == message.id and message.sent_at is not None), None)
        if found is None and message.sent_at is not None and asked_for < _LOOK_UP_SECONDS:
            engine.after(1.0, lambda: self._look(row, engine, asked_for=asked_for + 1.0))
            return
        newest = runs[-1].run_id
        seen = RunsSeen(task=row.name, message_id=message.id, step=message.step, newest=newest, found=found)
        self._answer(engine, seen)

    def _arrived(self, row: TaskRow, message: QueuedMessage, engine: SimulatedEngine) -> None:
        event = self._served(row, message)
        if self._happens(self._world.luck.answer_lost):
            self._unknown(row, message, engine, after=_TIMEOUT)
            if self._happens(self._world.luck.answer_late):
                self._answer(engine, event, after=_TIMEOUT + self.random.uniform(0, 40))
            return
        self._answer(engine, event)

    def _served(self, row: TaskRow, message: QueuedMessage) -> Event:
        service, now = self._world.service, self._world.timeline.now
        assert row.agent_id is not None
        agent = service.agents[row.agent_id]
        if service.is_locked(now):
            return AccessLost(task=row.name, run_id=row.run_id, message="the key was refused.")
        known = next((run for run in agent.runs if run.message == message.id), None)
        if known is None:
            if not agent.is_over(now):
                return _delayed(row, message, MessageDelay.BUSY)
            if self._happens(self._world.luck.delayed):
                return _delayed(row, message, self.random.choice([MessageDelay.RATE_LIMIT, MessageDelay.UNREACHABLE]))
            if self._wrong.setdefault(message.id, self._happens(self._world.luck.refused)):
                about = {"task": row.name, "message_id": message.id, "step": message.step}
                return FollowUpRefused(**about, code="validation_error", message="no.")
            known = service.go_on(agent, message.id, random=self.random, now=now)
            self._world.referee.went_on(known)
        return FollowUpSent(task=row.name, message_id=message.id, step=message.step, run_id=known.run_id)

    def _unknown(self, row: TaskRow, message: QueuedMessage, engine: SimulatedEngine, *, after: float) -> None:
        unknown = FollowUpOutcomeUnknown(task=row.name, message_id=message.id, step=message.step, message="no answer")
        self._answer(engine, unknown, after=after)

    def _answer(self, engine: SimulatedEngine, event: Event, *, after: float | None = None) -> None:
        after = self.random.uniform(0, 1) if after is None else after
        engine.after(after, lambda: engine.put(event))
        if self._happens(self._world.luck.doubled):
            engine.after(after + self.random.uniform(0, 60), lambda: engine.put(event))

    def _write(self) -> bool:
        """Somebody has a message, or takes the last one back."""
        state = self._world.engine.state
        tasks = [row.name for _, row in sorted(state.rows.items()) if _takes_messages(row)]
        if self.written and self.random.random() < 0.2:
            task, message = self.written[-1]
            self._world.inbox.ask(DropRequest(self._new_id(), "ana", task=task, message=message))
            return True
        if not tasks:
            return False
        task, request_id = self.random.choice(tasks), self._new_id()
        self.written.append((task, request_id))
        self._world.inbox.ask(SteerRequest(request_id, "ana", task=task, digest="0" * 64))
        return True

    def _new_id(self) -> RequestId:
        self._asked += 1
        return RequestId(f"55555555-0000-4000-8000-{self._asked:012d}")

    def _happens(self, chance: float) -> bool:
        return self.random.random() < chance


def _takes_messages(row: TaskRow) -> bool:
    return row.status in _TAKEN and row.run_id is not None and row.type != TaskType.SUBPLANNER


def _delayed(row: TaskRow, message: QueuedMessage, delay: MessageDelay) -> FollowUpDelayed:
    return FollowUpDelayed(task=row.name, message_id=message.id, step=message.step, delay=delay, message="later")
