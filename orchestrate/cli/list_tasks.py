"""``orchestrate list PLAN``: a line a task, all of them or those that stand in a certain way."""

import argparse

from orchestrate.cli import output
from orchestrate.cli.locating import locate
from orchestrate.cli.picture import Picture, picture_of
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.screens.task_list import ListView, known_types, known_words, list_screen, matches
from orchestrate.cli.settings import Settings
from orchestrate.cli.terminal import stdout_look
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.system import SystemClock


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument(
        "--status",
        metavar="S",
        nargs="+",
        action="extend",
        type=_status,
        default=[],
        help=f"only tasks that stand so: {', '.join(known_words())}",
    )
    parser.add_argument(
        "--type", metavar="T", nargs="+", action="extend", choices=known_types(), default=[], help=_type_help()
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the tasks; exit code 0 however many there are."""
    picture = picture_of(locate(args.plan, needs_plan=False), now=SystemClock().now())
    rows = _chosen(picture, statuses=args.status, types=args.type)
    if args.json:
        tasks = [picture.task_object(row) for row in rows]
        output.put_json(output.success("list", **picture.heading(), tasks=tasks))
        return 0
    look = stdout_look(settings, args, argument=picture.location.argument)
    view = ListView(
        slug=picture.slug,
        tally=picture.tally,
        rows=rows,
        standing=picture.standing,
        now=picture.now,
        no_branches=picture.no_branches,
        asked=", ".join([*args.status, *args.type]),
    )
    output.put(rendered(list_screen(view, look), look))
    return 0


def _chosen(picture: Picture, *, statuses: list[str], types: list[str]) -> list[TaskRow]:
    """The rows that were asked for; pruned ones by name only."""
    rows = list(picture.rows)
    if TaskStatus.PRUNED.value in statuses:
        rows += [row for row in picture.loaded.rows.values() if row.status == TaskStatus.PRUNED]
    if types:
        rows = [row for row in rows if row.type.value in types]
    if statuses:
        rows = [row for row in rows if matches(row, picture.standing(row), statuses)]
    return rows


def _status(text: str) -> str:
    if text in known_words():
        return text
    from orchestrate.model.nearest import Nearest

    nearest = Nearest(known_words()).to(text)
    meant = f"; write {nearest}" if nearest is not None else f"; there is {', '.join(known_words())}"
    raise argparse.ArgumentTypeError(f'"{text}" is no status{meant}')


def _type_help() -> str:
    return f"only tasks of this type: {', '.join(known_types())}"
