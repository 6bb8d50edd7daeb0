"""A fault: one thing that is wrong with what the user gave, and where."""

import json
import re
from dataclasses import dataclass

#: Keys and indices from the top of the document down to a value: ``("tasks", 3, "dependsOn", 0)``.
Location = tuple[str | int, ...]

#: Longest piece of the user's own text that a message repeats.
_QUOTED_LENGTH = 80
_PLAIN_KEY = re.compile(r"[$A-Za-z_][\w$-]*\Z", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing that is wrong; ``path`` is like ``tasks[3].dependsOn[0]``, empty for the file as a whole."""

    path: str
    #: What is wrong and, where it is known, what to write instead.
    message: str
    #: Line in the file, from 1; None when the plan did not come from text.
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault before its place is put into words; ``offset`` is known where there is no value to point at."""

    location: Location
    message: str
    offset: int | None = None


def path_of(location: Location) -> str:
    """The location as people write it: ``tasks[3].dependsOn[0]``."""
    path = ""
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
        elif _PLAIN_KEY.match(step) and len(step) <= _QUOTED_LENGTH:
            path += f".{step}" if path else step
        else:
            path += f"[{quoted(step)}]"
    return path


def quoted(text: str) -> str:
    """The user's text inside a message: in quotes, cut, and free of anything that a terminal would act on."""
    shown = text if len(text) <= _QUOTED_LENGTH else text[:_QUOTED_LENGTH] + "…"
    printable = "".join(letter if letter.isprintable() else _escaped(letter) for letter in shown)
    return f'"{printable}"'


def _escaped(letter: str) -> str:
    return json.dumps(letter)[1:-1]
