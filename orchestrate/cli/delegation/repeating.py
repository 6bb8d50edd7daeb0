"""A command line as it can be typed again: with its key, so that nothing is done twice, and with a yes."""

import argparse
import shlex
from collections.abc import Iterable

from orchestrate.cli.confirming import NotConfirmed, is_somebody_there
from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.contract import confirm
from orchestrate.cli.delegation.refusals import DelegationRefused
from orchestrate.cli.settings import Settings

#: A longer command line is not repeated in an answer.
_LONGEST_LINE = 2000


def confirm_or_tell(
    args: argparse.Namespace,
    settings: Settings,
    question: str,
    *,
    again: str | None,
    not_done: str = "Nothing was changed.",
) -> None:
    """Go on after a yes; the refusal has the command that says it."""
    try:
        confirm(question, args, is_somebody_there=is_somebody_there(settings), not_done=not_done)
    except NotConfirmed as error:
        hint = None if again is None else f"Type `{again} --yes`."
        raise DelegationRefused(Code.CONFIRMATION_REQUIRED, error.message, hint=hint) from error


def typed_again(
    verb: str, args: argparse.Namespace, *, options: Iterable[str], flags: Iterable[str] = ()
) -> str | None:
    """The command with these of its options; None where it is too long for a line, or cannot stand in one."""
    if getattr(args, "stdin", None) is not None:
        return None
    words = ["orchestrate", verb]
    for option in options:
        value = getattr(args, option.replace("-", "_"))
        words += [] if value is None else [_joined(option, str(value))]
    words += [f"--{flag}" for flag in flags if getattr(args, flag.replace("-", "_"))]
    line = shlex.join(words)
    return line if len(line) <= _LONGEST_LINE and "`" not in line and line.isprintable() else None


def _joined(option: str, value: str) -> str:
    """``--prompt=TEXT``, which may begin with a hyphen."""
    return f"--{option}={value}"
