"""``orchestrate parse-handoff FILE``: how a handoff would be read, before it is sent."""

import argparse
import sys
from pathlib import Path

from orchestrate.cli import output
from orchestrate.cli.screens.handoff_reading import reading_document, reading_lines
from orchestrate.cli.settings import Settings
from orchestrate.errors import InputRefused
from orchestrate.model.vocabulary import TaskType
from orchestrate.text.terminal import escape_for_terminal

#: No message is as long.
LARGEST_BYTES = 64 * 1024 * 1024


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("file", metavar="FILE", help="the message, in markdown; - for stdin")
    parser.add_argument(
        "--type",
        dest="task_type",
        choices=[str(each) for each in TaskType],
        default=str(TaskType.WORKER),
        help="type of the task that it is of (%(default)s)",
    )
    parser.add_argument(
        "--repo-url", metavar="URL", help="the plan's repository: links into others name no branch or pull request"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Read it as the engine does and show every value and note; that it is odd is no failure."""
    from orchestrate.text.handoffs import parse_handoff

    text = _bytes_of(args.file).decode(errors="replace")
    found = parse_handoff(text, task_type=args.task_type, repo_url=args.repo_url)
    if args.json:
        output.put_json(output.success("parse-handoff", type=args.task_type, **reading_document(found)))
        return 0
    lines = reading_lines(found, task_type=args.task_type)
    output.put([escape_for_terminal(line) for line in lines] if settings.streams.stdout_is_terminal else lines)
    return 0


def _bytes_of(name: str) -> bytes:
    if name == "-":
        return _sized(sys.stdin.buffer.read(LARGEST_BYTES + 1), "stdin")
    path = Path(name)
    try:
        if not path.is_file():
            what = "it is no file" if path.exists() else "there is no such file"
            raise InputRefused(f"{name} cannot be read: {what}.", hint="name the file of the message, or - for stdin")
        with path.open("rb") as file:
            return _sized(file.read(LARGEST_BYTES + 1), name)
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or error).lower()
        raise InputRefused(
            f"{name} cannot be read: {reason}.", hint="name the file of the message, or - for stdin"
        ) from error


def _sized(data: bytes, name: str) -> bytes:
    if len(data) > LARGEST_BYTES:
        raise InputRefused(f"{name} is larger than {LARGEST_BYTES // 2**20} MiB; that is no handoff.")
    return data
