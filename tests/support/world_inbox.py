"""What other processes ask in the seeded world: cancels, new tries, added tasks and a kill, in files that outlive engines.

All of it is drawn from a stream of its own: a seed in which nobody asks for anything is the story that it was before.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from orchestrate.core.events import Event
from orchestrate.core.request_events import RequestAnswered, StopFound
from orchestrate.engine.listening import event_of, requests_of
from orchestrate.model.ad_hoc import task_of
from orchestrate.model.inbox_requests import CancelRequest, InboxAnswer, InboxRequest, RespawnRequest, SpawnRequest
from orchestrate.model.names import RequestId, TaskName
from orchestrate.model.plan import Task
from orchestrate.model.stops import StopScope
from tests.support.world_plans import random_task

if TYPE_CHECKING:
    from orchestrate.core.changes import Settings
    from orchestrate.core.state import State
    from tests.support.world import World

_MOST_REQUESTS = 4
#: Seconds within which somebody asks, counted from the start of the world.
_WITHIN = 1500.0
#: How soon an engine sees a file.
_LOOK_SECONDS = 0.2


class Inbox:
    """The files of one seed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.random = Random(f"asks {world.seed}")
        self.waiting: dict[RequestId, InboxRequest] = {}
        #: Tasks that somebody wanted added, whether that was done or not.
        self.wanted: dict[TaskName, Task] = {}
        self.stop: StopFound | None = None
        self._asked = 0
        self._late = 0
        self._plan_requests()

    @property
    def is_open(self) -> bool:
        """True while somebody waits for an answer, or a killed workspace has not been revived."""
        return bool(self.waiting) or self.stop is not None

    def found(self) -> list[Event]:
        """What an engine that begins finds there, the tombstone first."""
        return [*([] if self.stop is None else [self.stop]), *map(event_of, self.waiting.values())]

    def requests_found(self) -> tuple[RequestId, ...]:
        """The ids of the requests among it."""
        return requests_of(map(event_of, self.waiting.values()))

    def settings_now(self, settings: Settings) -> Settings:
        """How the next engine is called: while a tombstone stands ``run`` refuses, and only the killer's own loop runs."""
        if self.stop is not None and self.random.random() < 0.5:
            self._world.trace("revive", self.stop.stop)
            self.stop = None
        answers_only = self.stop is not None or (bool(self.waiting) and self.random.random() < 0.3)
        return replace(settings, answers_only=True) if answers_only else settings

    def answered(self, answer: InboxAnswer) -> RequestAnswered:
        """The answer is on disk, and the request is gone."""
        self.waiting.pop(answer.id, None)
        return RequestAnswered(request=answer.id)

    def asks_late(self, state: State) -> bool:
        """After an engine left, and nobody would start the next one: whether somebody asks for more."""
        if not self._late:
            return False
        self._late -= 1
        return self._ask(state)

    def _plan_requests(self) -> None:
        if self.random.random() < 0.4:
            return
        for _ in range(self.random.randint(0, _MOST_REQUESTS)):
            self._world.timeline.after(self.random.uniform(0, _WITHIN), self._ask_now)
        self._late = self.random.choice([0, 0, 1, 2])
        if self.random.random() < 0.25:
            self._world.timeline.after(self.random.uniform(0, _WITHIN), self._kill)

    def _ask_now(self) -> None:
        self._ask(self._world.engine.state)

    def _ask(self, state: State) -> bool:
        """Put a request into the inbox; the engine that lives sees it, or the next one does."""
        request = self._drawn(state)
        if request is None:
            return False
        self.ask(request)
        if self.random.random() < 0.2:
            self._seen(event_of(request), after=self.random.uniform(0, 30))
        return True

    def ask(self, request: InboxRequest) -> None:
        """Put this request there."""
        self.waiting[request.id] = request
        self._world.trace("ask", request)
        self._seen(event_of(request))

    def _seen(self, event: Event, *, after: float = 0.0) -> None:
        engine = self._world.engine
        if not engine.life.is_over:
            engine.after(after + self.random.uniform(0, _LOOK_SECONDS), lambda: engine.put(event))

    def _kill(self) -> None:
        self.stop = StopFound(stop=f"stop-{self._world.seed}", by="ana", scope=StopScope.TREE)
        self._world.trace("kill", self.stop)
        self._seen(self.stop)

    def _drawn(self, state: State) -> InboxRequest | None:
        if not state.rows:
            return None
        self._asked += 1
        request_id = RequestId(f"00000000-0000-4000-8000-{self._asked:012d}")
        names = sorted(state.rows)
        lot = self.random.random()
        if lot < 0.35:
            return CancelRequest(request_id, "ana", task=self.random.choice(names))
        if lot < 0.75:
            over = [name for name in names if state.rows[name].finished_at is not None] or names
            tasks = tuple(self.random.sample(over, min(len(over), self.random.choice([1, 1, 2]))))
            again, cascade = (self.random.random() < 0.6 for _ in range(2))
            return RespawnRequest(request_id, "ana", tasks=tasks, again=again, cascade=cascade)
        return self._spawn(request_id, state)

    def _spawn(self, request_id: RequestId, state: State) -> SpawnRequest:
        earlier = [task.name for task in state.plan.tasks if task.verifies is None] if state.blueprint else []
        definition = random_task(self.random, f"s{self._asked}", earlier=earlier)
        task = task_of(definition)
        assert task is not None, definition
        self.wanted[task.name] = task
        return SpawnRequest(request_id, "ana", definition=definition)
