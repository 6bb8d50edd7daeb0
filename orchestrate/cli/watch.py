"""``orchestrate watch PLAN``: follow a run of another process; reads files only, takes no lock and changes nothing."""

import argparse
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import anyio
import anyio.to_thread

from orchestrate.cli import output
from orchestrate.cli.files_feed import FilesFeed
from orchestrate.cli.json_lines import JsonLines
from orchestrate.cli.live import PlainSurface, ShownSurface, make_surface
from orchestrate.cli.locating import PlanLocation, locate
from orchestrate.cli.picture import Picture, picture_of
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.screens.status import status_screen
from orchestrate.cli.settings import Settings
from orchestrate.cli.status import status_object, status_view
from orchestrate.cli.terminal import stdout_look
from orchestrate.core.operating import EXIT_CHECKPOINT, EXIT_DONE, EXIT_PLANNERS_TURN
from orchestrate.errors import OrchestrateError
from orchestrate.model.records import Record
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.ports import Clock, Publication
from orchestrate.store.loading import workspace_folder
from orchestrate.store.lock import Holder, living_holder
from orchestrate.system import SystemClock

#: Four looks a second; whether an engine lives is asked at every fourth.
_LOOK_SECONDS = 0.25
_LOOKS_A_LIFE_CHECK = 4
_BAD = (TaskStatus.ERROR, TaskStatus.CANCELLED)


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument(
        "--until-done", action="store_true", help="where there is more to do and no engine does it, wait for one"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json-lines", action="store_true", help="one JSON object a line on stdout, for each change")
    form.add_argument("--json", action="store_true", help="one JSON object on stdout, at the end")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Watch; the exit code says how the run stands in the end."""
    location, clock = locate(args.plan, needs_plan=False), SystemClock()
    picture = picture_of(location, now=clock.now())
    is_followed = picture.holder is not None or (args.until_done and exit_code_of(picture) == EXIT_CHECKPOINT)
    if not is_followed and not args.json_lines:
        return _told(picture, args, settings)
    feed = FilesFeed(location, slug=picture.slug, root_slug=picture.document.slug)
    watcher = _watcher(args, settings, feed, clock)
    watch = _Watch(location, feed, watcher, clock=clock, until_done=args.until_done)
    with _leaving_in_order():
        try:
            anyio.run(watch.run)
            after = picture_of(location, now=clock.now())
            watcher.finish(after, exit_code_of(after))
        finally:
            watcher.close()
    return _told(after, args, settings, is_summed_up=True)


def exit_code_of(picture: Picture) -> int:
    """How the run stands, in the exit codes of ``run``."""
    rows = picture.rows
    if any(row.status in _BAD for row in rows):
        return EXIT_PLANNERS_TURN
    if rows and all(row.status == TaskStatus.HANDED_OFF for row in rows):
        return EXIT_DONE
    may_start = any(not waits for waits in picture.waits_for.values())
    goes_on = may_start or any(row.status == TaskStatus.RUNNING for row in rows)
    return EXIT_CHECKPOINT if goes_on else EXIT_PLANNERS_TURN


class Watcher(Protocol):
    """Whoever is shown the run."""

    def publish(self, publication: Publication, records: Sequence[Record]) -> None:
        """What is true from now on; without records, all that there is."""
        ...

    def engine(self, holder: Holder | None) -> None:
        """An engine came, or the one that was there has ended."""
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


@dataclass(slots=True)
class _Shown:
    """A person who watches as the one who started the run does."""

    surface: ShownSurface
    feed: FilesFeed

    def publish(self, publication: Publication, records: Sequence[Record]) -> None:  # noqa: ARG002  for programs
        self.surface.publish(publication)

    def engine(self, holder: Holder | None) -> None:
        told = "no engine runs it now" if holder is None else f"an engine runs it: {holder.described()}"
        self.surface.say(told)

    async def keep_drawing(self) -> None:
        await self.surface.keep_drawing()

    def finish(self, picture: Picture, exit_code: int) -> None:  # noqa: ARG002  the surface was told every row
        if exit_code in (EXIT_DONE, EXIT_PLANNERS_TURN):
            self.surface.finish(self.feed.state, exit_code)

    def close(self) -> None:
        self.surface.close()


class _Watch:
    """The run as its files tell it, until it is over."""

    def __init__(
        self, location: PlanLocation, feed: FilesFeed, watcher: Watcher, *, clock: Clock, until_done: bool
    ) -> None:
        self._location = location
        self._feed = feed
        self._watcher = watcher
        self._clock = clock
        self._until_done = until_done
        self._failure: OrchestrateError | None = None

    async def run(self) -> None:
        """Show everything that becomes true, until no engine lives and none is waited for."""
        self._watcher.publish(self._feed.first(), ())
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watcher.keep_drawing)
            try:
                await self._follow()
            except OrchestrateError as error:
                self._failure = error
            tasks.cancel_scope.cancel()
        if self._failure is not None:
            raise self._failure

    async def _follow(self) -> None:
        holder = await anyio.to_thread.run_sync(self._living)
        self._watcher.engine(holder)
        while True:
            await self._take_news()
            if holder is None and not await self._is_one_awaited():
                return
            for _ in range(_LOOKS_A_LIFE_CHECK):
                await self._clock.sleep(_LOOK_SECONDS)
                await self._take_news()
            # Asked before the journal is read again: what the engine wrote last is never missed.
            before, holder = holder, await anyio.to_thread.run_sync(self._living)
            if _is_other(before, holder):
                self._watcher.engine(holder)

    async def _take_news(self) -> None:
        news = await anyio.to_thread.run_sync(self._feed.news)
        if news is not None:
            self._watcher.publish(*news)

    async def _is_one_awaited(self) -> bool:
        """True if another engine is expected to go on."""
        if not self._until_done:
            return False
        return exit_code_of(await anyio.to_thread.run_sync(self._picture)) == EXIT_CHECKPOINT

    def _picture(self) -> Picture:
        return picture_of(self._location, now=self._clock.now())

    def _living(self) -> Holder | None:
        return living_holder(workspace_folder(self._location.folder), now=self._clock.now())


def _is_other(before: Holder | None, after: Holder | None) -> bool:
    if before is None or after is None:
        return before is not after
    return before.engine != after.engine


def _watcher(args: argparse.Namespace, settings: Settings, feed: FilesFeed, clock: Clock) -> Watcher:
    """The block at a terminal; where stdout is none, plain lines on it: they are what was asked for."""
    if args.json_lines:
        return JsonLines(clock)
    streams = settings.streams
    if args.json or (streams.stdout_is_terminal and streams.stderr_is_terminal):
        return _Shown(make_surface(settings, args, plan=feed.plan, clock=clock, is_onlooker=True), feed)
    look = stdout_look(settings, args, argument=locate(args.plan, needs_plan=False).argument)
    return _Shown(PlainSurface(sys.stdout, plan=feed.plan, clock=clock, look=look, is_quiet=bool(args.quiet)), feed)


def _told(picture: Picture, args: argparse.Namespace, settings: Settings, *, is_summed_up: bool = False) -> int:
    """The state on stdout, where nothing has summed it up; answers the exit code."""
    exit_code = exit_code_of(picture)
    if args.json:
        output.put_json(_object(picture, exit_code))
    elif not args.json_lines and (not is_summed_up or exit_code == EXIT_CHECKPOINT):
        look = stdout_look(settings, args, argument=picture.location.argument)
        output.put(rendered(status_screen(status_view(picture), look), look))
    return exit_code


def _object(picture: Picture, exit_code: int) -> dict[str, object]:
    """The answer to ``--json``: that of ``status``, and how the watching ended."""
    fields = {**status_object(picture), "operation": "watch", "exitCode": exit_code}
    if exit_code != EXIT_PLANNERS_TURN:
        return fields
    names = [row.name for row in picture.rows if row.status != TaskStatus.HANDED_OFF]
    error = {
        "code": "needs_planner",
        "message": f"not handed off: {', '.join(names)}",
        "retryable": False,
        "recoveryAction": "read the notes and postmortems of these tasks, change the plan, then run it again",
    }
    return {**fields, "ok": False, "error": error}


@contextmanager
def _leaving_in_order() -> Iterator[None]:
    """A request to end does what Ctrl-C does: the terminal is given back as it was."""
    former = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)
