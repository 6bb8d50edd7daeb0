"""The agent program of the local runtime: named by ``--agent-command`` or the plan, found before anything starts.

Agents run in clones of their own, and the server may have been started elsewhere with another search path. So the
program, and the script that an interpreter is told to run, are made absolute here: those of the flag from where it was
typed, those of the plan from the plan's folder.
"""

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrate.errors import InputRefused
from orchestrate.model.faults import quoted
from orchestrate.model.plan import Plan
from orchestrate.model.plan_parts import AgentProgram
from orchestrate.model.wire import LocalAgent

_FLAG = "--agent-command"
_FIELD = "runtime.agent.command"
#: Runners that our server has built in; a plan names them under ``runtime.agent.name``.
_BUILT_IN = ("null", "scripted")
#: Programs whose first argument that is no option is a script of the caller's.
_INTERPRETER = re.compile(r"(python[0-9.]*|node|bash|dash|zsh|sh|ruby|perl|deno|bun)\Z")
#: Options behind which no script follows: a module, or the program's own text.
_NO_SCRIPT_FOLLOWS = frozenset(("-c", "-m", "-e", "--eval", "-p", "--print"))


@dataclass(frozen=True, slots=True)
class _Named:
    """A command as somebody wrote it down."""

    words: tuple[str, ...]
    #: Where it is written, for messages.
    where: str
    #: What its relative paths are relative to.
    base: Path
    #: The PATH of whoever calls.
    search_path: str


def local_agent(command: str | None, *, plan: Plan, folder: Path, current: Path, search_path: str) -> LocalAgent:
    """The program of ``--agent-command``, typed in ``current``, else that of the plan in ``folder``; else InputRefused."""
    program = None if plan.runtime is None else plan.runtime.agent
    if command is not None:
        return _with_habits_of(program, named_program(command, current=current, search_path=search_path))
    if program is None:
        raise InputRefused(
            "no agent program chosen. Nothing was launched.",
            hint="add `--agent-command PROGRAM`, or set runtime.agent.command in the plan",
        )
    if program.name is None:
        words = _runnable(_Named(program.command, _FIELD, base=folder, search_path=search_path))
        return _with_habits_of(program, LocalAgent(command=words))
    if program.name not in _BUILT_IN:
        raise InputRefused(
            f"runtime.agent.name: no agent program {quoted(program.name)} is known. Nothing was launched.",
            hint=f"use one of {', '.join(_BUILT_IN)}, or give runtime.agent.command",
        )
    return _with_habits_of(program, LocalAgent.model_validate({"runner": program.name}))


def named_program(command: str, *, current: Path, search_path: str, where: str = _FLAG) -> LocalAgent:
    """The program of ``--agent-command`` alone, typed in ``current``; InputRefused for one that cannot be run."""
    return LocalAgent(command=_runnable(_Named(_split(command), where, base=current, search_path=search_path)))


def _with_habits_of(program: AgentProgram | None, agent: LocalAgent) -> LocalAgent:
    """The agent with all that the plan says of its program beside the command."""
    if program is None:
        return agent
    return agent.model_copy(
        update={"prompt_via": program.prompt_via, "pass_env": program.pass_env, "timeout_sec": program.timeout_sec}
    )


def _runnable(named: _Named) -> tuple[str, ...]:
    """The argv with the paths in it made absolute, if its program is there and may be run."""
    program, *arguments = named.words
    if "\0" in "".join(named.words):
        raise InputRefused(f"{named.where} holds a NUL. Nothing was launched.")
    found = _found(program, named)
    if _INTERPRETER.match(Path(program).name):
        arguments = list(_with_script(arguments, named.base))
    return (found, *arguments)


def _found(program: str, named: _Named) -> str:
    """Where the program is; InputRefused says why it cannot be run."""
    if "/" not in program:
        found = shutil.which(program, path=named.search_path)
        if found is not None:
            return os.path.abspath(found)  # noqa: PTH100  a symlink stays: a virtual environment is known by it
        is_here = (named.base / program).is_file()
        hint = f"write ./{program}, or its whole path" if is_here else "install it, or give its whole path"
        raise _refused(named, "is not on the PATH", hint=hint)
    path = os.path.abspath(named.base / program)  # noqa: PTH100  as above
    if os.path.isdir(path):  # noqa: PTH112  as above
        raise _refused(named, "is a folder", hint="name the program in it")
    if not os.path.exists(path):  # noqa: PTH110  as above
        raise _refused(named, "does not exist", hint=f"it was looked for at {path}")
    if not os.access(path, os.X_OK):
        raise _refused(named, "is not executable", hint=f"chmod +x {shlex.quote(path)}")
    return path


def _refused(named: _Named, fault: str, *, hint: str) -> InputRefused:
    return InputRefused(f"{named.where}: {quoted(named.words[0])} {fault}. Nothing was launched.", hint=hint)


def _with_script(arguments: list[str], base: Path) -> Iterator[str]:
    """The interpreter's arguments with its script, if that is a file, made absolute."""
    may_be_script = True
    for word in arguments:
        if may_be_script and not word.startswith("-"):
            may_be_script = False
            yield str(base / word) if (base / word).is_file() else word
            continue
        may_be_script = may_be_script and word not in _NO_SCRIPT_FOLLOWS
        yield word


def _split(command: str) -> tuple[str, ...]:
    """The words of the flag as a shell would split them; nothing else of a shell's is done."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        hint = "close the quotation mark"
        raise InputRefused(
            f"{_FLAG} cannot be split: {str(error).lower()}. Nothing was launched.", hint=hint
        ) from error
    if not words or not words[0]:
        raise InputRefused(f"{_FLAG} is empty. Nothing was launched.", hint="name the agent's program")
    return words
