"""``orchestrate cancel PLAN TASK``: stop one task, and see that it is stopped."""

import argparse
from collections.abc import Awaitable, Callable

from orchestrate.cli import numbers, output
from orchestrate.cli.asking import Asked, add_plan_and_task, add_runtime, ask, asked_workspace, reach
from orchestrate.cli.requesting import new_request_id, this_person
from orchestrate.cli.settings import Settings
from orchestrate.cli.settling import wait_until_over
from orchestrate.cli.wiring import Service
from orchestrate.errors import OutcomeUnknown
from orchestrate.model.inbox_requests import CancelRequest, InboxAnswer
from orchestrate.model.names import TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.text.terminal import escape_for_terminal

#: The service takes a cancel within a second and shows it within some more.
_TIMEOUT_SECONDS = 60.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    add_plan_and_task(parser)
    add_runtime(parser)
    parser.add_argument(
        "--timeout",
        metavar="SEC",
        type=numbers.seconds_from_zero,
        default=_TIMEOUT_SECONDS,
        help=f"how long the service may take to confirm it (default: {_TIMEOUT_SECONDS:g}); 0 does not wait",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Ask for the cancel, and wait until it is confirmed."""
    asked = asked_workspace(args.plan)
    task = asked.task(args.task)
    request = CancelRequest(new_request_id(), this_person(), task=task)
    answer = ask(asked, request, settings, reach=_service(asked, task, args, settings))
    rows = wait_until_over(asked.location.folder, [task], timeout_seconds=args.timeout)
    if rows[task].status == TaskStatus.RUNNING and args.timeout:
        raise OutcomeUnknown(
            f"the cancel of {task} was asked for; the service has not confirmed it within {args.timeout:g} s.",
            code="cancel_unconfirmed",
            hint=f"orchestrate status {asked.location.argument} shows when it is; whoever runs the plan asks again",
        )
    _tell(args, asked, rows[task], answer)
    return 0


def _service(
    asked: Asked, task: TaskName, args: argparse.Namespace, settings: Settings
) -> Callable[[], Awaitable[Service]] | None:
    """A task that does not run needs no service to be stopped."""
    row = asked.rows.get(task)
    return reach(asked, args, settings) if row is not None and row.status == TaskStatus.RUNNING else None


def _tell(args: argparse.Namespace, asked: Asked, row: TaskRow, answer: InboxAnswer) -> None:
    is_over = row.status != TaskStatus.RUNNING
    if args.json:
        fields = {**answer.details, "status": row.status, "confirmed": is_over, "engineRunning": _lives(asked)}
        output.put_json(output.success("cancel", requestId=answer.id, **fields))
        return
    output.put([escape_for_terminal(_told(row, asked))])


def _told(row: TaskRow, asked: Asked) -> str:
    match row.status:
        case TaskStatus.CANCELLED:
            return f"{row.name} is cancelled: {row.note or 'somebody asked for it'}."
        case TaskStatus.PRUNED:
            return f"{row.name} will not be launched: {row.note or 'it left the plan'}."
        case TaskStatus.RUNNING:
            return (
                f"the cancel of {row.name} was asked for; orchestrate status {asked.location.argument} shows its end."
            )
        case _:
            return f"{row.name} ended before the cancel reached it: {row.status}."


def _lives(asked: Asked) -> bool:
    return asked.holder() is not None
