"""Asking a person before something that is not undone with one command."""

import argparse
import sys

from orchestrate.cli.settings import Settings
from orchestrate.errors import OrchestrateError


class NotConfirmed(OrchestrateError):
    """Nobody said yes."""


def require_confirmation(question: str, args: argparse.Namespace, settings: Settings, *, not_done: str) -> None:
    """Go on after a yes, or with ``--yes``; without a terminal there is nobody to ask."""
    if args.yes:
        return
    if not is_somebody_there(settings):
        raise NotConfirmed(f"there is no terminal to ask at. {not_done}", hint="add --yes")
    ask(question, not_done=not_done)


def is_somebody_there(settings: Settings) -> bool:
    """Whether a person reads the question and can answer it."""
    return settings.streams.stdin_is_terminal and settings.streams.stderr_is_terminal


def ask(question: str, *, not_done: str) -> None:
    """Go on after a yes only."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    typed = sys.stdin.readline()
    if not typed.endswith("\n"):  # the end of the input: what is said next has a line of its own
        sys.stderr.write("\n")
    if typed.strip().lower() not in ("y", "yes"):
        raise NotConfirmed(f"not confirmed. {not_done}", hint="answer y, or add --yes")
