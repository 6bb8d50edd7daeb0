"""``run --dry-run``: everything a run checks and renders before it spends anything, and what it would do then.

Nothing is launched, nothing is written, and no server is started. Faults are gathered instead of ending it at the first.
"""

import argparse
import shlex
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import anyio
import orjson
from immutables import Map

from orchestrate.cli import output
from orchestrate.cli.checks.findings import Verdict, having, refusals
from orchestrate.cli.checks.prompt_limits import prompt_limit
from orchestrate.cli.examination import prepared_or_refused
from orchestrate.cli.locating import PlanLocation
from orchestrate.cli.messages import error_lines, fault_lines, message_lines
from orchestrate.cli.preflight import Report, not_enforced, preflight
from orchestrate.cli.rendering import NO_WORKSPACE, PromptRenderer
from orchestrate.cli.running import Prepared, Request, intent_of
from orchestrate.cli.safe_errors import redactor_of, safe_error, safe_lines
from orchestrate.cli.screens.dry_run import DryRunView, StartCost, dry_run_screen
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.services import service_at_hand
from orchestrate.cli.settings import Settings
from orchestrate.cli.stopped import require_not_stopped
from orchestrate.cli.surroundings import Environment
from orchestrate.cli.terminal import stdout_look
from orchestrate.core.changes import Session
from orchestrate.core.forecast import Fate, Forecast, TaskForecast, forecast
from orchestrate.core.redefinition import Sent, changed_fields
from orchestrate.core.state import State
from orchestrate.engine.requests import RequestOptions
from orchestrate.errors import InputRefused, OrchestrateError
from orchestrate.model.model_choice import NoModel
from orchestrate.model.names import TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import to_timestamp
from orchestrate.model.wire import METADATA_MODEL
from orchestrate.repo.git import Git
from orchestrate.store.attempts import AttemptFiles
from orchestrate.store.loading import LoadedState, read_workspace, workspace_folder
from orchestrate.store.lock import living_holder, taken
from orchestrate.system import SystemClock
from orchestrate.text.prompts import DEFAULT_INSTALL

EXIT_GOOD, EXIT_REFUSED = 0, 2


@dataclass(slots=True)
class _Findings:
    """What was found on the way."""

    faults: list[OrchestrateError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    report: Report = field(default_factory=lambda: Report(()))


@dataclass(frozen=True, slots=True)
class _Told:
    """The answer before it is printed."""

    prepared: Prepared
    forecast: Forecast
    costs: Mapping[TaskName, StartCost]
    changed: Mapping[TaskName, tuple[str, ...]]
    findings: _Findings


def dry_run(
    args: argparse.Namespace, settings: Settings, *, request: Request, environment: Environment, location: PlanLocation
) -> int:
    """Say what ``run`` with these arguments would do: exit code 0, or 2 with everything that would keep it from it."""
    prepared = prepared_or_refused(request, environment)
    folder = request.plan_path.parent
    loaded = read_workspace(folder, root_slug=prepared.plan.root_slug)
    findings = _Findings(warnings=not_enforced(prepared.plan))
    found = forecast(_state(prepared, loaded), prepared.plan, at=to_timestamp(SystemClock().now()))
    _look_for_an_engine(folder, findings)
    _look_for_a_stop(folder, request, findings)
    if found.launches:
        anyio.run(partial(_look_outside, prepared, environment, loaded, findings, folder=folder.resolve()))
    options = RequestOptions(
        repo_url=prepared.plan.repo_url,
        depth=environment.agent_depth,
        catalogue=findings.report.catalogue,
        install=environment.install or DEFAULT_INSTALL,
        prompt_limit=prompt_limit(prepared.runtime.kind),
    )
    redactor = redactor_of(environment.variables)
    renderer = PromptRenderer(
        prepared.plan,
        loaded=loaded,
        folder=folder,
        templates=prepared.templates,
        options=options,
        redactor=redactor,
    )
    costs = anyio.run(partial(_costs, renderer, found, loaded, findings))
    findings.warnings = safe_lines(findings.warnings, redactor)
    findings.faults = [safe_error(fault, redactor) for fault in findings.faults]
    told = _Told(prepared, found, costs, dict(_changed(prepared, found, folder)), findings)
    if args.json:
        output.put_json(_document(told))
    else:
        _print(told, args, settings, location)
    return EXIT_REFUSED if findings.faults else EXIT_GOOD


def _look_for_a_stop(folder: Path, request: Request, findings: _Findings) -> None:
    """A run that somebody stopped is refused unless it is revived."""
    if request.revive:
        return
    try:
        require_not_stopped(folder, plan=shlex.quote(str(request.plan_path)))
    except InputRefused as error:
        findings.faults.append(error)


def _state(prepared: Prepared, loaded: LoadedState) -> State:
    workspace = loaded.workspace_or(NO_WORKSPACE, root_slug=prepared.plan.root_slug)
    return State(workspace=workspace, session=Session(prepared.settings), rows=Map(loaded.rows))


def _look_for_an_engine(folder: Path, findings: _Findings) -> None:
    workspace = workspace_folder(folder)
    holder = living_holder(workspace, now=SystemClock().now())
    if holder is not None:
        findings.faults.append(taken(workspace, holder))


async def _look_outside(
    prepared: Prepared, environment: Environment, loaded: LoadedState, findings: _Findings, *, folder: Path
) -> None:
    """All that a run looks at before it starts, but for the prompts, which are rendered here anyway."""
    intent = intent_of(prepared, environment, folder=folder).after(loaded.rows)
    try:
        service = await service_at_hand(prepared.runtime.kind, environment)
    except InputRefused as error:
        findings.faults.append(error)
        service = None
    async with AsyncExitStack() as stack:
        client = None if service is None else await stack.enter_async_context(service.client())
        findings.report = await preflight(intent, client=client, git=Git(environment.variables))
    found = findings.report.findings
    findings.faults += refusals(having(found, Verdict.FAULT))
    findings.warnings += [finding.message for finding in having(found, Verdict.WARNING)]


async def _costs(
    renderer: PromptRenderer, found: Forecast, loaded: LoadedState, findings: _Findings
) -> dict[TaskName, StartCost]:
    """What each launch would send, as far as it is known now; a prompt that cannot be rendered is a fault."""
    costs = {}
    for task in found.launches:
        try:
            request = await renderer.request(task.name)
        except InputRefused as error:
            if not _has_no_model(findings.report, task.name):
                told = f"{task.name}: {error.message}"
                findings.faults.append(InputRefused(told, hint=error.hint, known=error.known))
            continue
        costs[task.name] = StartCost(
            prompt_bytes=len(request["prompt"]["text"].encode()),
            model=(request.get("model") or {}).get("id"),
            handoffs_to_come=sum(not _has_handoff(loaded, name) for name in task.row.depends_on),
        )
    return costs


def _has_no_model(report: Report, task: TaskName) -> bool:
    """True for a task whose fault was told already, with all others that want the same model."""
    return isinstance((report.choices or {}).get(task), NoModel)


def _has_handoff(loaded: LoadedState, name: TaskName) -> bool:
    return name in loaded.rows and loaded.rows[name].handoff_path is not None


def _changed(prepared: Prepared, found: Forecast, folder: Path) -> Iterator[tuple[TaskName, tuple[str, ...]]]:
    """Tasks whose definition is not the one any more that they ran with; they are told, and never run again for it."""
    files = AttemptFiles(workspace_folder(folder))
    for task in found.of(Fate.STAYS, Fate.WATCHED, Fate.LOOKED_UP, Fate.RESENT):
        if task.row.attempts:
            fields = changed_fields(prepared.plan, task.row, _sent(files, task.row))
            if fields:
                yield task.name, fields


def _sent(files: AttemptFiles, row: TaskRow) -> Sent | None:
    """What the latest request said; None where it is not on file, or none of ours."""
    data = files.read_request(row.name, row.attempts)
    try:
        body = orjson.loads(data or b"")
        named = (body.get("metadata") or {}).get(METADATA_MODEL)
        return Sent(prompt=str(body["prompt"]["text"]), model=named or (body.get("model") or {}).get("id"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _print(told: _Told, args: argparse.Namespace, settings: Settings, location: PlanLocation) -> None:
    prepared, findings = told.prepared, told.findings
    look = stdout_look(settings, args, argument=location.argument)
    view = DryRunView(
        slug=prepared.plan.root_slug,
        runtime=f"{prepared.runtime.kind} ({prepared.runtime.origin})",
        max_concurrent=prepared.settings.max_concurrent,
        forecast=told.forecast,
        costs=told.costs,
        changed=told.changed,
        is_refused=bool(findings.faults),
        money=told.forecast.money,
    )
    output.put(rendered(dry_run_screen(view, look, is_verbose=bool(args.verbose)), look))
    path = str(location.path)
    output.say(line for warning in prepared.warnings for line in fault_lines("attention", warning, plan_path=path))
    output.say(line for warning in findings.warnings for line in message_lines("attention", warning))
    output.say(line for fault in findings.faults for line in error_lines(fault, program=settings.program))


def _document(told: _Told) -> dict[str, object]:
    """The one object for programs."""
    prepared, findings = told.prepared, told.findings
    code = EXIT_REFUSED if findings.faults else EXIT_GOOD
    fields: dict[str, object] = {
        "dryRun": True,
        "exitCode": code,
        "rootSlug": prepared.plan.root_slug,
        "runtime": {"kind": prepared.runtime.kind, "origin": prepared.runtime.origin},
        "maxConcurrent": prepared.settings.max_concurrent,
        "money": told.forecast.money.document(),
        "tasks": [_task_object(task, told) for task in told.forecast.tasks],
        "warnings": [
            *map(output.fault_document, prepared.warnings),
            *({"message": text} for text in findings.warnings),
        ],
    }
    if told.forecast.hold is not None:
        fields["hold"] = told.forecast.hold
    if not findings.faults:
        return output.success("run", **fields)
    faults = [{"code": output.error_code(fault), "message": fault.message} for fault in findings.faults]
    return output.failure("run", findings.faults[0], **fields, faults=faults)


def _task_object(task: TaskForecast, told: _Told) -> dict[str, object]:
    row = task.row
    document: dict[str, object] = {"name": row.name, "type": row.type, "fate": task.fate}
    if task.wave is not None:
        document |= {"wave": task.wave, "startingRef": row.starting_ref}
    if task.because_of:
        document["heldBy" if task.fate is Fate.HELD else "waitsFor"] = task.because_of
    cost = told.costs.get(row.name)
    if cost is not None:
        document |= {"promptBytes": cost.prompt_bytes, "handoffsToCome": cost.handoffs_to_come}
        document |= {} if cost.model is None else {"model": cost.model}
    if row.name in told.changed:
        document["changedSinceItRan"] = told.changed[row.name]
    if task.fate in (Fate.STAYS, Fate.LOST):
        document |= {"status": row.status, "note": row.note} if row.note else {"status": row.status}
    return document
