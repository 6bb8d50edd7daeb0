"""Text of others inside markdown of ours: fenced or quoted so that nothing in it can end its block."""

import re

_BACKTICKS = re.compile(r"`+")
_SHORTEST_FENCE = 3


def fence(text: str) -> str:
    """A code block whose fence is longer than any run of backticks inside."""
    bar = "`" * max(_SHORTEST_FENCE, _longest_run(text) + 1)
    body = text if text.endswith("\n") or not text else f"{text}\n"
    return f"{bar}text\n{body}{bar}"


def code(text: str) -> str:
    """A code span in one line, for names, refs and commands."""
    line = " ".join(text.split())
    bar = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{bar}{pad}{line}{pad}{bar}"


def item(text: str) -> str:
    """The body of a list item: later lines are indented, so that the list goes on behind it."""
    return "\n  ".join(text.strip().splitlines())


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)
