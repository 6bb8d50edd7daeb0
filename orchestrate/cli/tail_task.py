"""``orchestrate tail PLAN TASK``: follow what an agent says and does until its run is over; reads only."""

import argparse
import sys
from functools import partial

import anyio

from orchestrate.cli import output
from orchestrate.cli.agent_stream import (
    Kind,
    Said,
    Target,
    follow,
    lines_for,
    service_of_target,
    target_of,
    warn_people,
)
from orchestrate.cli.asking import add_plan_and_task, add_runtime
from orchestrate.cli.settings import Settings
from orchestrate.model.timestamps import to_timestamp
from orchestrate.system import SystemClock

_PREFIXES = {Kind.TOOL: "> ", Kind.TEXT: "", Kind.THINKING: "# "}


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    add_plan_and_task(parser)
    add_runtime(parser)
    parser.add_argument("--json-lines", action="store_true", help="one JSON object a line on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print each line at once; the exit code is 0 however the run ends."""
    target = target_of(args)
    if target.is_over:
        _end(target.row.result_status or str(target.row.status), target.over_words, args)
    else:
        status = anyio.run(partial(_follow, target, args, settings))
        plan, name = target.asked.location.argument, target.row.name
        _end(status, f"the run is over: {status}. Read: orchestrate handoff {plan} {name}", args)
    return 0


async def _follow(target: Target, args: argparse.Namespace, settings: Settings) -> str:
    service = await service_of_target(target, args, settings)
    async with service.client() as client:
        tell = _tell_object if args.json_lines else _tell
        lines = lines_for(service, settings)
        run = await follow(client, target, lines=lines, tell=tell, clock=SystemClock(), warn=warn_people)
    return run.status.value.lower()


def _tell(said: Said) -> None:
    output.put([f"{_PREFIXES[said.kind]}{said.words}"])
    sys.stdout.flush()


def _tell_object(said: Said) -> None:
    _put(said.kind.value, text=said.words)


def _end(status: str, words: str, args: argparse.Namespace) -> None:
    if args.json_lines:
        _put("end", status=status, message=words)
    else:
        output.put([words])


def _put(event: str, **fields: object) -> None:
    output.put_json({"event": event, "at": to_timestamp(SystemClock().now()), **fields})
    sys.stdout.flush()
