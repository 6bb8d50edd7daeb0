"""``orchestrate quickstart``: make a small project with a bug, have four agents mend and extend it, show what to type next."""

import argparse
import os
import shlex
import sys
from pathlib import Path

from orchestrate.cli.example import DEFAULT_FOLDER, fresh_folder, make_example, named_folder, require_git
from orchestrate.cli.output import put, say
from orchestrate.cli.settings import Settings
from orchestrate.system import run_in_foreground

_VERIFIER = "verify-basket"


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument(
        "--dir",
        metavar="DIR",
        type=Path,
        help=f"folder for the project, new or empty (default: a new ./{DEFAULT_FOLDER})",
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Make the project and run its plan as a user would; the answer is the run's exit code."""
    require_git(settings.environ)
    current = Path.cwd()
    folder = fresh_folder(current) if args.dir is None else named_folder(current / args.dir)
    project = make_example(folder, python=sys.executable, environment=settings.environ)
    command = [*_run_command(project), *_options_of(args)]
    if not args.quiet:
        say(_opening(folder, command))
    status = run_in_foreground(command)
    put(_closing(settings.program, project, command, status=status))
    return status


def _opening(folder: Path, command: list[str]) -> list[str]:
    return [
        f"A small project with a bug is in {_shortest(folder)}. Two agents work on it side by side, a third merges,",
        "a fourth runs the tests. They are a script, no model: no key and no network is needed.",
        "",
        f"$ {shlex.join(command)}",
        "",
    ]


def _closing(program: str, project: Path, command: list[str], *, status: int) -> list[str]:
    """What to type next; after a run that did not finish, how to go on with it."""
    place = shlex.quote(_shortest(project))
    look = f"  look   {program} status {place}"
    if status != 0:
        return ["", look, f"  go on  {shlex.join(command)}"]
    read = f"  read   {program} handoff {place} {_VERIFIER}"
    return [
        "",
        look,
        read,
        '  yours  orchestrate init --goal "..."; README.md, "On your repository", goes on from there',
    ]


def _run_command(project: Path) -> list[str]:
    """The command with the Python that runs this; ``--yes`` because calling the quickstart is the order."""
    python, plan = _shortest(Path(sys.executable)), _shortest(project)
    return [python, "-m", "orchestrate", "run", plan, "--runtime", "local", "--yes"]


def _options_of(args: argparse.Namespace) -> list[str]:
    """The options that every verb has, for the run as they were given here."""
    flags = [flag for flag, is_given in (("--quiet", args.quiet), ("--plain", args.plain)) if is_given]
    color = [] if args.color == "auto" else ["--color", args.color]
    env_file = [] if args.env_file is None else ["--env-file", str(args.env_file)]
    return [*flags, *color, *env_file, *(["--verbose"] * args.verbose)]


def _shortest(path: Path) -> str:
    """The path as it is best typed from the current folder; never one that reads as an option or a name on the PATH."""
    relative = os.path.relpath(path)
    if os.sep not in relative or relative.startswith("-"):
        relative = os.path.join(os.curdir, relative)  # noqa: PTH118  pathlib would take the dot away again
    return min(relative, str(path), key=len)
