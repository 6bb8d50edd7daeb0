"""Everything that ``doctor`` looks at, each although another one is at fault. Nothing is started, sent or written."""

import shlex
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio

from orchestrate.cli.checks.findings import (
    Check,
    Finding,
    Verdict,
    fault,
    fault_of,
    good,
    refuse_faults,
    skipped,
    warning,
)
from orchestrate.cli.checks.key import check_key
from orchestrate.cli.messages import count_of
from orchestrate.cli.plan_file import PlanPlaces, read_plan_file
from orchestrate.cli.preflight import Intent, not_enforced, preflight
from orchestrate.cli.rendering import PromptRenderer
from orchestrate.cli.running import Prepared, Request, agent_of, prepare
from orchestrate.cli.runtime import Runtime, choose_runtime, concurrency, named_runtime, repository_address
from orchestrate.cli.services import service_at_hand
from orchestrate.cli.surroundings import Environment
from orchestrate.cli.template_files import load_templates
from orchestrate.cli.wiring import Service
from orchestrate.engine.requests import RequestOptions
from orchestrate.errors import InputRefused, PlanRefused
from orchestrate.model.checking import parse_plan
from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.repo.git import Git
from orchestrate.store.loading import LoadedState, read_workspace, workspace_folder
from orchestrate.store.lock import living_holder, taken
from orchestrate.system import SystemClock

_Made = TypeVar("_Made")


@dataclass(slots=True)
class Examined:
    """What was found, and what the plan is."""

    findings: list[Finding] = field(default_factory=list)
    plan: Plan | None = None
    runtime: Runtime | None = None

    def tried(self, check: Check, make: Callable[[], _Made]) -> _Made | None:
        """What ``make`` gives; what it refuses becomes a fault."""
        try:
            return make()
        except PlanRefused as error:
            self.findings += [_plan_fault(each.path, each.message, each.line) for each in error.faults]
        except InputRefused as error:
            self.findings.append(fault_of(check, error))
        return None


def prepared_or_refused(request: Request, environment: Environment) -> Prepared:
    """What ``prepare`` makes; where it refuses, every fault there is is raised, not only the one that it met first."""
    named_runtime(request.runtime, variable=environment.runtime)  # where agents run decides what the other faults are
    try:
        return prepare(request, environment)
    except PlanRefused:
        raise
    except InputRefused:
        anyio.run(partial(_refuse_all, request, environment))
        raise


async def _refuse_all(request: Request, environment: Environment) -> None:
    refuse_faults((await examine(request, environment)).findings)


async def examine(request: Request, environment: Environment) -> Examined:
    """All findings, in the order of their subjects."""
    examined = Examined()
    await _examine(examined, request, environment, folder=request.plan_path.parent.resolve())
    order = {check: place for place, check in enumerate(Check)}
    examined.findings.sort(key=lambda finding: order[finding.check])
    return examined


async def _examine(examined: Examined, request: Request, environment: Environment, *, folder: Path) -> None:
    named = examined.tried(Check.RUNTIME, lambda: named_runtime(request.runtime, variable=environment.runtime))
    is_misnamed = bool(examined.findings)
    source = read_plan_file(request.plan_path)
    plan = examined.tried(Check.PLAN, lambda: _plan(source, named, examined, request.plan_path))
    if plan is None:
        await _key_alone(examined, named, environment)
        return
    examined.plan = plan
    if not is_misnamed:
        has_key = environment.api_key is not None
        examined.runtime = examined.tried(Check.RUNTIME, lambda: choose_runtime(named, plan=plan, has_key=has_key))
    loaded = examined.tried(Check.WORKSPACE, lambda: read_workspace(folder, root_slug=plan.root_slug))
    kind = RuntimeKind.CLOUD if examined.runtime is None else examined.runtime.kind
    intent = Intent(
        plan=plan,
        kind=kind,
        url=repository_address(plan, folder=folder, kind=kind),
        max_concurrent=concurrency(request.max_concurrent, plan=plan, kind=kind),
        places=PlanPlaces(source, request.plan_path.name),
        depth=environment.agent_depth,
    )
    await _look_around(examined, intent, loaded, request, environment, folder=folder)
    examined.findings += [warning(Check.LIMITS, each) for each in not_enforced(plan)]
    _look_for_an_engine(examined, folder)


async def _look_around(
    examined: Examined,
    intent: Intent,
    loaded: LoadedState | None,
    request: Request,
    environment: Environment,
    *,
    folder: Path,
) -> None:
    plan = intent.plan
    if intent.kind is RuntimeKind.LOCAL:
        agent = examined.tried(Check.RUNTIME, lambda: agent_of(plan, request, environment))
        if agent is not None:
            examined.findings.append(good(Check.RUNTIME, f"agents are {shlex.join(agent.command)}"))
    templates = examined.tried(Check.PROMPTS, lambda: load_templates(request.templates_folder))
    renderer = None
    if templates is not None and loaded is not None:
        options = RequestOptions(repo_url=intent.url, depth=intent.depth)
        renderer = PromptRenderer(plan, loaded=loaded, folder=folder, templates=templates, options=options)
    service = await _service(examined, environment)
    async with AsyncExitStack() as stack:
        client = None if service is None else await stack.enter_async_context(service.client())
        after = intent if loaded is None else intent.after(loaded.rows)
        report = await preflight(after, client=client, git=Git(environment.variables), renderer=renderer)
    told = {finding.check for finding in examined.findings if finding.verdict is Verdict.FAULT}
    examined.findings += [
        finding for finding in report.findings if finding.verdict is not Verdict.SKIPPED or finding.check not in told
    ]


async def _service(examined: Examined, environment: Environment) -> Service | None:
    """The service that would be asked; a local server that does not run is not started for it."""
    if examined.runtime is None:
        return None
    try:
        return await service_at_hand(examined.runtime.kind, environment)
    except InputRefused as error:
        examined.findings.append(fault_of(Check.KEY, error))
        return None


async def _key_alone(examined: Examined, named: Runtime | None, environment: Environment) -> None:
    """Where there is no plan to look at, the key still can be."""
    is_local = named is not None and named.kind is RuntimeKind.LOCAL
    if not is_local and environment.api_key is not None:
        service = await service_at_hand(RuntimeKind.CLOUD, environment)
        if service is not None:
            async with service.client() as client:
                examined.findings.append(await check_key(client, kind=RuntimeKind.CLOUD))
    examined.findings.append(skipped(Check.REPOSITORY, "not looked at: the plan comes first"))


def _plan(source: bytes, named: Runtime | None, examined: Examined, path: Path) -> Plan:
    plan, warnings = parse_plan(source, local=None if named is None else named.kind is RuntimeKind.LOCAL)
    told = [warning(Check.PLAN, _placed(each.path, each.message, each.line)) for each in warnings]
    examined.findings += told or [good(Check.PLAN, f"{path.name} is sound: {count_of(len(plan.tasks), 'task')}")]
    return plan


def _plan_fault(path: str, message: str, line: int | None) -> Finding:
    return fault(Check.PLAN, _placed(path, message, line))


def _placed(path: str, message: str, line: int | None) -> str:
    place = " ".join(part for part in ("" if line is None else f"line {line}", path) if part)
    return f"{place}: {message}" if place else message


def _look_for_an_engine(examined: Examined, folder: Path) -> None:
    """An engine at work is no fault of the set-up, although a second run would be refused."""
    workspace = workspace_folder(folder)
    holder = living_holder(workspace, now=SystemClock().now())
    if holder is not None:
        told = taken(workspace, holder)
        examined.findings.append(warning(Check.WORKSPACE, told.message, hint=told.hint))
