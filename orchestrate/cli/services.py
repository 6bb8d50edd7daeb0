"""Which service a run talks to: the Cloud Agents API, the local server, or the server that this process is an agent of."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import anyio
import anyio.to_thread

from orchestrate.cli.reviving import keep_server
from orchestrate.cli.surroundings import Environment
from orchestrate.cli.wiring import CLOUD_URL, Service
from orchestrate.errors import InputRefused
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import LocalAgent
from orchestrate.server.serve import ensure_server, living_endpoint
from orchestrate.system import SystemClock

#: How the tokens begin that the server gives to agents; a root planner stands at depth 0 and has one too.
SUBTREE_TOKEN = "subtree."  # noqa: S105  the beginning of one, no secret


async def service_of(agent: LocalAgent | None, environment: Environment) -> Service:
    """The local server, started if there is none, for an agent program; without one the Cloud Agents API."""
    if agent is None:
        return cloud_service(environment)
    names = agent.pass_env
    pass_env = {name: environment.variables[name] for name in names if name in environment.variables}
    return replace(await _local_service(environment), agent=agent, pass_env=pass_env)


async def reach_service(kind: RuntimeKind, environment: Environment) -> Service:
    """The service at which agents are that were launched before; nothing is launched with it."""
    return cloud_service(environment) if kind is RuntimeKind.CLOUD else await _local_service(environment)


async def _local_service(environment: Environment) -> Service:
    inherited = _inherited_server(environment)
    if inherited is not None:
        url, key = inherited
        return Service(kind=RuntimeKind.LOCAL, url=url, key=key)
    start = partial(ensure_server, environment.server_folder, environment=environment.variables)
    endpoint = await anyio.to_thread.run_sync(start)
    return Service(kind=RuntimeKind.LOCAL, url=endpoint.url, key=endpoint.token, is_own_server=True)


async def service_at_hand(kind: RuntimeKind, environment: Environment) -> Service | None:
    """The service of a run, to be asked questions; no server is started, None where none runs."""
    if kind is RuntimeKind.CLOUD:
        return cloud_service(environment)
    inherited = _inherited_server(environment)
    if inherited is not None:
        url, key = inherited
        return Service(kind=kind, url=url, key=key)
    endpoint = await anyio.to_thread.run_sync(partial(living_endpoint, environment.server_folder))
    return None if endpoint is None else Service(kind=kind, url=endpoint.url, key=endpoint.token)


def cloud_service(environment: Environment) -> Service:
    """The Cloud Agents API with the key of the environment; InputRefused without one."""
    if environment.api_key is None:
        raise InputRefused(
            "the cloud runtime needs a key, and CURSOR_API_KEY is not set. Nothing was launched.",
            hint="set CURSOR_API_KEY, or add `--runtime local`",
        )
    return Service(kind=RuntimeKind.CLOUD, url=environment.backend_url or CLOUD_URL, key=environment.api_key)


async def keep_own_server(service: Service, environment: Environment, tell: Callable[[str], None]) -> None:
    """Start the local server again whenever it is gone: a run outlives it, as agents do."""
    await keep_server(
        environment.server_folder,
        url=service.url,
        environment=environment.variables,
        clock=SystemClock(),
        tell=tell,
    )


def _inherited_server(environment: Environment) -> tuple[str, str] | None:
    """The server that this very process is an agent of, with the token that it was given."""
    if environment.backend_url is None or environment.api_key is None:
        return None
    if environment.agent_depth == 0 and not environment.api_key.startswith(SUBTREE_TOKEN):
        return None
    return environment.backend_url, environment.api_key
