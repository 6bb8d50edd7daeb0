r"""The runner for tests of real work: a process, a clone and git like any agent's, but what it does is written down.

The script is a JSON list of steps, in the prompt anywhere behind ``scripted-runner:``, or else in the file that
``localAgent.command`` names::

    scripted-runner: [{"write": {"path": "a.txt", "text": "hello"}}, {"commit": "add a"}, {"push": true},
                      {"print": "## Branch\n`{branch}`\n"}, {"exit": 0}]

See ``scripted_program`` for the steps.
"""

import json
import sys
from pathlib import Path

from orchestrate.server.faults import invalid
from orchestrate.server.runners import scripted_program
from orchestrate.server.runners.command import CommandRunner
from orchestrate.server.runners.contract import Order
from orchestrate.server.runners.directives import find_directive

DIRECTIVE = "scripted-runner"


class ScriptedRunner(CommandRunner):
    """The command runner with a command of our own."""

    def command_of(self, order: Order) -> tuple[str, ...]:
        """The interpreter of scripts, with the script as its argument."""
        program = str(Path(scripted_program.__file__))
        return (sys.executable, "-I", program, json.dumps(_script_of(order)))


def _script_of(order: Order) -> list[object]:
    script = find_directive(order.request.prompt.text, name=DIRECTIVE)
    if script is None:
        script = _read(order.agent.command)
    unknown = [step for step in script if not _is_step(step)] if isinstance(script, list) else [script]
    if unknown or not isinstance(script, list):
        raise invalid(f"{DIRECTIVE}: must be a list of steps; this is none: {unknown[0]!r}")
    return script


def _read(command: tuple[str, ...]) -> object:
    if not command:
        raise invalid(f"{DIRECTIVE}: no script in the prompt and no file in localAgent.command")
    try:
        script: object = json.loads(Path(command[0]).read_bytes())
    except (OSError, ValueError) as error:
        raise invalid(f"{DIRECTIVE}: {command[0]} cannot be read as a script: {error}") from error
    return script


def _is_step(step: object) -> bool:
    return isinstance(step, dict) and len(step) == 1 and next(iter(step)) in scripted_program.STEPS
