"""Where agents run: chosen once, never guessed. A missing key never means "local"."""

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from orchestrate.errors import InputRefused
from orchestrate.model.plan import Plan
from orchestrate.model.plan_parts import AgentProgram
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import LocalAgent

CLOUD_CONCURRENCY = 50
_LEAST_LOCAL_CONCURRENCY = 2
#: Runners that our server has built in; a plan names them under ``runtime.agent.name``.
_BUILT_IN = ("null", "scripted")
#: Programs whose first argument is a script of the caller's.
_INTERPRETER = re.compile(r"(python[0-9.]*|node|bash|sh|ruby|perl|deno|bun)\Z")


@dataclass(frozen=True, slots=True)
class Runtime:
    """The choice, and where it came from."""

    kind: RuntimeKind
    #: In words for the first line of a run.
    origin: str


def choose_runtime(flag: str | None, *, variable: str | None, plan: Plan, has_key: bool) -> Runtime:
    """``--runtime``, then ORCHESTRATE_RUNTIME, then the plan, then the cloud where a key is set; else InputRefused."""
    if flag is not None:
        return Runtime(_kind(flag, "--runtime"), "--runtime")
    if variable:
        return Runtime(_kind(variable, "ORCHESTRATE_RUNTIME"), "ORCHESTRATE_RUNTIME")
    if plan.runtime is not None:
        return Runtime(plan.runtime.kind, "the plan's runtime")
    if has_key:
        return Runtime(RuntimeKind.CLOUD, "CURSOR_API_KEY is set")
    raise InputRefused(
        "no runtime chosen.",
        hint="add `--runtime local`, or set CURSOR_API_KEY and add `--runtime cloud`",
    )


def concurrency(flag: int | None, *, plan: Plan, kind: RuntimeKind) -> int:
    """How many tasks may run at once: the flag, the plan's limit, else 50 in the cloud and the cores here."""
    if flag is not None:
        return flag
    if plan.limits.max_concurrent is not None:
        return plan.limits.max_concurrent
    if kind is RuntimeKind.CLOUD:
        return CLOUD_CONCURRENCY
    return max(_LEAST_LOCAL_CONCURRENCY, os.cpu_count() or 1)


def local_agent(command: str | None, *, plan: Plan, folder: Path, current: Path) -> LocalAgent:
    """The agent program of the local runtime: ``--agent-command``, else the plan's; else InputRefused.

    Agents run in clones of their own, so a relative path is made absolute here: the flag's from where it was typed,
    the plan's from the plan's ``folder``.
    """
    program = None if plan.runtime is None else plan.runtime.agent
    if command is not None:
        named = LocalAgent(command=_anchored(_split(command), current))
        return named if program is None else _as_program(named, program)
    if program is None:
        raise InputRefused(
            "no agent program chosen for the local runtime.",
            hint="add `--agent-command PROGRAM`, or set runtime.agent.command in the plan",
        )
    if program.name is not None and program.name not in _BUILT_IN:
        raise InputRefused(
            f'runtime.agent.name: no agent program "{program.name}" is known.',
            hint=f"use one of {', '.join(_BUILT_IN)}, or give runtime.agent.command",
        )
    runner = program.name or "command"
    return _as_program(
        LocalAgent.model_validate({"command": _anchored(program.command, folder), "runner": runner}), program
    )


def repository_address(plan: Plan, *, folder: Path, kind: RuntimeKind) -> str:
    """The repository for the service; a path of a local plan is relative to ``plan.json``."""
    url = plan.repo_url
    if kind is RuntimeKind.CLOUD or "://" in url or _is_scp_like(url):
        return url
    return str((folder / url).resolve())


def _as_program(agent: LocalAgent, program: AgentProgram) -> LocalAgent:
    """The agent with everything but its command from the plan's program."""
    return agent.model_copy(
        update={
            "prompt_via": program.prompt_via,
            "pass_env": program.pass_env,
            "timeout_sec": program.timeout_sec,
        }
    )


def _is_scp_like(url: str) -> bool:
    head, colon, _ = url.partition(":")
    return bool(colon) and "/" not in head


def _kind(word: str, where: str) -> RuntimeKind:
    try:
        return RuntimeKind(word)
    except ValueError:
        raise InputRefused(f'{where}: unknown runtime "{word}".', hint="use cloud or local") from None


def _anchored(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """The argv with the program's path, and that of an interpreter's script, made absolute."""
    words = list(command)
    if words and "/" in words[0]:
        words[0] = str(folder / words[0])
    if len(words) > 1 and _INTERPRETER.match(Path(words[0]).name) and (folder / words[1]).is_file():
        words[1] = str(folder / words[1])
    return tuple(words)


def _split(command: str) -> tuple[str, ...]:
    try:
        parts = tuple(shlex.split(command))
    except ValueError as error:
        raise InputRefused(f"--agent-command cannot be split: {error}.", hint="close the quotation mark") from error
    if not parts:
        raise InputRefused("--agent-command is empty.", hint="name the agent's program")
    return parts
