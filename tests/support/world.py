"""The seeded world: the machine, a service, a disk and time, all under one seed.

One seed is one run from the first engine to the end of its plan. The service refuses, delays, answers late, twice or
never; engines are killed between any two steps, interrupted and started again; the planner edits the plan. Every event
is followed by the invariants, every agent is judged when it is made, and the end must come.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from immutables import Map

from orchestrate.core.events import PlanRead, ServiceUnreachable, StopReason, StopRequested
from orchestrate.core.plan_events import PlanNotTaken
from orchestrate.core.service_events import CallsSlowed
from orchestrate.model.ad_hoc import with_tasks
from orchestrate.model.names import TaskName
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus
from tests.support.world_andon import Cord
from tests.support.world_disk import Disk
from tests.support.world_engine import SimulatedEngine
from tests.support.world_grants import OWN_AGENT, Planners
from tests.support.world_inbox import Inbox
from tests.support.world_messages import Messages
from tests.support.world_money import Purse
from tests.support.world_orders import Orders
from tests.support.world_plans import bounded, edited, luck_of, raised, random_plan, random_settings
from tests.support.world_publishing import Publishing
from tests.support.world_referee import Referee
from tests.support.world_remote import SimulatedRemote
from tests.support.world_service import SimulatedService
from tests.support.world_time import Timeline
from tests.support.world_words import brief

#: Most deaths of a seed.
MOST_CRASHES = 2
_MOST_INTERRUPTS = 2
_MOST_EDITS = 2
#: Steps between which an engine may die before it is left alone.
_CRASH_WITHIN = 120
#: How likely it is to die where seeds that were found before this place was known must not count their steps.
_RARELY = 0.05
#: Virtual seconds within which every seed must come to its end.
_LONGEST = 48 * 3600.0
_LONGEST_STORY = 20_000
_MOST_ENGINES = 200


class _Killed(Exception):
    """The engine's process died at this place."""


class WorldBroken(AssertionError):
    """A rule was broken; the message is the seed's whole story."""

    def __init__(self, seed: int, reason: str, story: str) -> None:
        super().__init__(f"seed {seed}: {reason}\n{story}")
        self.seed = seed
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a seed ended."""

    exit_code: int
    engines: int
    crashes: int
    agents: int
    events: int
    hours: float


class World:
    """One seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = Random(seed)
        self.luck = luck_of(self.random)
        self.purse = Purse(seed)
        self.planners = Planners(seed)
        self.plan = self.planners.planted(bounded(self.purse.random, random_plan(self.random)))
        own_agent = None if self.planners.granted is None else OWN_AGENT
        self.settings = replace(random_settings(self.random), own_agent_id=own_agent)
        self.timeline = Timeline()
        self.disk = Disk()
        self.service = SimulatedService(self.random, self.luck, self.plan.on_unstructured)
        self.remote = SimulatedRemote(seed, self.service)
        self.orders = Orders()
        self.referee = Referee(self)
        #: Rows that were shown to the outside; a crash may never take them back.
        self.published: Map[TaskName, TaskRow] = Map()
        self._rare = Random(f"rare {seed}")
        self._story: list[tuple[float, str, object]] = []
        self._crashes_left = self.random.choice([0, 1, 1, MOST_CRASHES])
        self._crashes = self._engines = 0
        self._steps_to_crash = self.random.randint(1, _CRASH_WITHIN)
        self._was_stopped = False
        self._is_wrong: dict[TaskName, bool] = {}
        self._rows_at_start: Map[TaskName, TaskRow] = Map()
        self._plan_misfortunes()
        self.inbox = Inbox(self)
        self._publishing = Publishing(self)
        self.cord = Cord(self)
        self.messages = Messages(self)
        self.engine = self._started()

    @property
    def whole_plan(self) -> Plan:
        """The plan with the tasks that somebody wanted added beside it."""
        return with_tasks(self.plan, [task for name, task in self.inbox.wanted.items() if not self._has(name)])

    def run(self) -> Outcome:
        """Let the seed come to its end; WorldBroken with its story if a rule is broken on the way."""
        try:
            exit_code = self._run()
        except Exception as error:
            raise WorldBroken(self.seed, f"{type(error).__name__}: {error}", self.story()) from error
        events = sum(word == "told" for _, word, _ in self._story)
        hours = self.timeline.elapsed / 3600
        return Outcome(exit_code, self._engines, self._crashes, len(self.service.agents), events, hours)

    def story(self) -> str:
        """All that happened, a line each."""
        plan = self.plan.model_dump_json(by_alias=True, exclude_defaults=True)
        lines = [f"{at:12.3f} {word:<6} {brief(what)}" for at, word, what in self._story]
        return "\n".join([f"{self.settings} {self.luck}", plan, *lines])

    def moments(self) -> list[tuple[str, object]]:
        """What happened, in order: a word and what it is about."""
        return [(word, what) for _, word, what in self._story]

    def trace(self, word: str, what: object) -> None:
        """Remember what happened, for the story."""
        self._story.append((self.timeline.elapsed, word, what))

    def _has(self, name: TaskName) -> bool:
        return name in self.plan.tasks_by_name

    def crash_point(self, place: str) -> None:
        """The engine may die here."""
        if not self._crashes_left:
            return
        self._steps_to_crash -= 1
        if self._steps_to_crash > 0:
            return
        self._crashes_left -= 1
        self._steps_to_crash = self.random.randint(1, _CRASH_WITHIN)
        raise _Killed(place)

    def rare_crash_point(self, place: str, *, chance: float = _RARELY) -> None:
        """The engine may die here as well; it draws from a stream of its own and leaves the others' steps uncounted."""
        if self._crashes_left and self._rare.random() < chance:
            self._crashes_left -= 1
            raise _Killed(place)

    def is_prepared_early(self) -> bool:
        """Whether a request is ready before the record of its launch is safe."""
        return self._rare.random() < 0.5

    def cannot_render(self, task: TaskName) -> bool:
        """True for a task whose prompt is wrong; it is as wrong the next time."""
        if task not in self._is_wrong:
            self._is_wrong[task] = self.random.random() < self.luck.refused / 2
        return self._is_wrong[task]

    def fails_when_cancelled(self, task: TaskName) -> bool:
        """Whether a run that somebody wants to end fails in that very moment; never in seeds where nobody asks."""
        return self.orders.has_cancelled(task) and self.inbox.random.random() < 0.3

    def _plan_misfortunes(self) -> None:
        """What comes from outside, whatever the engine does."""
        for _ in range(self.random.choice([0, 0, 1, _MOST_INTERRUPTS])):
            self.timeline.after(self.random.uniform(0, 900), self._interrupt)
        for _ in range(self.random.choice([0, 0, 1, _MOST_EDITS])):
            self.timeline.after(self.random.uniform(0, 900), self._edit)
        for _ in range(self.purse.random.choice([0, 0, 1, _MOST_EDITS])):
            self.timeline.after(self.purse.random.uniform(0, 3000), self._raise)
        if self.random.random() < 0.1:
            start = self.timeline.now + self.random.uniform(0, 600)
            self.service.locked_from, self.service.locked_until = start, start + self.random.uniform(1, 1200)

    def _run(self) -> int:
        while True:
            assert self.timeline.elapsed < _LONGEST, "the end was not reached"
            assert len(self._story) < _LONGEST_STORY, "more and more happens, and the end is not reached"
            action = self.timeline.next_action()
            assert action is not None, "nothing will happen any more, and the engine waits"
            try:
                action()
            except _Killed as killed:
                self._crash(str(killed))
            if self.engine.exit_code is not None and not self._goes_on(self.engine.exit_code):
                self.referee.finished(self.engine.state)
                return self.engine.exit_code

    def _crash(self, place: str) -> None:
        self.trace("crash", place)
        self._crashes += 1
        self.engine.life.is_over = True
        self.disk.lose_power()
        self.orders.lost()
        self._restart()

    def _goes_on(self, exit_code: int) -> bool:
        """After an engine left: whether somebody starts the next one."""
        self.trace("exit", exit_code)
        state = self.engine.state
        was_superseded = self._publishing.superseded_life == self.engine.life.number
        if state.session.settings.answers_only or self.inbox.is_open or was_superseded:
            self.engine.exit_code = None
            self._restart()
            return True
        self.referee.ended(exit_code, state=state, was_stopped=self._was_stopped)
        self.engine.exit_code = None
        has_moved = state.rows != self._rows_at_start
        is_running = any(row.status == TaskStatus.RUNNING for row in state.rows.values())
        if exit_code == 1 and not has_moved and self.cord.is_let_go(state):
            self._restart()
            return True
        is_over = exit_code == 0 or (exit_code == 1 and not has_moved and not is_running)
        if is_over and not self.inbox.asks_late(state) and not self.messages.asks_late():
            self.engine.exit_code = exit_code
            return False
        self._restart()
        return True

    def _restart(self) -> None:
        assert self._engines < _MOST_ENGINES, "started again and again"
        self.timeline.after(self.random.choice([0.5, self.random.uniform(1, 400)]), self._start)

    def _start(self) -> None:
        self.engine = self._started()

    def _started(self) -> SimulatedEngine:
        self._engines += 1
        self._was_stopped = self.settings.max_runtime_seconds is not None
        engine = SimulatedEngine(self, number=self._engines)
        for name, row in self.published.items():
            assert name in engine.state.rows, f"{name} was forgotten: {row}"
        self._rows_at_start = engine.state.rows
        self.trace("start", engine.life.number)
        return engine

    def _interrupt(self) -> None:
        if not self.engine.life.is_over:
            self._was_stopped = True
            self.engine.put(StopRequested(reason=StopReason.INTERRUPT))

    def _edit(self) -> None:
        """The planner changes the tasks."""
        plan = edited(self.random, self.plan)
        needed = {name for task in self.inbox.wanted.values() for name in (*task.depends_on, task.verifies)}
        if needed & (set(self.plan.tasks_by_name) - set(plan.tasks_by_name)):
            return  # whoever added a task stands on one that the planner would give up
        self._change(plan)

    def _raise(self) -> None:
        """The planner allows more agents and money."""
        self._change(raised(self.purse.random, self.plan))

    def _change(self, plan: Plan) -> None:
        """The plan is another one; the engine that lives reads it, or the next one does."""
        self.plan = plan
        self.trace("edit", [task.name for task in self.plan.tasks])
        if not self.engine.life.is_over:
            self.engine.put(ServiceUnreachable(message="no answer for a minute."))
            self.engine.put(CallsSlowed(message="slower."))
            if self.purse.random.random() < 0.3:
                self.engine.put(PlanNotTaken(message="plan.json has a fault."))
            self.engine.put(PlanRead(plan=self.plan))
