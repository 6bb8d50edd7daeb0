"""Performers: each effect is carried out by one of them, and always answered by an event."""

import traceback
from pathlib import PurePath

from orchestrate.core.effects import CancelRun, Effect, LaunchAgent, LookUpAgent, SetTimer, WatchRun
from orchestrate.core.events import EffectFailed, Event
from orchestrate.engine.cancel import cancel_run
from orchestrate.engine.inbox import Inbox
from orchestrate.engine.launch import Launcher
from orchestrate.engine.timers import Timers
from orchestrate.engine.watch import Watcher
from orchestrate.errors import OrchestrateError, StorageFailed
from orchestrate.model.names import TaskName
from orchestrate.ports import AgentService


class Performers:
    """All performers of one engine."""

    def __init__(
        self, *, inbox: Inbox, service: AgentService, launcher: Launcher, watcher: Watcher, timers: Timers
    ) -> None:
        self._inbox = inbox
        self._service = service
        self._launcher = launcher
        self._watcher = watcher
        self._timers = timers

    async def perform(self, effect: Effect) -> None:
        """Carry out an effect; its answer goes to the inbox. Only StorageFailed leaves here."""
        try:
            event = await self._answer(effect)
        except StorageFailed:
            raise
        except Exception as error:
            event = EffectFailed(effect=type(effect).__name__, message=_told(error), task=_task_of(effect))
        self._inbox.put(event)

    async def _answer(self, effect: Effect) -> Event:
        match effect:
            case LaunchAgent():
                return await self._launcher.launch(effect)
            case LookUpAgent():
                return await self._launcher.look_up(effect)
            case WatchRun():
                return await self._watcher.watch(effect)
            case CancelRun():
                return await cancel_run(effect, service=self._service)
            case SetTimer():
                return await self._timers.wait(effect)
            case _:
                raise AssertionError(f"no performer for {effect!r}")


def _task_of(effect: Effect) -> TaskName | None:
    match effect:
        case LaunchAgent(row=row) | LookUpAgent(row=row) | WatchRun(row=row):
            return row.name
        case CancelRun(task=task):
            return task
        case _:
            return None


def _told(error: Exception) -> str:
    """What happened; for a bug of ours also where, since nobody sees its traceback."""
    if isinstance(error, OrchestrateError):
        return error.message
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{error!r} in {PurePath(place.filename).name}:{place.lineno}"
