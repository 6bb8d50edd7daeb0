"""Showing a run while it goes on: permanent lines and a live block at a terminal, plain lines everywhere else.

A surface never raises and never waits: ``publish`` takes in the changed rows and queues lines, ``keep_drawing`` writes
them from a thread of its own, so that a terminal that was stopped with Ctrl-S stops nothing else.
"""

import shlex
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TextIO

from orchestrate.cli.locating import PlanLocation, locate
from orchestrate.cli.plain_surface import PlainSurface
from orchestrate.cli.settings import Settings
from orchestrate.cli.terminal import capabilities_of, size_of
from orchestrate.cli.terminal_surface import TerminalSurface
from orchestrate.core.state import State
from orchestrate.errors import InputRefused
from orchestrate.model.names import TaskName
from orchestrate.model.plan import Plan
from orchestrate.ports import Clock, Publication
from orchestrate.repo.address import fetched_from

__all__ = ["PlainSurface", "ShownSurface", "TerminalSurface", "make_surface"]


class ShownSurface(Protocol):
    """A surface that draws itself beside the run and sums the run up at its end."""

    def publish(self, publication: Publication) -> None:
        """Show what is true from now on."""
        ...

    def saw_activity(self, task: TaskName, doing: str | None) -> None:
        """Show that an agent does something."""
        ...

    def say(self, message: str) -> None:
        """Print a note that stays."""
        ...

    async def keep_drawing(self) -> None:
        """Write what is new until cancelled."""
        ...

    def finish(self, state: State, exit_code: int) -> None:
        """Print the summary in the place of everything that moves."""
        ...

    def close(self) -> None:
        """Take the live block away, where a run ends without a summary."""
        ...


def make_surface(
    settings: Settings,
    args: Namespace,
    *,
    plan: Plan,
    clock: Clock,
    stream: TextIO | None = None,
    is_onlooker: bool = False,
) -> ShownSurface:
    """The surface for this reader, on stderr unless told otherwise: data alone goes to stdout."""
    target = sys.stderr if stream is None else stream
    is_terminal = settings.streams.stderr_is_terminal
    capabilities = capabilities_of(settings, args, is_terminal=is_terminal)
    columns, rows = size_of(2, settings, is_terminal=is_terminal)
    location = _location(args)
    look = capabilities.look(
        columns=columns,
        rows=rows,
        program=settings.program,
        argument="." if location is None else location.argument,
        remote=fetched_from(plan.repo_url, folder=Path() if location is None else location.folder),
    )
    look = replace(look, run_options=run_options_of(args))
    if not capabilities.is_live:
        return PlainSurface(target, plan=plan, clock=clock, look=look, is_quiet=bool(args.quiet))
    return TerminalSurface(
        target,
        plan=plan,
        clock=clock,
        look=look,
        capabilities=capabilities,
        size=lambda: size_of(2, settings, is_terminal=True),
        is_quiet=bool(args.quiet),
        has_bell=not getattr(args, "no_notify", False),
        is_onlooker=is_onlooker,
    )


def run_options_of(args: Namespace) -> tuple[str, ...]:
    """The options without which the same command would not go on with this run, as they are typed."""
    named = (
        ("--runtime", getattr(args, "runtime", None)),
        ("--agent-command", getattr(args, "agent_command", None)),
        ("--templates", getattr(args, "templates", None)),
    )
    return tuple(word for name, value in named if value is not None for word in (name, shlex.quote(str(value))))


def _location(args: Namespace) -> PlanLocation | None:
    """Where the plan is, if it is there still."""
    plan = getattr(args, "plan", None)
    try:
        return locate(None if plan is None else str(plan), needs_plan=False)
    except InputRefused:
        return None
