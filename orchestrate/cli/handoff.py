"""``orchestrate handoff PLAN TASK``: what a task's agent said at the end."""

import argparse

from orchestrate.cli import numbers, output
from orchestrate.cli.locating import PlanLocation, locate
from orchestrate.cli.settings import Settings
from orchestrate.cli.task_argument import known_task, plan_in_words
from orchestrate.errors import InputRefused
from orchestrate.model.names import TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.store.attempts import ATTEMPTS, HANDOFFS, RAW
from orchestrate.store.files import Folder
from orchestrate.store.loading import read_workspace, workspace_folder
from orchestrate.text.terminal import escape_for_terminal

_POSTMORTEMS = ("failure", "finished-no-handoff")


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", help="plan.json or its folder; . where the folder has one plan")
    parser.add_argument("task", metavar="TASK", help="name of the task")
    parser.add_argument("--attempt", metavar="N", type=numbers.count, help="that of this try, from 1")
    parser.add_argument(
        "--raw", action="store_true", help="the message byte for byte as the agent wrote it, secrets included"
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print it: escaped at a terminal, verbatim into a pipe."""
    location = locate(args.plan, needs_plan=False)
    rows = read_workspace(location.folder).rows
    row = rows[known_task(args.task, rows, plan=location.argument)] if rows else None
    if row is None:
        raise InputRefused(
            f"{plan_in_words(location.argument)} was never run.", hint=f"orchestrate run {location.argument}"
        )
    folder = workspace_folder(location.folder)
    if args.raw:
        data = _raw(folder, row, args.attempt)
    elif args.attempt is not None:
        data = folder.below(HANDOFFS).below(ATTEMPTS).read(f"{row.name}.{args.attempt}.md")
    else:
        data = _latest(folder, row)
    if data is None:
        raise _missing(row, location, attempt=args.attempt)
    if settings.streams.stdout_is_terminal:
        text = escape_for_terminal(data.decode(errors="replace").replace("\r\n", "\n"), keep_newlines=True)
        output.put([text.rstrip("\n")])
    else:
        output.put_bytes(data)
    return 0


def _latest(folder: Folder, row: TaskRow) -> bytes | None:
    """The handoff; after an error the postmortem, which says more."""
    handoffs = folder.below(HANDOFFS)
    names = [f"{row.name}.md", *(f"{row.name}-{kind}.md" for kind in _POSTMORTEMS)]
    if row.status == TaskStatus.ERROR:
        names = [*names[1:], names[0]]
    return next((data for name in names if (data := handoffs.read(name)) is not None), None)


def _raw(folder: Folder, row: TaskRow, attempt: int | None) -> bytes | None:
    return folder.below(RAW).read(f"{row.name}.{attempt or row.attempts}.md")


def _missing(row: TaskRow, location: PlanLocation, *, attempt: int | None) -> InputRefused:
    name: TaskName = row.name
    if attempt is not None and attempt <= row.attempts:
        return InputRefused(
            f"try {attempt} of {name} left no handoff.", hint=f"orchestrate status {location.argument} -v"
        )
    if attempt is not None:
        tries = "was never tried" if row.attempts == 0 else f"has {row.attempts} so far"
        return InputRefused(f"there is no try {attempt} of {name}: it {tries}.", hint="leave out --attempt")
    known = [row.note] if row.note else []
    return InputRefused(
        f"{name} has no handoff: it is {row.status}.", known=known, hint=f"orchestrate status {location.argument}"
    )
