"""``orchestrate kill PLAN [TASK]``: stop a run for good, or one task with everything below it, and prove it."""

import argparse
from collections.abc import Awaitable, Callable
from functools import partial

from orchestrate.cli.asking import Asked, add_runtime, asked_workspace, place_of, reach
from orchestrate.cli.kill_census import Target
from orchestrate.cli.killing import kill
from orchestrate.cli.requesting import new_request_id, sent, this_person
from orchestrate.cli.settings import Settings
from orchestrate.cli.wiring import Service
from orchestrate.core.lineage import Roots, agent_of
from orchestrate.model.inbox_requests import CancelRequest
from orchestrate.model.names import TaskName
from orchestrate.model.stops import StopScope
from orchestrate.store.loading import read_workspace
from orchestrate.system import SystemClock, run_event_loop


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", help="plan.json or its folder; . where the folder has one plan")
    parser.add_argument("task", metavar="TASK", nargs="?", help="only this task, with what its agent has launched")
    parser.add_argument("--no-cascade", action="store_true", help="leave alone what these agents have launched")
    add_runtime(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """List the victims, ask, end them and prove it."""
    asked = asked_workspace(args.plan)
    task = None if args.task is None else asked.task(args.task)
    reached = reach(asked, args, settings)
    target = whole_target(asked, cascade=not args.no_cascade)
    if task is not None:
        target = _task_target(asked, task, args, settings, reached)
    return run_event_loop(partial(kill, target, reached, settings, args, operation="kill"))


def whole_target(asked: Asked, *, cascade: bool = True) -> Target:
    """Everything that this workspace has launched and, unless that is to be left alone, what those have."""
    workspace = read_workspace(asked.location.folder).workspace
    agents = frozenset(agent for row in asked.rows.values() if (agent := agent_of(row)) is not None)
    return Target(
        title=asked.plan.root_slug,
        roots=Roots(frozenset() if workspace is None else frozenset({workspace.workspace_id}), agents),
        folder=asked.location.folder,
        has_descendants=cascade,
        scope=StopScope.TREE if cascade else StopScope.WORKSPACE,
    )


def _task_target(
    asked: Asked,
    task: TaskName,
    args: argparse.Namespace,
    settings: Settings,
    reached: Callable[[], Awaitable[Service]],
) -> Target:
    """One task; its planner, if it is one, with all that is below it."""
    row = asked.rows.get(task)
    agent = None if row is None else agent_of(row)
    request = CancelRequest(new_request_id(), this_person(), task=task)
    place = place_of(asked, settings, reach=reached)
    return Target(
        title=f"{task} of {asked.plan.root_slug}",
        roots=Roots(agents=frozenset() if agent is None else frozenset({agent})),
        folder=asked.location.folder,
        below=task,
        has_descendants=not args.no_cascade,
        ask_first=partial(sent, place, request, clock=SystemClock()),
    )
