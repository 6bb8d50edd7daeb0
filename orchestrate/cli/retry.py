"""``orchestrate retry PLAN``: everything that is in error is tried anew, and what it holds goes on behind it."""

import argparse
from collections.abc import Iterable, Sequence

from orchestrate.cli import output
from orchestrate.cli.asking import Asked, asked_workspace
from orchestrate.cli.messages import count_of, listed
from orchestrate.cli.respawn import NOT_DONE, confirm, respawn, tell
from orchestrate.cli.settings import Settings
from orchestrate.model.graph import dependencies_first, dependencies_of
from orchestrate.model.money import dollars
from orchestrate.model.names import TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.text.terminal import escape_for_terminal

#: Tasks that a line names.
_NAMED = 5


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Show what it is about and what it cost so far, ask, and have it tried anew."""
    asked = asked_workspace(args.plan)
    failed = _failed(asked)
    if not failed or args.dry_run:
        _tell_only(args, asked, failed)
        return 0
    if not (args.quiet or args.json):
        output.say(escape_for_terminal(each) for each in lines_of(asked, failed))
    confirm(f"Try {count_of(len(failed), 'task')} anew?", args, settings)
    tell(args, asked, respawn(asked, [row.name for row in failed], settings), operation="retry")
    return 0


def lines_of(asked: Asked, failed: Sequence[TaskRow]) -> list[str]:
    """What failed, how often, and what waits behind it."""
    lines = [f"{row.name}: error after {_tries(row)}{_held_by(asked, row)}" for row in failed]
    tries = count_of(sum(row.attempts for row in failed), "try", plural="tries")
    return [*lines, f"cost of {tries} so far: {_cost(failed)}"]


def _cost(failed: Sequence[TaskRow]) -> str:
    """What the service has told; what it has not told is never nothing."""
    charges = [charge.cents for row in failed for charge in row.charges]
    known = [cents for cents in charges if cents is not None]
    if not known:
        return "not known yet"
    more = "" if len(known) == len(charges) else f", and {len(charges) - len(known)} not known yet"
    return f"{dollars(sum(known))}{more}"


def _failed(asked: Asked) -> list[TaskRow]:
    """In the plan's order."""
    rows = (asked.rows.get(task.name) for task in asked.plan.tasks)
    return [row for row in rows if row is not None and row.status == TaskStatus.ERROR]


def _tries(row: TaskRow) -> str:
    return f"{count_of(row.attempts, 'try', plural='tries')} ({row.failure_mode or 'unknown'})"


def _held_by(asked: Asked, row: TaskRow) -> str:
    held = list(_waiting_behind(asked, row.name))
    return f", holds {listed(held, at_most=_NAMED)}" if held else ""


def _waiting_behind(asked: Asked, name: TaskName) -> Iterable[TaskName]:
    """All that waits for it, through others too."""
    dependencies, reached = dependencies_of(asked.plan), {name}
    for each in dependencies_first(dependencies):
        row = asked.rows.get(each)
        if reached.intersection(dependencies[each]) and (row is None or row.status == TaskStatus.PENDING):
            reached.add(each)
            yield each


def _tell_only(args: argparse.Namespace, asked: Asked, failed: Sequence[TaskRow]) -> None:
    if args.json:
        tasks = [{"task": row.name, "status": row.status, "attempt": row.attempts + 1} for row in failed]
        output.put_json(output.success("retry", tasks=tasks, dryRun=bool(args.dry_run)))
    elif not failed:
        output.put([f"nothing is in error. {NOT_DONE}"])
    else:
        output.put(escape_for_terminal(each) for each in lines_of(asked, failed))
