"""The hidden verb behind completion: names of tasks, one a line. It is light, changes nothing and never complains."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson

from orchestrate.cli import output
from orchestrate.cli.locating import PLAN, STATE, locate
from orchestrate.cli.settings import Settings
from orchestrate.errors import InputRefused
from orchestrate.model.names import is_kebab_case

#: No command line is longer.
_LONGEST_LINE = 1_000_000


def configure(parser: argparse.ArgumentParser) -> None:
    """It has no arguments: the command line so far comes from stdin, a word a line."""
    del parser


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the names of the first word that is a plan or its folder, else of the plan of the current folder."""
    del args
    words = [] if settings.streams.stdin_is_terminal else sys.stdin.read(_LONGEST_LINE).splitlines()
    for word in (*words, "."):
        names = list(dict.fromkeys(_names(word)))
        if names:
            output.put(names)
            break
    return 0


def _names(word: str) -> Iterator[str]:
    """Only what is a task's name: a shell may read these words as more than text."""
    try:
        location = locate(str(Path(word).expanduser()), needs_plan=False)
    except (InputRefused, RuntimeError):  # RuntimeError: the home of a user that there is not
        return
    for path in (location.folder / STATE, location.folder / PLAN, location.path):
        for task in _tasks(path):
            name = task.get("name") if isinstance(task, dict) else None
            if isinstance(name, str) and is_kebab_case(name):
                yield name


def _tasks(path: Path) -> list[object]:
    try:
        document = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return []
    tasks = document.get("tasks") if isinstance(document, dict) else None
    return tasks if isinstance(tasks, list) else []
