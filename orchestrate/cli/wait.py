"""``orchestrate wait PLAN``: come back when the run, or one task, is over. Reads only: no lock, no network."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from orchestrate.cli import numbers, output
from orchestrate.cli.locating import PlanLocation, locate
from orchestrate.cli.messages import listed, message_lines
from orchestrate.cli.picture import Picture, picture_of
from orchestrate.cli.screens.vocabulary import named
from orchestrate.cli.settings import Settings
from orchestrate.cli.task_argument import known_task
from orchestrate.model.names import TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus, TaskType
from orchestrate.ports import Clock
from orchestrate.store.loading import workspace_folder
from orchestrate.store.lock import living_holder
from orchestrate.system import SystemClock

EXIT_HANDED_OFF, EXIT_OTHERWISE, EXIT_TIMED_OUT = 0, 1, 100

#: How often the files are looked at; a look at files that did not change costs two small system calls.
LOOK_SECONDS = 0.5
#: How long a workspace may be without an engine before nobody is expected to go on with it: a run that begins, or that
#: is called again after its checkpoint, is away for less.
WITHOUT_ENGINE_SECONDS = 10.0
_ENDS = frozenset({TaskStatus.HANDED_OFF, TaskStatus.ERROR, TaskStatus.CANCELLED, TaskStatus.PRUNED})
#: Tasks that a message names.
_NAMED = 5
#: Whatever is said of a task stands in these.
_FILES = ("state.json", "journal.jsonl", "plan.json")


@dataclass(frozen=True, slots=True)
class Waited:
    """How the waiting ended."""

    exit_code: int
    picture: Picture
    #: The tasks that were waited for and have not handed off.
    missing: tuple[TaskRow, ...] = ()


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument("--until", metavar="TASK", help="wait for this task only")
    parser.add_argument(
        "--timeout",
        metavar="SEC",
        type=numbers.seconds_from_zero,
        help="leave after so many seconds with exit code 100",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, when it is over")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Wait; the exit code says how it ended."""
    location, clock = locate(args.plan, needs_plan=False), SystemClock()
    look = Looks(location, clock)
    task = None if args.until is None else _known(args.until, look(), location)
    if not (args.quiet or args.json):
        output.say([f"waiting for {task or 'every task'}; Ctrl-C ends the waiting, not the run"])
    import anyio

    waited = anyio.run(partial(wait_until_over, look, task=task, timeout_seconds=args.timeout, clock=clock))
    if args.json:
        output.put_json(_document(waited, task=task, location=location))
    elif waited.exit_code != EXIT_HANDED_OFF or not args.quiet:
        output.say(told(waited, task=task, location=location, program=settings.program))
    return waited.exit_code


async def wait_until_over(
    look: Callable[[], Picture], *, task: TaskName | None, timeout_seconds: float | None, clock: Clock
) -> Waited:
    """Look again and again until the task, or all tasks, are over, nobody is at it any more, or time is up."""
    start = clock.monotonic()
    last_seen = start
    while True:
        picture, now = look(), clock.monotonic()
        rows = _wanted(picture, task)
        missing = tuple(row for row in rows if row.status != TaskStatus.HANDED_OFF)
        if not missing and rows:
            return Waited(EXIT_HANDED_OFF, picture)
        if rows and all(row.status in _ENDS for row in rows):
            return Waited(EXIT_OTHERWISE, picture, missing)
        if picture.holder is not None:
            last_seen = now
        if timeout_seconds is not None and now - start >= timeout_seconds:
            return Waited(EXIT_TIMED_OUT, picture, missing)
        if now - last_seen >= WITHOUT_ENGINE_SECONDS:
            return Waited(EXIT_OTHERWISE, picture, missing)
        left = LOOK_SECONDS if timeout_seconds is None else min(LOOK_SECONDS, start + timeout_seconds - now)
        await clock.sleep(left)


def told(waited: Waited, *, task: TaskName | None, location: PlanLocation, program: str) -> list[str]:
    """How the waiting ended, for people."""
    if waited.exit_code == EXIT_HANDED_OFF:
        return [f"{task} handed off" if task else f"every task of {waited.picture.slug} handed off"]
    names = listed([row.name for row in waited.missing], at_most=_NAMED)
    if waited.exit_code == EXIT_TIMED_OUT:
        return message_lines("note", f"time is up; not handed off yet: {names}.")
    return message_lines("error", _reason(waited), do=f"{program} status {location.argument}")


class Looks:
    """The workspace as it is now; its rows are read again only after a file has changed, its engine is asked for always."""

    def __init__(self, location: PlanLocation, clock: Clock) -> None:
        self._location = location
        self._clock = clock
        self._seen: tuple[object, ...] | None = None
        self._picture: Picture | None = None

    def __call__(self) -> Picture:
        """One look."""
        now = self._clock.now()
        seen = tuple(_mark(self._location.folder / name) for name in _FILES)
        if self._picture is None or seen != self._seen:
            self._picture, self._seen = picture_of(self._location, now=now), seen
            return self._picture
        return replace(self._picture, holder=living_holder(workspace_folder(self._location.folder), now=now), now=now)


def _mark(path: Path) -> tuple[int, int, int] | None:
    """What changes when the file does; None without the file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _known(word: str, picture: Picture, location: PlanLocation) -> TaskName:
    """A task of the plan or of the state."""
    return known_task(word, _rows(picture), plan=location.argument)


def _rows(picture: Picture) -> Mapping[TaskName, TaskRow]:
    """Every row, and one for each task of the plan that no engine has read yet."""
    planned = (TaskName(task.name) for task in picture.document.outline.named)
    new = {name: TaskRow(name, TaskType.WORKER, branch="", starting_ref="") for name in planned}
    return {**new, **{row.name: row for row in picture.rows}, **picture.loaded.rows}


def _wanted(picture: Picture, task: TaskName | None) -> list[TaskRow]:
    rows = _rows(picture)
    if task is None:
        return [row for row in rows.values() if row.status != TaskStatus.PRUNED]
    return [rows[task]] if task in rows else []


def _reason(waited: Waited) -> str:
    open_rows = [row.name for row in waited.missing if row.status not in _ENDS]
    if open_rows:
        return f"no engine runs this workspace, and {named(open_rows)} {'is' if len(open_rows) == 1 else 'are'} open."
    return ", ".join(f"{row.name}: {waited.picture.standing(row).word}" for row in waited.missing[:_NAMED]) + "."


def _document(waited: Waited, *, task: TaskName | None, location: PlanLocation) -> dict[str, object]:
    picture = waited.picture
    rows = _wanted(picture, task)
    fields: dict[str, object] = {
        "exitCode": waited.exit_code,
        "isOver": waited.exit_code != EXIT_TIMED_OUT,
        **picture.heading(),
        "tasks": [picture.task_object(row) for row in rows],
    }
    if waited.exit_code != EXIT_OTHERWISE:
        return output.success("wait", **fields)
    error = {
        "code": "not_handed_off",
        "message": _reason(waited),
        "retryable": False,
        "recoveryAction": f"orchestrate status {location.argument}",
    }
    return {"ok": False, "operation": "wait", "error": error, **fields}
