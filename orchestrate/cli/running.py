"""Running a plan from its file to its exit code; the verb ``run`` and the Python API are two doors to it."""

import os
import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import anyio

from orchestrate.cli.admission import Admission
from orchestrate.cli.agent_program import local_agent
from orchestrate.cli.checks.findings import Verdict, having, refuse_faults
from orchestrate.cli.checks.models import defaults_said
from orchestrate.cli.edit_examination import EditExamination
from orchestrate.cli.git_state import state_site
from orchestrate.cli.plan_file import PlanPlaces, read_plan_file, watched_plan_file
from orchestrate.cli.preflight import Intent, Report, not_enforced
from orchestrate.cli.runtime import Runtime, choose_runtime, concurrency, named_runtime, repository_address
from orchestrate.cli.services import cloud_service, keep_own_server, service_of
from orchestrate.cli.single_errors import single_errors
from orchestrate.cli.stopped import require_not_stopped, require_not_stopped_elsewhere, revived, revived_elsewhere
from orchestrate.cli.surroundings import Environment, secrets_in
from orchestrate.cli.template_files import load_templates
from orchestrate.cli.wiring import Job, Service, engine_of, new_engine_id
from orchestrate.core.changes import Settings as RunSettings
from orchestrate.core.state import State
from orchestrate.engine.assembly import Engine
from orchestrate.model.checking import parse_plan
from orchestrate.model.faults import Fault
from orchestrate.model.names import AgentId
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import RuntimeKind, TaskStatus
from orchestrate.model.wire import LocalAgent
from orchestrate.ports import Surface
from orchestrate.repo.differences import FETCH_SECONDS
from orchestrate.repo.git import Git
from orchestrate.repo.site import Site
from orchestrate.repo.tombstones import GitTombstone
from orchestrate.store.loading import LoadedState
from orchestrate.store.workspace import WorkspaceStore
from orchestrate.system import SystemClock
from orchestrate.text.prompts import DEFAULT_INSTALL
from orchestrate.text.templates import Templates

#: Seconds that a run waits for costs where only they let it go on; on this machine they are there at once, or never.
_COST_PATIENCE = {RuntimeKind.CLOUD: 600.0, RuntimeKind.LOCAL: 60.0}
#: Tasks for which nothing is launched any more.
_OVER = (TaskStatus.HANDED_OFF, TaskStatus.PRUNED)


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller asks for."""

    plan_path: Path
    runtime: str | None = None
    max_concurrent: int | None = None
    max_runtime_seconds: float | None = None
    drain: bool = False
    #: Whether agents of finished tasks may be archived where the service takes no more agents.
    archive: bool = True
    templates_folder: Path | None = None
    agent_command: str | None = None
    #: Go on although somebody stopped the plan.
    revive: bool = False
    #: Take measurements also where agents do not run and no sandbox is there.
    measures: bool = False
    #: Launch nothing while the andon of the tree cannot be read.
    andon_strict: bool = False


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
    #: Where the plan has its values, for messages.
    places: PlanPlaces
    #: The agent program; local runtime only.
    agent: LocalAgent | None = None


class Audience(Protocol):
    """Whoever is told about a run."""

    def on_warning(self, message: str) -> None:
        """Something that the run goes on in spite of."""
        ...

    def on_note(self, message: str) -> None:
        """Something that is good to know."""
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
    if runtime.kind is RuntimeKind.CLOUD:
        cloud_service(environment)  # refused here, so that its fault is told with all others
    settings = RunSettings(
        max_concurrent=concurrency(request.max_concurrent, plan=plan, kind=runtime.kind),
        follows_plan=request.max_concurrent is None,
        drain=request.drain,
        archive=request.archive,
        measures=request.measures,
        max_runtime_seconds=request.max_runtime_seconds,
        depth=environment.agent_depth,
        own_agent_id=_own_agent_id(plan, environment),
        planners_take_slots=runtime.kind is RuntimeKind.CLOUD,
        cost_patience_seconds=_COST_PATIENCE[runtime.kind],
    )
    return Prepared(
        plan=plan,
        source=source,
        warnings=tuple(warnings),
        runtime=runtime,
        settings=settings,
        templates=load_templates(request.templates_folder),
        places=PlanPlaces(source, request.plan_path.name),
        agent=agent_of(plan, request, environment) if runtime.kind is RuntimeKind.LOCAL else None,
    )


def _own_agent_id(plan: Plan, environment: Environment) -> AgentId | None:
    """The agent that the engine runs in: who launched it knows better than the plan, which the agent wrote."""
    told = environment.planner_id or plan.self_agent_id
    return None if told is None else AgentId(told)


async def run_prepared(prepared: Prepared, request: Request, environment: Environment, audience: Audience) -> Outcome:
    """Look at what the run needs, take the workspace, and run the plan to its exit code."""
    folder = request.plan_path.parent.resolve()
    if not request.revive:
        require_not_stopped(folder, plan=shlex.quote(str(request.plan_path)))
    for warning in not_enforced(prepared.plan):
        audience.on_warning(warning)
    service = await service_of(prepared.agent, environment)
    admission = _admission(prepared, environment, folder=folder)
    engine_id = new_engine_id()
    async with service.client() as client:
        report = None
        if admission.is_new_workspace:
            report = _admitted(await admission.of_new_workspace(client), audience)
        store = await WorkspaceStore.open(
            folder, root_slug=prepared.plan.root_slug, engine_id=engine_id, now=SystemClock().now()
        )
        try:
            if request.revive and (words := revived(folder)) is not None:
                audience.on_warning(f"{words}.")
            if report is None:
                report = _admitted(await admission.of(store.loaded, client), audience)
            examine = EditExamination.after(report, admission)
            job = _job(prepared, service, environment, plan_path=request.plan_path, examine=examine)
            site = await state_site(
                job.git,
                job.plan,
                folder=folder,
                repo_url=job.repo_url,
                is_new=admission.is_new_workspace,
                tell=audience.on_note,
            )
            if site is not None:
                await _mind_tombstone(job, site, store.loaded, request, audience)
            engine = engine_of(
                replace(job, site=site, is_andon_strict=request.andon_strict),
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


async def _mind_tombstone(job: Job, site: Site, loaded: LoadedState, request: Request, audience: Audience) -> None:
    """A kill from elsewhere is obeyed before anything is launched, or taken back by whoever revives the plan."""
    is_over = all(row.status in _OVER for row in loaded.rows.values())
    if loaded.workspace is None or (is_over and not request.revive):
        return
    workspace_id = loaded.workspace.workspace_id
    tombstone = GitTombstone(job.git, site, slug=job.plan.root_slug, workspace=workspace_id)
    if not request.revive:
        await require_not_stopped_elsewhere(tombstone, plan=shlex.quote(str(request.plan_path)))
    elif (words := await revived_elsewhere(tombstone)) is not None:
        audience.on_warning(f"{words}.")


def _admission(prepared: Prepared, environment: Environment, *, folder: Path) -> Admission:
    return Admission(
        intent=intent_of(prepared, environment, folder=folder),
        folder=folder,
        templates=prepared.templates,
        git=Git(environment.variables),
    )


def _admitted(report: Report, audience: Audience) -> Report:
    """The report of a run that may start; every fault at once if it may not."""
    for finding in having(report.findings, Verdict.WARNING):
        audience.on_warning(finding.message)
    refuse_faults(report.findings)
    for said in defaults_said(report.choices or {}):
        audience.on_note(said)
    return report


def intent_of(prepared: Prepared, environment: Environment, *, folder: Path) -> Intent:
    """The run that these preparations are for."""
    kind = prepared.runtime.kind
    return Intent(
        plan=prepared.plan,
        kind=kind,
        url=repository_address(prepared.plan, folder=folder, kind=kind),
        max_concurrent=prepared.settings.max_concurrent,
        places=prepared.places,
        depth=environment.agent_depth,
    )


def _job(
    prepared: Prepared, service: Service, environment: Environment, *, plan_path: Path, examine: EditExamination
) -> Job:
    folder, plan = plan_path.parent.resolve(), prepared.plan
    return Job(
        plan=plan,
        plan_file=watched_plan_file(plan_path, prepared.source, plan=plan, kind=service.kind, examine=examine),
        folder=folder,
        repo_url=repository_address(plan, folder=folder, kind=service.kind),
        settings=prepared.settings,
        depth=environment.agent_depth,
        templates=prepared.templates,
        git=Git(environment.variables, deadline_seconds=FETCH_SECONDS),
        secrets=(*service.secrets, *secrets_in(environment.variables)),
        catalogue=examine.report.catalogue,
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


def agent_of(plan: Plan, request: Request, environment: Environment) -> LocalAgent:
    """The agent program of a local run; InputRefused for one that there is not."""
    return local_agent(
        request.agent_command,
        plan=plan,
        folder=request.plan_path.parent.resolve(),
        current=environment.current,
        search_path=environment.variables.get("PATH", os.defpath),
    )
