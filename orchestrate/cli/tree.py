"""``orchestrate tree PLAN``: who launched whom, down through the workspaces of subplanners that lie on this machine."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrate.cli import output
from orchestrate.cli.locating import CUSTOM, PLAN, STATE, PlanLocation, locate
from orchestrate.cli.picture import Picture, picture_of
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.screens.tree import Branch, TreeView, tree_screen
from orchestrate.cli.settings import Settings
from orchestrate.cli.terminal import stdout_look
from orchestrate.errors import OrchestrateError
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskType
from orchestrate.system import SystemClock

#: Planners below planners that are opened; more are a loop, or nobody's plan.
_DEEPEST = 16


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument("--all", action="store_true", help="every task, also those that are done or only wait")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the tree; exit code 0 whatever it shows."""
    location = locate(args.plan, needs_plan=False)
    grown = grown_tree(location, now=SystemClock().now())
    if args.json:
        output.put_json(output.success("tree", **_object(grown)))
        return 0
    look = stdout_look(settings, args, argument=location.argument)
    output.put(rendered(tree_screen(_view(grown), look, is_whole=args.all), look))
    return 0


@dataclass(frozen=True, slots=True)
class Grown:
    """A workspace and those of its subplanners."""

    picture: Picture
    children: dict[str, "Grown"]
    #: Why a subplanner's workspace that lies here is not opened, by task.
    closed: dict[str, str]


def grown_tree(location: PlanLocation, *, now: float) -> Grown:
    """The tree from this workspace down; each workspace is opened once."""
    return _opened(picture_of(location, now=now), seen={location.folder.resolve()}, depth=0)


def _opened(picture: Picture, *, seen: set[Path], depth: int) -> Grown:
    grown = Grown(picture, {}, {})
    for row in picture.rows if depth < _DEEPEST else ():
        folder = _child_folder(picture.location.folder, row) if row.type == TaskType.SUBPLANNER else None
        if folder is None or folder.resolve() in seen:
            continue
        seen.add(folder.resolve())
        try:
            child = picture_of(PlanLocation(folder / PLAN, folder, str(folder)), now=picture.now)
        except OrchestrateError as error:
            grown.closed[row.name] = f"its workspace cannot be read: {error.message}"
            continue
        if _is_of_another(child, row):
            grown.closed[row.name] = "the workspace of its name is of another agent"
            continue
        grown.children[row.name] = _opened(child, seen=seen, depth=depth + 1)
    return grown


def _child_folder(folder: Path, row: TaskRow) -> Path | None:
    """The subplanner's workspace, below its planner's or beside it."""
    places = [folder / CUSTOM / row.name]
    if folder.resolve().parent.name == CUSTOM:
        places.append(folder.resolve().parent / row.name)
    return next((place for place in places if (place / STATE).is_file()), None)


def _is_of_another(child: Picture, row: TaskRow) -> bool:
    """True if the workspace's agents were launched by somebody else than this row's agent."""
    parents = {each.parent_agent_id for each in child.rows if each.parent_agent_id is not None}
    return row.agent_id is not None and bool(parents) and row.agent_id not in parents


def _view(grown: Grown) -> TreeView:
    picture = grown.picture
    return TreeView(
        slug=picture.slug,
        tally=picture.tally,
        now=picture.now,
        elapsed_seconds=picture.elapsed_seconds,
        engine=None if picture.holder is None else f"pid {picture.holder.pid}",
        is_new=picture.is_new,
        last_record=picture.last_record,
        branches=tuple(_branches(grown)),
    )


def _branches(grown: Grown) -> Iterator[Branch]:
    for row in grown.picture.rows:
        child = grown.children.get(row.name)
        yield Branch(
            row,
            grown.picture.standing(row),
            below=None if child is None else _view(child),
            remark=grown.closed.get(row.name),
        )


def _object(grown: Grown) -> dict[str, object]:
    """The answer to ``--json``: each workspace with its tasks, a subplanner's below its task."""
    tasks: list[dict[str, object]] = []
    for row in grown.picture.rows:
        task = grown.picture.task_object(row)
        if row.name in grown.children:
            child = grown.children[row.name]
            task["workspace"] = {"folder": str(child.picture.location.folder), **_object(child)}
        tasks.append(task)
    return {**grown.picture.heading(), "tasks": tasks}
