"""Performers: each effect is carried out by one of them, and always answered by an event.

An effect comes while its decision is still on its way to the disk. Only a launch has something to prepare meanwhile: its
request is rendered and written. If a crash forgets the decision, the next engine finds a request of an attempt that no
row has begun, and removes it. Everything else, and every answer, waits until the decision is durable.
"""

import traceback
from pathlib import PurePath

import anyio

from orchestrate.core.effects import (
    AnswerRequest,
    ArchiveAgent,
    AskUsage,
    CancelRun,
    CheckPaths,
    CountSubtree,
    Effect,
    LaunchAgent,
    LookForNamesakes,
    LookUpAgent,
    LookUpRefs,
    LookUpRuns,
    ReadGrant,
    SendFollowUp,
    SetTimer,
    TakeMeasurements,
    WatchRun,
    WriteAcceptance,
)
from orchestrate.core.events import EffectFailed, Event
from orchestrate.engine.answering import Clerk
from orchestrate.engine.cancel import archive_agent, cancel_run
from orchestrate.engine.follow_ups import Messenger
from orchestrate.engine.grants import GrantReader
from orchestrate.engine.inbox import Inbox
from orchestrate.engine.launch import Launcher
from orchestrate.engine.look_ups import RefLooker
from orchestrate.engine.measuring import Measurer
from orchestrate.engine.namesakes import look_for_namesakes
from orchestrate.engine.path_checks import PathChecker
from orchestrate.engine.timers import Timers
from orchestrate.engine.usage import ask_usage
from orchestrate.engine.watch import Watcher
from orchestrate.errors import OrchestrateError, StorageFailed
from orchestrate.model.names import RequestId, TaskName
from orchestrate.ports import AgentService


class Performers:
    """All performers of one engine."""

    def __init__(  # noqa: PLR0913  one performer for each family of effects
        self,
        *,
        inbox: Inbox,
        service: AgentService,
        launcher: Launcher,
        watcher: Watcher,
        timers: Timers,
        clerk: Clerk,
        messenger: Messenger,
        path_checker: PathChecker,
        ref_looker: RefLooker,
        measurer: Measurer,
        grants: GrantReader,
    ) -> None:
        self._inbox = inbox
        self._service = service
        self._launcher = launcher
        self._watcher = watcher
        self._timers = timers
        self._clerk = clerk
        self._messenger = messenger
        self._path_checker = path_checker
        self._ref_looker = ref_looker
        self._measurer = measurer
        self._grants = grants

    async def perform(self, effect: Effect, durable: anyio.Event) -> None:
        """Carry out an effect once its decision is durable; the answer goes to the inbox. Only StorageFailed leaves."""
        try:
            if not isinstance(effect, LaunchAgent):
                await durable.wait()
            event = await self._answer(effect, durable)
        except StorageFailed:
            raise
        except Exception as error:
            event = EffectFailed(
                effect=type(effect).__name__, message=_told(error), task=_task_of(effect), request=_request_of(effect)
            )
        await durable.wait()
        self._inbox.put(event)

    async def _answer(self, effect: Effect, durable: anyio.Event) -> Event:  # noqa: C901, PLR0912  one arm an effect
        match effect:
            case LaunchAgent():
                return await self._launcher.launch(effect, durable=durable)
            case LookUpAgent():
                return await self._launcher.look_up(effect)
            case WatchRun():
                return await self._watcher.watch(effect)
            case CancelRun():
                return await cancel_run(effect, service=self._service)
            case ArchiveAgent():
                return await archive_agent(effect, service=self._service)
            case LookForNamesakes():
                return await look_for_namesakes(effect, service=self._service)
            case SetTimer():
                return await self._timers.wait(effect)
            case AskUsage():
                return await ask_usage(effect, service=self._service)
            case ReadGrant():
                return await self._grants.read(effect)
            case CountSubtree():
                return await self._grants.count(effect)
            case WriteAcceptance():
                return await self._clerk.write_acceptance(effect)
            case AnswerRequest():
                return await self._clerk.answer(effect)
            case TakeMeasurements():
                return await self._measurer.take(effect)
            case LookUpRuns():
                return await self._messenger.look_up(effect)
            case SendFollowUp():
                return await self._messenger.send(effect)
            case LookUpRefs():
                return await self._ref_looker.look_up(effect)
            case CheckPaths():
                return await self._path_checker.check(effect)
            case _:
                raise AssertionError(f"no performer for {effect!r}")


def _task_of(effect: Effect) -> TaskName | None:
    match effect:
        case (
            LaunchAgent(row=row)
            | LookUpAgent(row=row)
            | WatchRun(row=row)
            | LookUpRuns(row=row)
            | SendFollowUp(row=row)
            | CheckPaths(row=row)
            | TakeMeasurements(row=row)
            | WriteAcceptance(row=row)
        ):
            return row.name
        case CancelRun(task=task) | ArchiveAgent(task=task) | CountSubtree(task=task):
            return task
        case _:
            return None


def _request_of(effect: Effect) -> RequestId | None:
    match effect:
        case WriteAcceptance(request=request):
            return request
        case AnswerRequest(answer=answer):
            return answer.id
        case _:
            return None


def _told(error: Exception) -> str:
    """What happened; for a bug of ours also where, since nobody sees its traceback."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, OrchestrateError):
        return error.message
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{error!r} in {PurePath(place.filename).name}:{place.lineno}"
