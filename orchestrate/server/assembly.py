"""Putting a server together from its parts."""

from collections.abc import Callable
from dataclasses import dataclass

import anyio.abc
import structlog
from starlette.types import ASGIApp

from orchestrate.model.names import AgentId
from orchestrate.model.timestamps import to_timestamp
from orchestrate.server.access import Keyring
from orchestrate.server.app import build_app
from orchestrate.server.calls import Answers
from orchestrate.server.database import Database
from orchestrate.server.discovery import Endpoint, ServerFile
from orchestrate.server.downloads import Downloads
from orchestrate.server.gate import Gate
from orchestrate.server.git import Git
from orchestrate.server.injecting import FaultyApp, Standing
from orchestrate.server.live_runs import LiveRuns
from orchestrate.server.lookups import Lookups
from orchestrate.server.options import ServerOptions
from orchestrate.server.retention import Retention
from orchestrate.server.runners.command import CommandRunner, Workplace
from orchestrate.server.runners.contract import Runner
from orchestrate.server.runners.null import NullRunner
from orchestrate.server.runners.scripted import ScriptedRunner
from orchestrate.server.service import Offer, Service
from orchestrate.server.state import StateFolder


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a server is made with."""

    options: ServerOptions
    folder: StateFolder
    file: ServerFile
    log: structlog.typing.FilteringBoundLogger
    #: Called whenever somebody shows that the server is needed.
    on_use: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Parts:
    """What the server's process has to do with."""

    app: Gate
    service: Service
    live_runs: LiveRuns
    retention: Retention


def assemble(surroundings: Surroundings, *, database: Database, tasks: anyio.abc.TaskGroup) -> Parts:
    """A server that answers from this database and carries its runs out in these tasks."""
    keyring, git = Keyring(surroundings.file.token), Git(surroundings.options.environment)
    runners = _runners(surroundings, keyring, git)
    live_runs = LiveRuns(
        database=database,
        runners=runners,
        tasks=tasks,
        clock=surroundings.options.clock,
        log=surroundings.log,
        on_end=surroundings.on_use,
    )
    lookups = Lookups(database=database, runners=runners, live_runs=live_runs)
    service = Service(
        Offer(runners, default_agent=surroundings.options.default_agent, models=surroundings.options.models),
        database=database,
        lookups=lookups,
        live_runs=live_runs,
        clock=surroundings.options.clock,
        log=surroundings.log,
    )
    answers = _answers(surroundings, service=service, lookups=lookups, downloads=_downloads(surroundings, keyring, git))
    app = Gate(
        _faulty(build_app(answers, log=surroundings.log), surroundings, database=database, live_runs=live_runs),
        keyring=keyring,
        port=surroundings.file.port,
        on_request=surroundings.on_use,
    )
    retention = Retention(
        database=database,
        folder=surroundings.folder,
        git=git,
        clock=surroundings.options.clock,
        log=surroundings.log,
    )
    return Parts(app=app, service=service, live_runs=live_runs, retention=retention)


def _faulty(app: ASGIApp, surroundings: Surroundings, *, database: Database, live_runs: LiveRuns) -> ASGIApp:
    """The application itself, unless somebody asked for faults."""
    plan = surroundings.options.faults
    if plan is None:
        return app
    standing = Standing(
        clock=surroundings.options.clock,
        agents=lambda until_archived: database.count_open_agents() if until_archived else live_runs.count,
        crashes=surroundings.folder.crashes,
        on_refusal=lambda its_class, why: surroundings.log.info("refused on purpose", call=its_class, why=why),
    )
    surroundings.log.warning(
        "this server does wrong on purpose", faults=plan.model_dump(mode="json", exclude_defaults=True)
    )
    return FaultyApp(app, plan, standing)


def _runners(surroundings: Surroundings, keyring: Keyring, git: Git) -> dict[str, Runner]:
    def launcher(agent_id: AgentId) -> Endpoint:
        return Endpoint(url=surroundings.file.endpoint.url, token=keyring.subtree_token(agent_id))

    workplace = Workplace(
        folder=surroundings.folder,
        git=git,
        environment=surroundings.options.environment,
        launcher=launcher,
        grace_seconds=surroundings.options.grace_seconds,
    )
    return {
        "null": NullRunner(surroundings.options.clock),
        "command": CommandRunner(workplace),
        "scripted": ScriptedRunner(workplace),
    }


def _downloads(surroundings: Surroundings, keyring: Keyring, git: Git) -> Downloads:
    return Downloads(
        folder=surroundings.folder,
        git=git,
        keyring=keyring,
        clock=surroundings.options.clock,
        base_url=surroundings.file.endpoint.url,
    )


def _answers(surroundings: Surroundings, *, service: Service, lookups: Lookups, downloads: Downloads) -> Answers:
    return Answers(
        service=service,
        lookups=lookups,
        downloads=downloads,
        started_at=to_timestamp(surroundings.options.clock.now()),
        heartbeat_seconds=surroundings.options.heartbeat_seconds,
    )
