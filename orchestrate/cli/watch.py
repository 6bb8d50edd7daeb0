"""``orchestrate watch PLAN``: follow a run of another process; reads files only, takes no lock and changes nothing."""

import argparse

from orchestrate.cli import output
from orchestrate.cli.locating import locate
from orchestrate.cli.picture import Picture, picture_of
from orchestrate.cli.run_standing import EXIT_CHECKPOINT, EXIT_PLANNERS_TURN, exit_code_of
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.screens.status import status_screen
from orchestrate.cli.settings import Settings
from orchestrate.cli.status import status_object, status_view
from orchestrate.cli.terminal import stdout_look
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.system import SystemClock


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
    is_awaited = args.until_done and exit_code_of(picture) == EXIT_CHECKPOINT
    if picture.holder is None and not is_awaited and not args.json_lines:
        return _told(picture, args, settings)
    from orchestrate.cli.watching import watched

    after = watched(picture, args, settings, clock=clock)
    exit_code = exit_code_of(after)
    is_summed_up = args.json_lines or (exit_code != EXIT_CHECKPOINT and not args.json)
    return exit_code if is_summed_up else _told(after, args, settings)


def _told(picture: Picture, args: argparse.Namespace, settings: Settings) -> int:
    """The state on stdout; answers the exit code."""
    exit_code = exit_code_of(picture)
    if args.json:
        output.put_json(_object(picture, exit_code))
    else:
        look = stdout_look(settings, args, argument=picture.location.argument, remote=picture.remote)
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
