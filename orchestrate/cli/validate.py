"""``orchestrate validate PLAN``: every fault of a plan at once; nothing is started and nothing is written."""

import argparse
import sys
from pathlib import Path

from orchestrate.cli import output
from orchestrate.cli.locating import locate
from orchestrate.cli.messages import count_of, fault_lines
from orchestrate.cli.settings import Settings
from orchestrate.errors import InputRefused

#: A plan of 10,000 tasks has some 5 MB; beyond this it is a mistake.
_LARGEST_PLAN = 256 * 1024 * 1024


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json, its folder, or - for stdin")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.add_argument(
        "--runtime", choices=("cloud", "local"), help="check for this runtime, whatever the plan says of it"
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Check the plan; PlanRefused carries its faults to the edge."""
    from orchestrate.model.checking import parse_plan

    is_stdin = args.plan == "-"
    path = Path("stdin") if is_stdin else locate(args.plan).path
    source = sys.stdin.buffer.read(_LARGEST_PLAN + 1) if is_stdin else read_plan_file(path)
    runtime = args.runtime or settings.runtime
    plan, warnings = parse_plan(_sized(source, path), local=None if runtime is None else runtime == "local")
    if args.json:
        told = [output.fault_document(warning) for warning in warnings]
        output.put_json(output.success("validate", plan=str(path), tasks=len(plan.tasks), faults=[], warnings=told))
        return 0
    output.say(line for warning in warnings for line in fault_lines("attention", warning, plan_path=str(path)))
    if not args.quiet:
        rest = f", {count_of(len(warnings), 'warning')}" if warnings else ""
        output.put([f"{path}: good, {count_of(len(plan.tasks), 'task')}{rest}"])
    return 0


def read_plan_file(path: Path) -> bytes:
    """The bytes of the file."""
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST_PLAN + 1)
    except OSError as error:
        reason = (error.strerror or "no reason").lower()
        raise InputRefused(f"{path} cannot be read: {reason}.", hint="name a plan.json, or its folder") from error


def _sized(source: bytes, path: Path) -> bytes:
    if len(source) > _LARGEST_PLAN:
        raise InputRefused(f"{path} is larger than {_LARGEST_PLAN // 2**20} MiB; that is no plan.")
    return source
