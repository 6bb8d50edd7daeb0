"""The performers of the seeded world: each keeps to the real protocol, and meets all its misfortunes.

A request is written before it is sent, and what was sent arrives even when its sender has died meanwhile. Only
answers die with the engine that waits for them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from orchestrate.core.effects import (
    AnswerRequest,
    ArchiveAgent,
    AskUsage,
    CancelRun,
    CountSubtree,
    Effect,
    LaunchAgent,
    LookUpAgent,
    LookUpRefs,
    LookUpRuns,
    ReadGrant,
    SendFollowUp,
    SetTimer,
    TakeMeasurements,
    WatchRun,
)
from orchestrate.core.events import (
    AccessLost,
    AgentLaunched,
    AgentNotFound,
    CancelAnswered,
    EffectFailed,
    Event,
    LaunchDelayed,
    LaunchOutcomeUnknown,
    LaunchRefused,
    Reply,
    RunEnded,
    RunMissing,
    RunStalled,
    RunStirred,
    TimerFired,
)
from orchestrate.core.service_events import ArchiveAnswered
from orchestrate.core.usage_events import UsageAnswered
from orchestrate.model.grants import Grant
from orchestrate.model.rows import Launch, TaskRow
from orchestrate.model.timestamps import seconds_between, to_timestamp
from orchestrate.model.vocabulary import LaunchDelay, TaskType
from tests.support.world_disk import Request
from tests.support.world_service import IdTaken, SimulatedAgent

if TYPE_CHECKING:
    from orchestrate.model.names import TaskName
    from tests.support.world import World
    from tests.support.world_engine import SimulatedEngine

#: Seconds after which no answer is taken for silence.
_TIMEOUT = 30.0
#: Seconds for which "not there" is asked again before it is believed.
_LOOK_UP_SECONDS = 10.0
_DELAYS = (LaunchDelay.CAPACITY, LaunchDelay.RATE_LIMIT, LaunchDelay.QUOTA, LaunchDelay.UNREACHABLE)
#: Seconds between two looks at a run whose stream is cut.
_POLL_SECONDS = 10.0


class Performers:
    """Carry out the effects of one engine."""

    def __init__(self, world: World, engine: SimulatedEngine) -> None:
        self._world = world
        self._engine = engine
        self._random = world.random
        self._luck = world.luck
        self._service = world.service
        #: Attempts whose request was there before their record was safe.
        self._early: set[tuple[TaskName, int]] = set()

    def perform(self, effect: Effect) -> None:  # noqa: C901, PLR0912  one arm an effect
        """Begin what the effect asks for; its answer comes later."""
        if not isinstance(effect, SetTimer | ReadGrant) and self._happens(self._luck.program_fault):
            task = _task_of(effect)
            request = effect.answer.id if isinstance(effect, AnswerRequest) else None
            failed = EffectFailed(effect=type(effect).__name__, message="a bug", task=task, request=request)
            self._answer(failed, after=0.01)
            return
        match effect:
            case LaunchAgent(row=row):
                self._launch(row)
            case LookUpAgent(row=row, code=code):
                self._look_up(row, code)
            case WatchRun(row=row):
                self._watch(row)
            case CancelRun():
                self._cancel(effect)
            case ArchiveAgent():
                self._archive(effect)
            case AskUsage():
                self._ask_usage(effect)
            case ReadGrant():
                self._ask_of_grants(self._world.planners.read)
            case CountSubtree():
                self._ask_of_grants(partial(self._world.planners.count, self._world, effect))
            case AnswerRequest():
                self._engine.after(self._random.uniform(0, 1), lambda: self._answer_request(effect))
            case TakeMeasurements(row=row, measurements=declared):
                event, seconds = self._world.remote.measure(row, declared, at=self._world.timeline.at)
                self._answer(event, after=seconds)
            case LookUpRefs(refs=refs):
                event, seconds = self._world.remote.answer(refs, now=self._world.timeline.now)
                self._answer(event, after=seconds)
            case LookUpRuns():
                self._world.messages.look_up(effect, self._engine)
            case SendFollowUp():
                self._world.messages.send(effect, self._engine)
            case SetTimer(timer=timer, delay_seconds=seconds):
                self._engine.after(seconds, lambda: self._engine.put(TimerFired(timer=timer)))

    def prepare(self, effect: Effect) -> None:
        """Write the request of a launch whose record is not safe yet; as often the sync is faster."""
        if isinstance(effect, LaunchAgent) and self._world.is_prepared_early():
            key = (effect.row.name, _intent(effect.row).attempt)
            if key not in self._world.disk.requests:
                self._early.add(key)
            self._written(effect.row)
            self._world.rare_crash_point("after the request is written, before its record is safe")

    def _launch(self, row: TaskRow) -> None:
        key = (row.name, _intent(row).attempt)
        if key not in self._world.disk.requests or key in self._early:
            self._early.discard(key)
            if self._world.cannot_render(row.name):
                self._world.disk.requests.pop(key, None)  # it is drawn only here, and was not to be written
                self._refuse(row, "the prompt could not be rendered.")
                return
            self._world.crash_point("before the request is written")
        request = self._written(row)
        self._world.crash_point("after the request is written, before it is sent")
        self._send(row, request)
        self._world.crash_point("after the request is sent")

    def _written(self, row: TaskRow) -> Request:
        """The request on the disk: what is there already is never replaced."""
        intent = _intent(row)
        request = Request(
            task=row.name,
            attempt=intent.attempt,
            agent_id=intent.agent_id,
            key=intent.idempotency_key,
            workspace_id=self._engine.state.workspace.workspace_id,
            starting_ref=row.starting_ref,
            grant=_grant_in(row),
            intended_at=seconds_between(to_timestamp(0.0), intent.at) or 0.0,
        )
        return self._world.disk.requests.setdefault((row.name, intent.attempt), request)

    def _send(self, row: TaskRow, request: Request) -> None:
        travel = self._random.choice([0.05, self._random.uniform(0.1, 2), self._random.uniform(1, 15)])
        if self._happens(self._luck.request_lost):
            self._unknown(row, after=_TIMEOUT)
            return
        self._world.timeline.after(travel, lambda: self._arrived(row, request))
        if self._happens(self._luck.doubled / 4):
            later = travel + self._random.uniform(0, 20)
            self._world.timeline.after(later, lambda: self._arrived(row, request, is_answered=False))

    def _arrived(self, row: TaskRow, request: Request, *, is_answered: bool = True) -> None:
        """The request is at the service; nobody may be left who waits for its answer."""
        if not is_answered and not self._service.has_served(request):
            return  # the service said "later" or "no" to this very request, and nothing was made of it
        event = self._served(row, request)
        if not is_answered:
            return
        if self._happens(self._luck.answer_lost):
            self._unknown(row, after=_TIMEOUT)
            if self._happens(self._luck.answer_late):
                self._answer(event, after=_TIMEOUT + self._random.uniform(0, 40))
            return
        self._answer(event, after=self._random.uniform(0, 1))

    def _served(self, row: TaskRow, request: Request) -> Event:
        now, task, agent_id, delays = self._world.timeline.now, row.name, request.agent_id, _intent(row).delays
        if self._service.is_locked(now):
            return AccessLost(task=task, agent_id=agent_id, message="the key was refused.")
        try:
            agent = self._service.known(request)
        except IdTaken:
            code = self._random.choice(["agent_id_conflict", "idempotency_conflict"])
            return LaunchOutcomeUnknown(task=task, agent_id=agent_id, delays=delays, message="conflict", code=code)
        if agent is None:
            if self._happens(self._luck.delayed):
                asked = self._random.choice([None, self._random.uniform(1, 90)])
                delay = self._random.choice(_DELAYS)
                return LaunchDelayed(
                    task=task,
                    agent_id=agent_id,
                    delays=delays,
                    delay=delay,
                    message="later",
                    retry_after_seconds=asked,
                )
            if self._service.refuses(request):
                self._world.referee.refused(request)
                return LaunchRefused(task=task, agent_id=agent_id, message="no such branch.", code="validation_error")
            agent = self._service.make(request, now=now)
            self._world.referee.made(agent)
        return AgentLaunched(task=task, agent_id=agent_id, answered_id=agent.id, run_id=agent.run_id)

    def _refuse(self, row: TaskRow, message: str) -> None:
        agent_id = _intent(row).agent_id
        self._world.referee.refused_here(row.name, _intent(row).attempt)
        self._answer(LaunchRefused(task=row.name, agent_id=agent_id, message=message, code="prompt"), after=0.01)

    def _look_up(self, row: TaskRow, code: str) -> None:
        intent = _intent(row)
        if (row.name, intent.attempt) not in self._world.disk.requests:
            self._answer(
                AgentNotFound(task=row.name, agent_id=intent.agent_id, delays=intent.delays, code=code), after=0.01
            )
            return
        self._ask_again(row, code, asked_for=0.0)

    def _ask_again(self, row: TaskRow, code: str, *, asked_for: float) -> None:
        now, intent = self._world.timeline.now, _intent(row)
        if self._service.is_locked(now):
            self._answer(AccessLost(task=row.name, agent_id=intent.agent_id, message="the key was refused."), after=0.1)
            return
        if self._happens(self._luck.unreachable):
            self._unknown(row, after=self._random.uniform(0.1, _TIMEOUT))
            return
        agent = self._service.find(intent.agent_id, now=now)
        if agent is None and asked_for >= _LOOK_UP_SECONDS:
            agent = self._service.tagged(self._world.disk.requests[row.name, intent.attempt], now=now)
        if agent is not None:
            event: Event = AgentLaunched(
                task=row.name, agent_id=intent.agent_id, answered_id=agent.id, run_id=agent.run_id, adopted=True
            )
            self._answer(event, after=0.1)
        elif asked_for >= _LOOK_UP_SECONDS:
            self._answer(
                AgentNotFound(task=row.name, agent_id=intent.agent_id, delays=intent.delays, code=code), after=0.1
            )
        else:
            self._engine.after(1.0, lambda: self._ask_again(row, code, asked_for=asked_for + 1.0))

    def _unknown(self, row: TaskRow, *, after: float) -> None:
        event = LaunchOutcomeUnknown(
            task=row.name, agent_id=_intent(row).agent_id, delays=_intent(row).delays, message="no answer"
        )
        self._answer(event, after=after)

    def _watch(self, row: TaskRow) -> None:
        assert row.agent_id is not None
        agent = self._service.agents[row.agent_id]
        is_latest = agent.run_id == row.run_id
        if self._happens(self._luck.run_vanishes) and is_latest and not agent.is_over(self._world.timeline.now):
            agent.is_gone = True
        if self._random.random() < 0.1:
            self._fall_silent(row)
        self._look(row, agent)

    def _fall_silent(self, row: TaskRow) -> None:
        assert row.run_id is not None
        seconds, since = self._random.uniform(1, 200), self._world.timeline.at
        self._answer(RunStalled(task=row.name, run_id=row.run_id, since=since), after=seconds)
        if self._random.random() < 0.7:
            stirred = RunStirred(task=row.name, run_id=row.run_id)
            self._answer(stirred, after=seconds + self._random.uniform(0, 50))

    def _look(self, row: TaskRow, agent: SimulatedAgent) -> None:
        """Ask how the run is; while it goes on, or nobody answers, ask again."""
        now, task, run = self._world.timeline.now, row.name, agent.run(row.run_id)
        if self._service.is_locked(now):
            lost = AccessLost(task=task, run_id=run.run_id, message="the key was refused.")
            self._answer(lost, after=0.1)
        elif run.is_gone:
            self._answer(RunMissing(task=task, run_id=run.run_id, message="no such run."), after=0.1)
        elif self._happens(self._luck.unreachable):
            self._engine.after(_POLL_SECONDS, lambda: self._look(row, agent))
        elif run.is_over(now):
            self._world.crash_point("before the reply is saved")
            self._answer(_end_of(run, task=row.name), after=self._random.uniform(0, 0.2))
        else:
            left = run.ends_at - now
            is_cut = self._happens(self._luck.stream_cut)
            pause = min(left, _POLL_SECONDS) if is_cut or left > 120 else left
            self._engine.after(max(pause, 0.01), lambda: self._look(row, agent))

    def _cancel(self, effect: CancelRun) -> None:
        def arrive() -> None:
            is_reachable = not self._happens(self._luck.unreachable) and not self._service.is_locked(
                self._world.timeline.now
            )
            fails = self._world.fails_when_cancelled(effect.task)
            accepted = is_reachable and self._service.cancel(
                effect.agent_id, effect.run_id, now=self._world.timeline.now, fails=fails
            )
            self._answer(CancelAnswered(task=effect.task, run_id=effect.run_id, accepted=accepted), after=0.1)

        self._world.timeline.after(self._random.uniform(0, 2), arrive)

    def _ask_usage(self, effect: AskUsage) -> None:
        def arrive() -> None:
            now, agent = self._world.timeline.now, self._service.agents.get(effect.agent_id)
            is_silent = agent is None or self._happens(self._luck.unreachable) or self._service.is_locked(now)
            cents = None if agent is None or is_silent else self._world.purse.known(agent, now=now)
            self._answer(
                UsageAnswered(task=effect.task, attempt=effect.attempt, run_id=effect.run_id, cents=cents), after=0.1
            )

        self._world.timeline.after(self._random.uniform(0, 2), arrive)

    def _ask_of_grants(self, answer: Callable[..., Event]) -> None:
        """Ask what planners have; it draws from a stream of its own, so that seeds without planners stay as they are."""
        random = self._world.planners.random

        def arrive() -> None:
            is_silent = random.random() < self._luck.unreachable or self._service.is_locked(self._world.timeline.now)
            event = answer(is_answered=not is_silent)
            self._engine.after(0.1, lambda: self._engine.put(event))
            if random.random() < self._luck.doubled:
                self._engine.after(random.uniform(0.1, 600), lambda: self._engine.put(event))

        self._world.timeline.after(random.uniform(0, 2), arrive)

    def _answer_request(self, effect: AnswerRequest) -> None:
        self._world.rare_crash_point("before a request is answered", chance=0.2)
        event = self._world.inbox.answered(effect.answer)
        self._world.rare_crash_point("after a request is answered", chance=0.2)
        self._answer(event, after=0.01)

    def _archive(self, effect: ArchiveAgent) -> None:
        accepted = not self._happens(self._luck.unreachable)
        if accepted:
            self._world.referee.archived(self._service.agents[effect.agent_id])
        self._answer(ArchiveAnswered(task=effect.task, agent_id=effect.agent_id, accepted=accepted), after=0.2)

    def _answer(self, event: Event, *, after: float) -> None:
        self._engine.after(after, lambda: self._engine.put(event))
        echoes = self._random.choice([1, 1, 4]) if self._happens(self._luck.doubled) else 0
        if isinstance(event, CancelAnswered):
            echoes = 0  # each would ask for the cancel once more, and so on without end
        for _ in range(echoes):
            again = after + self._random.choice([0.0, self._random.uniform(0, 60), self._random.uniform(0, 600)])
            self._engine.after(again, lambda: self._engine.put(event))

    def _happens(self, chance: float) -> bool:
        return self._random.random() < chance


def _task_of(effect: Effect) -> TaskName | None:
    match effect:
        case CancelRun(task=task) | AskUsage(task=task) | ArchiveAgent(task=task) | CountSubtree(task=task):
            return task
        case LookUpRefs() | AnswerRequest():
            return None
        case _:
            return effect.row.name


def _grant_in(row: TaskRow) -> Grant | None:
    """What the request of this row's intent tells a planner."""
    if row.type != TaskType.SUBPLANNER:
        return None
    return next((share.grant for share in row.shares if share.attempt == _intent(row).attempt), Grant())


def _intent(row: TaskRow) -> Launch:
    assert row.launch is not None, row
    return row.launch


def _end_of(agent: SimulatedAgent, *, task: str) -> RunEnded:
    name = f"handoffs/{task}.md" if agent.hands_off else f"handoffs/{task}-failure.md"
    reply = Reply(path=name, digest="0" * 64, is_empty=agent.is_empty, handoff=agent.handoff)
    mode = None if agent.hands_off else agent.failure_mode
    return RunEnded(task=agent.request.task, run_id=agent.run_id, status=agent.status, reply=reply, failure_mode=mode)
