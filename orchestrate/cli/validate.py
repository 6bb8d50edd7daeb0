"""``orchestrate validate PLAN``: every fault of a plan at once; nothing is started and nothing is written."""

import argparse
import sys
from pathlib import Path

from orchestrate.cli import output
from orchestrate.cli.locating import locate
from orchestrate.cli.messages import count_of, fault_lines
from orchestrate.cli.plan_file import LARGEST_PLAN_BYTES, read_plan_file, sized
from orchestrate.cli.settings import Settings


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
    source = sized(sys.stdin.buffer.read(LARGEST_PLAN_BYTES + 1), path) if is_stdin else read_plan_file(path)
    runtime = args.runtime or settings.runtime
    plan, warnings = parse_plan(source, local=None if runtime is None else runtime == "local")
    if args.json:
        told = [output.fault_document(warning) for warning in warnings]
        output.put_json(output.success("validate", plan=str(path), tasks=len(plan.tasks), faults=[], warnings=told))
        return 0
    output.say(line for warning in warnings for line in fault_lines("attention", warning, plan_path=str(path)))
    if not args.quiet:
        rest = f", {count_of(len(warnings), 'warning')}" if warnings else ""
        output.put([f"{path}: good, {count_of(len(plan.tasks), 'task')}{rest}"])
    return 0
