"""Names of tasks, read lightly and without complaint: for the hidden verb behind completion, and for who names none."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson

from orchestrate.cli import output
from orchestrate.cli.locating import PLAN, STATE, locate
from orchestrate.cli.messages import listed
from orchestrate.cli.settings import Settings
from orchestrate.cli.usage import UsageRefused
from orchestrate.errors import InputRefused
from orchestrate.model.names import is_kebab_case

#: No command line is longer.
_LONGEST_LINE = 1_000_000
#: How many tasks a message names.
_NAMED = 12


def configure(parser: argparse.ArgumentParser) -> None:
    """It has no arguments: the command line so far comes from stdin, a word a line."""
    del parser


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the names of the first word that is a plan or its folder, else of the plan of the current folder."""
    del args
    words = [] if settings.streams.stdin_is_terminal else sys.stdin.read(_LONGEST_LINE).splitlines()
    names = _names_of_first((*words, "."))
    if names:
        output.put(names)
    return 0


def with_task_names(refusal: UsageRefused, *, words: Sequence[str]) -> UsageRefused:
    """The refusal of a line without its TASK, with the tasks of the plan that the line names."""
    names = _names_of_first([word for word in words if not word.startswith("-")] or ["."])
    known = [f"tasks: {listed(names, at_most=_NAMED)}"] if names else []
    return UsageRefused(refusal.message, hint=refusal.hint, known=known)


def _names_of_first(words: Sequence[str]) -> list[str]:
    """The tasks of the first word that is a plan or its folder."""
    for word in words:
        names = list(dict.fromkeys(_names(word)))
        if names:
            return names
    return []


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
