"""Where a delegation goes: the runtime, the service, and calls to it that pass the gate."""

import argparse
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from orchestrate.cli.agent_program import named_program
from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.refusals import DelegationRefused
from orchestrate.cli.runtime import Runtime, named_runtime
from orchestrate.cli.services import SUBTREE_TOKEN, reach_service, service_of
from orchestrate.cli.settings import Settings
from orchestrate.cli.single_errors import single_errors
from orchestrate.cli.surroundings import Environment, environment_of
from orchestrate.cli.wiring import Service
from orchestrate.errors import InputRefused
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import LocalAgent
from orchestrate.system import SystemClock, run_event_loop

#: The agent program of the local runtime, where --agent-command does not name one.
COMMAND_VARIABLE = "ORCHESTRATE_AGENT_COMMAND"
_BUILT_IN = ("null", "scripted")

_BY_KEY = "CURSOR_API_KEY is set"

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Target:
    """The service that is meant; nothing is opened yet."""

    runtime: Runtime
    environment: Environment
    #: The agent program of a launch; local runtime only.
    agent: LocalAgent | None = None

    @property
    def kind(self) -> RuntimeKind:
        """Cloud or local."""
        return self.runtime.kind

    @property
    def account(self) -> str:
        """What tells the agents of one account from those of another."""
        return "local" if self.kind is RuntimeKind.LOCAL else self.environment.api_key or ""

    def require_credential(self) -> None:
        """Refuse the cloud without a key; a missing key never means the local runtime."""
        if self.kind is RuntimeKind.LOCAL or self.environment.api_key is not None:
            return
        chosen = "no runtime chosen, and " if self.runtime.origin == _BY_KEY else ""
        raise DelegationRefused(
            Code.AUTH_FAILED,
            f"{chosen}CURSOR_API_KEY is not set. Nothing was sent.",
            hint="Set CURSOR_API_KEY, or add `--runtime local`; `orchestrate setup` shows what is there.",
        )

    async def service(self) -> Service:
        """The service itself; the local server is started if there is none."""
        if self.kind is RuntimeKind.CLOUD:
            return await reach_service(self.kind, self.environment)
        try:
            if self.agent is not None:
                return await service_of(self.agent, self.environment)
            return await reach_service(self.kind, self.environment)
        except InputRefused as error:
            raise DelegationRefused(Code.SERVICE_UNAVAILABLE, error.message) from error

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[GatedCalls]:
        """Calls to the service, while they are wanted."""
        service = await self.service()
        async with service.client() as client:
            yield GatedCalls(client, clock=SystemClock(), kind=service.kind)


def add_runtime(parser: argparse.ArgumentParser) -> None:
    """``--runtime``."""
    kinds = [kind.value for kind in RuntimeKind]
    parser.add_argument("--runtime", choices=kinds, help="which service (default: cloud where CURSOR_API_KEY is set)")


def add_agent_program(parser: argparse.ArgumentParser) -> None:
    """Which program is an agent of the local runtime."""
    parser.add_argument(
        "--agent-command", metavar="CMD", help=f"local: the agent's program (default: {COMMAND_VARIABLE})"
    )
    parser.add_argument("--agent", choices=_BUILT_IN, help="local: a runner that the server has built in, for trials")


def target_of(args: argparse.Namespace, settings: Settings) -> Target:
    """The service of ``--runtime``, of ORCHESTRATE_RUNTIME, else the cloud; that there is a key is looked at before a call."""
    environment = environment_of(settings)
    named = named_runtime(args.runtime, variable=environment.runtime)
    return Target(named or Runtime(RuntimeKind.CLOUD, _BY_KEY), environment)


def with_agent(target: Target, args: argparse.Namespace, settings: Settings) -> Target:
    """The target with the agent program of a launch; InputRefused where the local runtime has none."""
    if target.kind is RuntimeKind.CLOUD:
        if args.agent_command is not None or args.agent is not None:
            raise InputRefused("--agent-command and --agent go with `--runtime local`. Nothing was sent.")
        return target
    environment = target.environment
    if args.agent is not None:
        return Target(target.runtime, environment, LocalAgent.model_validate({"runner": args.agent}))
    command = args.agent_command or settings.environ.get(COMMAND_VARIABLE)
    if not command:
        raise DelegationRefused(
            Code.INVALID_INPUT,
            "no agent program chosen for the local runtime. Nothing was sent.",
            hint=f"Add `--agent-command PROGRAM`, or set {COMMAND_VARIABLE}; `orchestrate setup` shows what is found.",
        )
    where = "--agent-command" if args.agent_command else COMMAND_VARIABLE
    search_path = environment.variables.get("PATH", "")
    agent = named_program(command, where=where, current=environment.current, search_path=search_path)
    return Target(target.runtime, environment, agent)


def refuse_inside_an_agent(settings: Settings) -> None:
    """Agents do not delegate: neither at a depth below the first, nor with a token that an agent was given."""
    if settings.agent_depth > 0 or (settings.api_key or "").startswith(SUBTREE_TOKEN):
        raise DelegationRefused(
            Code.NESTED_DELEGATION,
            f"this process is inside an agent (depth {settings.agent_depth}); agents do not delegate. "
            "Nothing was sent.",
        )


def asked(target: Target, ask: Callable[[GatedCalls], Awaitable[_Result]]) -> _Result:
    """What comes of these calls."""
    target.require_credential()
    return run_event_loop(partial(_asked, target, ask))


async def _asked(target: Target, ask: Callable[[GatedCalls], Awaitable[_Result]]) -> _Result:
    with single_errors():
        async with target.opened() as calls:
            return await ask(calls)
