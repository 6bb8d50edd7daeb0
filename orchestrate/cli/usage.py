"""Command lines that cannot be read: argparse's refusals in our words, with the nearest of what there is."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from orchestrate.errors import InputRefused

if TYPE_CHECKING:
    from orchestrate.model.nearest import Nearest

_UNKNOWN = "unrecognized arguments: "
_MISSING = "the following arguments are required: "
_SUBJECT = "argument "
_NEEDS = {"expected one argument": "needs a value", "expected at least one argument": "needs at least one value"}

#: What other tools call it, and which verb it is here.
_ELSEWHERE = {
    "abort": "kill",
    "add": "spawn",
    "check": "validate",
    "clean": "reset",
    "continue": "run",
    "create": "init",
    "down": "kill",
    "log": "story",
    "logs": "story",
    "lint": "validate",
    "new": "init",
    "pause": "andon",
    "ps": "list",
    "ls": "list",
    "restart": "retry",
    "resume": "run",
    "rm": "reset",
    "show": "status",
    "start": "run",
    "stop": "kill",
    "up": "run",
}


class UsageRefused(InputRefused):
    """The command line could not be read."""

    def __init__(self, message: str, *, hint: str | None = None, known: Iterable[str] = (), missing: str = "") -> None:
        super().__init__(message, hint=hint, known=tuple(known))
        #: The arguments that are not there, as the usage names them.
        self.missing = tuple(missing.split(", ")) if missing else ()


def refused_line(message: str, *, program: str, options: Iterable[str]) -> UsageRefused:
    """The refusal that argparse worded so; ``options`` are those that the verb has."""
    missing = message.removeprefix(_MISSING) if message.startswith(_MISSING) else ""
    told = f"{_in_our_words(message, options)}. Nothing was done."
    return UsageRefused(told.replace("?. ", "? "), hint=f"{program} --help", missing=missing)


def not_a_choice(given: object, choices: Iterable[object]) -> str:
    """``must be cloud or local, not "clod"; did you mean "cloud"?``."""
    from orchestrate.model.faults import quoted

    words = [str(choice) for choice in choices]
    listed = " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
    return f"must be {listed}, not {quoted(str(given))}{_nearest(words).question(str(given))}"


def verb_meant(word: str, verbs: Iterable[str]) -> str | None:
    """The verb that somebody means who typed this word: by what other tools call it, else by its letters."""
    known = list(verbs)
    elsewhere = _ELSEWHERE.get(word.strip().casefold())
    return elsewhere if elsewhere in known else _nearest(known).to(word)


def _in_our_words(message: str, options: Iterable[str]) -> str:
    if message.startswith(_UNKNOWN):
        return _unknown(message.removeprefix(_UNKNOWN), options)
    if message.startswith(_MISSING):
        return f"missing: {message.removeprefix(_MISSING)}"
    subject, colon, words = message.removeprefix(_SUBJECT).partition(": ")
    return f"{subject}{colon}{_NEEDS.get(words, words)}"


def _unknown(words: str, options: Iterable[str]) -> str:
    from orchestrate.model.faults import quoted

    first = words.partition(" ")[0].partition("=")[0]
    alike = (option for option in options if option[:3] == first[:3])
    near = _nearest(alike).question(first) if first.startswith("--") else ""
    return f"unknown option or argument {quoted(words)}{near}"


def _nearest(words: Iterable[str]) -> "Nearest":
    from orchestrate.model.nearest import Nearest

    return Nearest(words)
