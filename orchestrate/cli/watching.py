"""Following a run of another process until it is over: its files are read four times a second, its engine asked for once."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import anyio
import anyio.to_thread

from orchestrate.cli.files_feed import FilesFeed
from orchestrate.cli.json_lines import JsonLines
from orchestrate.cli.leaving import signals_interrupt
from orchestrate.cli.live import PlainSurface, ShownSurface, make_surface
from orchestrate.cli.locating import PlanLocation
from orchestrate.cli.picture import Picture, picture_of
from orchestrate.cli.run_standing import EXIT_CHECKPOINT, exit_code_of
from orchestrate.cli.settings import Settings
from orchestrate.cli.single_errors import single_errors
from orchestrate.cli.terminal import stdout_look
from orchestrate.errors import OrchestrateError
from orchestrate.model.records import Record
from orchestrate.ports import Clock, Publication
from orchestrate.repo.address import fetched_from
from orchestrate.store.loading import workspace_folder
from orchestrate.store.lock import Holder, living_holder

LOOK_SECONDS = 0.25
#: Whether an engine lives is asked at every so many looks.
_LOOKS_A_LIFE_CHECK = 4


class Watcher(Protocol):
    """Whoever is shown the run."""

    def publish(self, publication: Publication, records: Sequence[Record]) -> None:
        """What is true from now on; without records, all that there is."""
        ...

    def engine(self, holder: Holder | None) -> None:
        """Which engine runs the workspace, at first and whenever that changes."""
        ...

    async def keep_drawing(self) -> None:
        """Write what is new until cancelled."""
        ...

    def finish(self, picture: Picture, exit_code: int) -> None:
        """How the run stands in the end."""
        ...

    def close(self) -> None:
        """Leave nothing on the screen that moves."""
        ...


def watched(picture: Picture, args: Namespace, settings: Settings, *, clock: Clock) -> Picture:
    """Show the run to its end, or until nobody goes on with it; the workspace as it is then."""
    location = picture.location
    feed = FilesFeed(picture)
    watcher = _watcher(args, settings, feed, location, clock=clock)
    following = Following(location, feed, watcher, clock=clock, until_done=args.until_done)
    with signals_interrupt():
        try:
            with single_errors():
                anyio.run(following.run)
            after = picture_of(location, now=clock.now())
            watcher.finish(after, exit_code_of(after))
        finally:
            watcher.close()
    return after


class Following:
    """The run as its files tell it."""

    def __init__(
        self, location: PlanLocation, feed: FilesFeed, watcher: Watcher, *, clock: Clock, until_done: bool
    ) -> None:
        self._location = location
        self._feed = feed
        self._watcher = watcher
        self._clock = clock
        self._until_done = until_done

    async def run(self) -> None:
        """Show everything that becomes true, until no engine lives and none is waited for."""
        self._watcher.publish(self._feed.first(), ())
        failure: OrchestrateError | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watcher.keep_drawing)
            try:
                await self._follow()
            except OrchestrateError as error:
                failure = error  # raised outside, or the group would wrap it
            tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure

    async def _follow(self) -> None:
        holder = await anyio.to_thread.run_sync(self._living)
        self._watcher.engine(holder)
        while True:
            await self._take_news()
            if holder is None and not await self._is_another_awaited():
                return
            for _ in range(_LOOKS_A_LIFE_CHECK):
                await self._clock.sleep(LOOK_SECONDS)
                await self._take_news()
            # Asked before the journal is read again: what an engine wrote last is never missed.
            before, holder = holder, await anyio.to_thread.run_sync(self._living)
            if _is_other(before, holder):
                self._watcher.engine(holder)

    async def _take_news(self) -> None:
        news = await anyio.to_thread.run_sync(self._feed.news)
        if news is not None:
            self._watcher.publish(*news)

    async def _is_another_awaited(self) -> bool:
        """True if another engine is expected to go on with the run."""
        if not self._until_done:
            return False
        return exit_code_of(await anyio.to_thread.run_sync(self._picture)) == EXIT_CHECKPOINT

    def _picture(self) -> Picture:
        return picture_of(self._location, now=self._clock.now())

    def _living(self) -> Holder | None:
        return living_holder(workspace_folder(self._location.folder), now=self._clock.now())


@dataclass(slots=True)
class Shown:
    """A person, who sees what whoever started the run sees."""

    surface: ShownSurface
    feed: FilesFeed

    def publish(self, publication: Publication, records: Sequence[Record]) -> None:  # noqa: ARG002  for programs
        """Draw it."""
        self.surface.publish(publication)

    def engine(self, holder: Holder | None) -> None:
        """A note that stays."""
        self.surface.say("no engine runs it now" if holder is None else f"an engine runs it: {holder.described()}")

    async def keep_drawing(self) -> None:
        """Write what is new until cancelled."""
        await self.surface.keep_drawing()

    def finish(self, picture: Picture, exit_code: int) -> None:  # noqa: ARG002  the surface was told every row
        """The summary, of a run that is over; one that goes on later has none."""
        if exit_code != EXIT_CHECKPOINT:
            self.surface.finish(self.feed.state, exit_code)

    def close(self) -> None:
        """Leave nothing on the screen that moves."""
        self.surface.close()


def _is_other(before: Holder | None, after: Holder | None) -> bool:
    if before is None or after is None:
        return before is not after
    return before.engine != after.engine


def _watcher(args: Namespace, settings: Settings, feed: FilesFeed, location: PlanLocation, *, clock: Clock) -> Watcher:
    """The block at a terminal; where stdout is none, plain lines on it: they are what was asked for."""
    if args.json_lines:
        return JsonLines(clock)
    streams = settings.streams
    if args.json or (streams.stdout_is_terminal and streams.stderr_is_terminal):
        return Shown(make_surface(settings, args, plan=feed.plan, clock=clock, is_onlooker=True), feed)
    remote = fetched_from(feed.plan.repo_url, folder=location.folder)
    look = stdout_look(settings, args, argument=location.argument, remote=remote)
    return Shown(PlainSurface(sys.stdout, plan=feed.plan, clock=clock, look=look, is_quiet=bool(args.quiet)), feed)
