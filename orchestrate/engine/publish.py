"""The state's way to git: in the background, seldom, and never in the way of the run.

There is no effect for it. Like the snapshot it follows what the loop publishes: whatever became true in the last ten
seconds goes out in one push. Only an andon and the end of the engine do not wait. What fails is tried again, less and less
often, and told to the loop, which counts it.
"""

from collections.abc import Callable
from typing import Protocol

import anyio

from orchestrate.core.events import Event
from orchestrate.core.publishing_events import EngineSuperseded, StateNotPublished, StatePublished
from orchestrate.errors import OrchestrateError, Refused
from orchestrate.model.names import TaskName
from orchestrate.model.rows import Andon, Workspace
from orchestrate.ports import Clock, Exhibits, Medium, Publication, Superseded, Surface

#: Shortest time from one push to the next.
PACE_SECONDS = 10.0
#: A start comes with many changes at once.
_SETTLE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 300.0
#: An engine that leaves waits so long for its last push.
LAST_PUSH_SECONDS = 20.0


class Publisher:
    """Publishes one workspace; as a surface it hears what became true."""

    def __init__(
        self,
        exhibits: Exhibits,
        medium: Medium,
        *,
        clock: Clock,
        put: Callable[[Event], None],
    ) -> None:
        self._exhibits = exhibits
        self._medium = medium
        self._clock = clock
        self._put = put
        self._changed = anyio.Event()
        self._urgent = anyio.Event()
        self._workspace: Workspace | None = None
        self._failures = 0
        self._is_superseded = False

    def heard(self, publication: Publication) -> None:
        """Something became true."""
        workspace = publication.state.workspace
        if publication.rows or publication.attention or workspace is not self._workspace:
            self._changed.set()
        if self._workspace is not None and _cord(workspace.andon) != _cord(self._workspace.andon):
            self._urgent.set()
        self._workspace = workspace

    async def run(self) -> None:
        """Publish what changes, until cancelled or superseded."""
        await self._changed.wait()
        await self._pause(_SETTLE_SECONDS)
        while not self._is_superseded:
            await self._changed.wait()
            await self._publish()
            await self._pause(min(PACE_SECONDS * 2**self._failures, _LONGEST_PAUSE_SECONDS))

    async def finish(self) -> Event | None:
        """Publish the end; what the loop should know of it."""
        if self._is_superseded or (not self._changed.is_set() and self._failures == 0):
            return None
        with anyio.move_on_after(LAST_PUSH_SECONDS):
            return await self._published()
        return StateNotPublished(ref=self._medium.ref, reason=f"git took more than {LAST_PUSH_SECONDS:g} s")

    async def _publish(self) -> None:
        event = await self._published()
        if event is not None:
            self._put(event)

    async def _published(self) -> Event | None:
        self._changed = anyio.Event()
        self._urgent = anyio.Event()
        try:
            done = await self._medium.publish(await self._exhibits.exhibits())
        except OrchestrateError as error:
            return self._failed(error.message, is_refused=isinstance(error, Refused))
        except OSError as error:
            return self._failed(str(error), is_refused=False)
        if isinstance(done, Superseded):
            self._is_superseded = True
            return EngineSuperseded(ref=done.branch)
        had_failed, self._failures = self._failures > 0, 0
        return StatePublished(ref=done.branch) if had_failed else None

    def _failed(self, reason: str, *, is_refused: bool) -> Event:
        self._failures += 1
        self._changed.set()
        return StateNotPublished(ref=self._medium.ref, reason=reason, is_refused=is_refused)

    async def _pause(self, seconds: float) -> None:
        """So long, or until something must not wait."""
        with anyio.move_on_after(seconds):
            await self._urgent.wait()


class Hearer(Protocol):
    """Whoever follows what became true."""

    def heard(self, publication: Publication) -> None:
        """Something became true; takes no time."""
        ...


class HeardSurface:
    """A surface whose publications somebody else hears too."""

    def __init__(self, surface: Surface, hears: Hearer) -> None:
        self._surface = surface
        self._hears = hears

    def publish(self, publication: Publication) -> None:
        """Show what is true from now on."""
        self._hears.heard(publication)
        self._surface.publish(publication)

    def saw_activity(self, task: TaskName, doing: str | None) -> None:
        """Show that an agent does something."""
        self._surface.saw_activity(task, doing)


def _cord(andon: Andon | None) -> object:
    """What of an andon must not wait."""
    return None if andon is None else (andon.is_raised, andon.raised_at, andon.reason)
