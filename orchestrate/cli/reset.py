"""``orchestrate reset PLAN``: the next run begins anew; what former runs have left is moved aside, never deleted."""

import argparse
from collections.abc import Sequence

from orchestrate.cli import output
from orchestrate.cli.confirming import require_confirmation
from orchestrate.cli.locating import PlanLocation, locate
from orchestrate.cli.messages import count_of, listed
from orchestrate.cli.settings import Settings
from orchestrate.cli.wiring import new_engine_id
from orchestrate.errors import InputRefused, Refused, WorkspaceDamaged
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.store.former import left_by_runs, move_to_former
from orchestrate.store.loading import read_workspace, workspace_folder
from orchestrate.store.lock import living_holder
from orchestrate.system import SystemClock

_NOT_DONE = "Nothing was moved."
#: Agents that a refusal names.
_NAMED = 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument("--force", action="store_true", help="also while agents may run: nobody will know of them")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Move everything that runs have left to ``former/``."""
    location = locate(args.plan, needs_plan=False)
    _require_no_engine(location)
    names = left_by_runs(location.folder)
    if names and not args.force:
        _require_no_agents(location)
    if not names or args.dry_run:
        _tell(args, names, where=None)
        return 0
    question = f"Move {', '.join(names)} of {location.argument} to former/?"
    require_confirmation(question, args, settings, not_done=_NOT_DONE)
    where, moved = move_to_former(location.folder, holder=new_engine_id(), now=SystemClock().now())
    _tell(args, moved, where=where)
    return 0


def _require_no_engine(location: PlanLocation) -> None:
    holder = living_holder(workspace_folder(location.folder), now=SystemClock().now())
    if holder is not None:
        raise InputRefused(
            f"an engine runs this workspace ({holder.described()}). {_NOT_DONE}",
            hint="stop it with Ctrl-C first, then type the same command again",
        )


def _require_no_agents(location: PlanLocation) -> None:
    """Refuse where agents may run: after a reset nobody would ever look for them."""
    try:
        rows = read_workspace(location.folder).rows.values()
    except WorkspaceDamaged as error:
        raise Refused(
            f"nobody can tell whether agents run: {error.message}. {_NOT_DONE}",
            code="workspace_damaged",
            hint="add --force if you know that none does",
        ) from error
    running = [row for row in rows if row.status == TaskStatus.RUNNING]
    if running:
        names = listed([row.name for row in running], at_most=_NAMED)
        refusal = Refused(
            f"{count_of(len(running), 'agent')} may run still: {names}. {_NOT_DONE}",
            code="agents_may_run",
            hint=f"orchestrate run {location.argument} to take them up, or add --force",
        )
        refusal.known = tuple(map(_agent, running[:_NAMED]))
        raise refusal


def _agent(row: TaskRow) -> str:
    agent = row.agent_id or (row.launch.agent_id if row.launch else "no id known")
    return f"{row.name}: {agent} {row.url or ''}".rstrip()


def _tell(args: argparse.Namespace, names: Sequence[str], *, where: str | None) -> None:
    if args.json:
        fields = {} if where is None else {"movedTo": where}
        output.put_json(output.success("reset", moved=list(names), dryRun=bool(args.dry_run), **fields))
    elif not names:
        output.put(["there is nothing to move: no run has left anything here."])
    elif where is None:
        output.put([f"would be moved to former/: {', '.join(names)}"])
    else:
        output.put([f"moved to {where}: {', '.join(names)}", "the next run begins anew."])
