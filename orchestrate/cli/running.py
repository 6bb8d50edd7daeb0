"""Running a plan from its file to its exit code; the verb ``run`` and the Python API are two doors to it."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import anyio

from orchestrate.cli.agent_program import local_agent
from orchestrate.cli.plan_file import place_in_plan, read_plan_file, watched_plan_file
from orchestrate.cli.preflight import check_access, check_models, check_repository, not_enforced, read_catalogue
from orchestrate.cli.runtime import Runtime, choose_runtime, concurrency, named_runtime, repository_address
from orchestrate.cli.services import keep_own_server, service_of
from orchestrate.cli.single_errors import single_errors
from orchestrate.cli.surroundings import Environment, secrets_in
from orchestrate.cli.wiring import Job, Service, engine_of, load_templates, new_engine_id
from orchestrate.core.changes import Settings as RunSettings
from orchestrate.core.state import State
from orchestrate.engine.assembly import Engine
from orchestrate.errors import InputRefused
from orchestrate.model.checking import parse_plan
from orchestrate.model.faults import Fault
from orchestrate.model.names import TaskName
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import RuntimeKind, TaskStatus
from orchestrate.model.wire import LocalAgent, Model
from orchestrate.ports import Surface
from orchestrate.repo.differences import FETCH_SECONDS
from orchestrate.repo.git import Git
from orchestrate.store.workspace import WorkspaceStore
from orchestrate.system import SystemClock
from orchestrate.text.prompts import DEFAULT_INSTALL
from orchestrate.text.templates import Templates

#: Seconds that a run waits for costs where only they let it go on; on this machine they are there at once, or never.
_COST_PATIENCE = {RuntimeKind.CLOUD: 600.0, RuntimeKind.LOCAL: 60.0}


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller asks for."""

    plan_path: Path
    runtime: str | None = None
    max_concurrent: int | None = None
    max_runtime_seconds: float | None = None
    drain: bool = False
    templates_folder: Path | None = None
    agent_command: str | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run about to start: everything was read and checked, nothing was launched."""

    plan: Plan
    #: The bytes that the plan was read from.
    source: bytes = field(repr=False)
    warnings: tuple[Fault, ...]
    runtime: Runtime
    settings: RunSettings
    templates: Templates
    #: Where the plan names its base branch, for messages.
    base_branch_place: str
    #: The agent program; local runtime only.
    agent: LocalAgent | None = None


class Audience(Protocol):
    """Whoever is told about a run."""

    def on_warning(self, message: str) -> None:
        """Something that the run goes on in spite of."""
        ...

    def surface(self, prepared: Prepared) -> Surface:
        """Where the run is shown."""
        ...

    async def attend(self, engine: Engine) -> None:
        """Beside the run: redraw, listen to signals. Cancelled at its end."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    exit_code: int
    state: State

    @property
    def rows(self) -> tuple[TaskRow, ...]:
        """What is known of each task, in the plan's order."""
        places = {task.name: place for place, task in enumerate(self.state.plan.tasks)}
        return tuple(sorted(self.state.rows.values(), key=lambda row: places.get(row.name, len(places))))


def prepare(request: Request, environment: Environment) -> Prepared:
    """Read and check the plan, the templates and the agent program; PlanRefused or InputRefused with what is wrong."""
    named = named_runtime(request.runtime, variable=environment.runtime)
    source = read_plan_file(request.plan_path)
    plan, warnings = parse_plan(source, local=None if named is None else named.kind is RuntimeKind.LOCAL)
    runtime = choose_runtime(named, plan=plan, has_key=environment.api_key is not None)
    settings = RunSettings(
        max_concurrent=concurrency(request.max_concurrent, plan=plan, kind=runtime.kind),
        follows_plan=request.max_concurrent is None,
        drain=request.drain,
        max_runtime_seconds=request.max_runtime_seconds,
        cost_patience_seconds=_COST_PATIENCE[runtime.kind],
    )
    return Prepared(
        plan=plan,
        source=source,
        warnings=tuple(warnings),
        runtime=runtime,
        settings=settings,
        templates=load_templates(request.templates_folder),
        base_branch_place=place_in_plan(source, request.plan_path, field="baseBranch"),
        agent=_agent(plan, request, environment) if runtime.kind is RuntimeKind.LOCAL else None,
    )


async def run_prepared(prepared: Prepared, request: Request, environment: Environment, audience: Audience) -> Outcome:
    """Check the service, take the workspace, and run the plan to its exit code."""
    folder = request.plan_path.parent.resolve()
    _warn(audience, not_enforced(prepared.plan))
    service = await service_of(prepared.agent, environment)
    repo_url = repository_address(prepared.plan, folder=folder, kind=service.kind)
    engine_id = new_engine_id()
    async with service.client() as client:
        await check_access(client, kind=service.kind)
        store = await WorkspaceStore.open(
            folder, root_slug=prepared.plan.root_slug, engine_id=engine_id, now=SystemClock().now()
        )
        try:
            catalogue: tuple[Model, ...] = ()
            if not all(_has_handed_off(store, task.name) for task in prepared.plan.tasks):
                catalogue, warnings = await read_catalogue(client, prepared.plan)
                _warn(audience, warnings)
            if any(task.name not in store.loaded.rows for task in prepared.plan.tasks):
                check_models(prepared.plan, catalogue)
                await _preflight(prepared, service, environment, audience, repo_url=repo_url)
            engine = engine_of(
                _job(
                    prepared,
                    service,
                    environment,
                    plan_path=request.plan_path,
                    repo_url=repo_url,
                    catalogue=catalogue,
                ),
                store=store,
                client=client,
                service=service,
                surface=audience.surface(prepared),
                engine_id=engine_id,
            )
            exit_code = await _attended(engine, store, service, environment, audience)
            return Outcome(exit_code, engine.state)
        finally:
            await store.close()


def _job(
    prepared: Prepared,
    service: Service,
    environment: Environment,
    *,
    plan_path: Path,
    repo_url: str,
    catalogue: Sequence[Model],
) -> Job:
    return Job(
        plan=prepared.plan,
        plan_file=watched_plan_file(plan_path, prepared.source, kind=service.kind),
        folder=plan_path.parent.resolve(),
        repo_url=repo_url,
        settings=prepared.settings,
        depth=environment.agent_depth,
        templates=prepared.templates,
        git=Git(environment.variables, deadline_seconds=FETCH_SECONDS),
        secrets=(*service.secrets, *secrets_in(environment.variables)),
        models=tuple(model.id for model in catalogue),
        install=environment.install or DEFAULT_INSTALL,
    )


async def _attended(
    engine: Engine, store: WorkspaceStore, service: Service, environment: Environment, audience: Audience
) -> int:
    exit_code = 1
    with single_errors():
        async with anyio.create_task_group() as beside:
            beside.start_soon(audience.attend, engine)
            beside.start_soon(store.keep_beating, SystemClock())
            if service.is_own_server:
                beside.start_soon(keep_own_server, service, environment, audience.on_warning)
            exit_code = await engine.run()
            beside.cancel_scope.cancel()
    return exit_code


def _agent(plan: Plan, request: Request, environment: Environment) -> LocalAgent:
    return local_agent(
        request.agent_command,
        plan=plan,
        folder=request.plan_path.parent.resolve(),
        current=environment.current,
        search_path=environment.variables.get("PATH", os.defpath),
    )


async def _preflight(
    prepared: Prepared,
    service: Service,
    environment: Environment,
    audience: Audience,
    *,
    repo_url: str,
) -> None:
    """Look at the repository before the first launch of a workspace."""
    git = Git(environment.variables)
    if service.kind is RuntimeKind.LOCAL and not await git.is_installed():
        raise InputRefused("git was not found; local agents need it. Nothing was launched.", hint="install git")
    place = prepared.base_branch_place
    _warn(audience, await check_repository(git, prepared.plan, url=repo_url, kind=service.kind, place=place))


def _has_handed_off(store: WorkspaceStore, task: TaskName) -> bool:
    row = store.loaded.rows.get(task)
    return row is not None and row.status is TaskStatus.HANDED_OFF


def _warn(audience: Audience, warnings: Iterable[str]) -> None:
    for warning in warnings:
        audience.on_warning(warning)
