"""``orchestrate schema plan|state``: the JSON schema of a file, for editors and programs."""

import argparse
import json
from pathlib import Path

from orchestrate.cli import output
from orchestrate.cli.settings import Settings
from orchestrate.errors import InputRefused


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("which", choices=("plan", "state"), help="plan.json, or state.json")
    parser.add_argument("--out", metavar="FILE", type=Path, help="write it there; a file of that name is replaced")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the schema, or write it."""
    del settings  # nothing of the surroundings has a say in a schema
    text = json.dumps(_schema(args.which), indent=2, ensure_ascii=False) + "\n"
    if args.out is None:
        output.put_bytes(text.encode())
        return 0
    if args.dry_run:
        output.say([f"{args.out} would be written, {len(text.encode())} bytes"])
        return 0
    try:
        args.out.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or "no reason").lower()
        raise InputRefused(f"{args.out} cannot be written: {reason}.", hint="name another file") from error
    if not args.quiet:
        output.say([f"{args.out} written"])
    return 0


def _schema(which: str) -> dict[str, object]:
    if which == "plan":
        from orchestrate.model.schema import plan_schema

        return plan_schema()
    from orchestrate.model.state_schema import state_schema

    return state_schema()
