"""The prompt of a delegation: given as it is, in a file, or on stdin."""

import argparse
from pathlib import Path

from orchestrate.cli.delegation.input_checks import read_prompt
from orchestrate.cli.usage import UsageRefused
from orchestrate.model.vocabulary import RuntimeKind

_STDIN = "-"


def add_prompt(parser: argparse.ArgumentParser) -> None:
    """``--prompt``, ``--prompt-file`` and ``-``."""
    parser.add_argument("--prompt", metavar="TEXT", help="what the agent is told")
    parser.add_argument("--prompt-file", metavar="FILE", help="the same, from a file")
    parser.add_argument("stdin", metavar="-", nargs="?", help="the same, from stdin")


def require_one_prompt(args: argparse.Namespace) -> None:
    """A command line that gives no prompt, or two, cannot be read."""
    if args.stdin not in (None, _STDIN):
        raise UsageRefused(f"unknown argument: {args.stdin}. Nothing was sent.")
    given = [args.prompt is not None, args.prompt_file is not None, args.stdin is not None]
    if sum(given) != 1:
        raise UsageRefused("give one of --prompt, --prompt-file and -. Nothing was sent.")


def prompt_of(args: argparse.Namespace, *, kind: RuntimeKind) -> str:
    """The prompt, from where it is."""
    file = args.prompt_file if args.prompt_file != _STDIN else None
    return read_prompt(text=args.prompt, file=None if file is None else Path(file), kind=kind)
