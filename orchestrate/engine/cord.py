"""Watching the andon of the whole tree: looked at every 30 seconds, and raised for all by whoever is below the root."""

from collections.abc import Callable

import anyio

from orchestrate.core.andon_events import AndonKnown, AndonSeen, AndonUnknown
from orchestrate.core.events import Event
from orchestrate.core.publishing_events import StateNotPublished
from orchestrate.errors import OrchestrateError, Refused
from orchestrate.model.names import Timestamp
from orchestrate.model.rows import Andon
from orchestrate.model.timestamps import to_timestamp
from orchestrate.ports import Clock, Cord, Publication

#: How often the tree's andon is looked at.
LOOK_SECONDS = 30.0
#: Misses in a row after which somebody should know.
_MISSES = 3
#: How soon a raise that did not get through is tried again.
_AGAIN_SECONDS = 10.0


class CordWatcher:
    """Watches and pulls the cord for one engine; as a hearer it knows what was raised here."""

    def __init__(
        self, cord: Cord, *, clock: Clock, put: Callable[[Event], None], is_root: bool, is_strict: bool = False
    ) -> None:
        self._cord = cord
        self._clock = clock
        self._put = put
        self._is_root = is_root
        self._is_strict = is_strict
        self._last: Andon | None = None
        self._misses = 0
        self._since = Timestamp("")
        self._raised: Andon | None = None
        self._pulled: Andon | None = None
        self._has_raise = anyio.Event()

    def heard(self, publication: Publication) -> None:
        """Something became true; a raise that began here is for the whole tree."""
        andon = publication.state.workspace.andon
        if self._is_root or andon is None or not andon.is_raised or andon.last_checked_at is not None:
            return
        if andon not in (self._raised, self._pulled):
            self._raised = andon
            self._has_raise.set()

    async def run(self) -> None:
        """Look and pull, until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._keep_looking)
            tasks.start_soon(self._keep_pulling)

    async def _keep_looking(self) -> None:
        while True:
            await self._look()
            await self._clock.sleep(LOOK_SECONDS)

    async def _look(self) -> None:
        try:
            seen = await self._cord.look()
        except OrchestrateError as error:
            self._missed(error.message)
            return
        if self._misses >= _MISSES:
            self._put(AndonKnown())
        self._misses = 0
        if seen is not None and seen != self._last:
            self._put(AndonSeen(andon=seen))
        self._last = seen

    def _missed(self, reason: str) -> None:
        """A root that has published nothing yet misses nothing."""
        if self._is_root:
            return
        self._misses += 1
        if self._misses == 1:
            self._since = to_timestamp(self._clock.now())
        if self._misses == _MISSES:
            self._put(AndonUnknown(since=self._since, reason=reason, is_strict=self._is_strict))

    async def _keep_pulling(self) -> None:
        while True:
            await self._has_raise.wait()
            self._has_raise = anyio.Event()
            while self._raised is not None:
                await self._pull(self._raised)

    async def _pull(self, andon: Andon) -> None:
        try:
            await self._cord.pull(andon)
        except OrchestrateError as error:
            is_refused = isinstance(error, Refused)
            self._put(StateNotPublished(ref=self._cord.ref, reason=error.message, is_refused=is_refused))
            await self._clock.sleep(_AGAIN_SECONDS)
            return
        self._pulled = andon
        if self._raised == andon:
            self._raised = None
