"""``orchestrate doctor PLAN``: everything that a run looks at before it launches, and nothing else."""

import argparse
from functools import partial
from pathlib import Path

import anyio

from orchestrate.cli import numbers, output
from orchestrate.cli.checks.findings import Finding, Verdict, having, refusals
from orchestrate.cli.examination import Examined, examine
from orchestrate.cli.locating import PlanLocation, locate
from orchestrate.cli.running import Request
from orchestrate.cli.screens.doctor import DoctorView, doctor_screen
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.settings import Settings
from orchestrate.cli.surroundings import environment_of
from orchestrate.cli.terminal import stdout_look
from orchestrate.errors import InputRefused
from orchestrate.model.vocabulary import RuntimeKind

_EXIT_GOOD, _EXIT_FAULT = 0, 2


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb: those of ``run`` that change what is looked at."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument("--runtime", choices=[kind.value for kind in RuntimeKind], help="where agents would run")
    parser.add_argument("--max-concurrent", metavar="N", type=numbers.count, help="agents that would run at once")
    parser.add_argument("--templates", metavar="DIR", type=Path, help="prompt templates that replace the shipped ones")
    parser.add_argument("--agent-command", metavar="CMD", help="program that is an agent of the local runtime")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print every finding; exit code 2 if one of them would keep a run from starting."""
    location = locate(args.plan)
    request = Request(
        plan_path=location.path,
        runtime=args.runtime,
        max_concurrent=args.max_concurrent,
        templates_folder=args.templates,
        agent_command=args.agent_command,
    )
    examined = anyio.run(partial(examine, request, environment_of(settings)))
    if args.json:
        output.put_json(_document(examined))
    else:
        _print(examined, args, settings, location)
    return _EXIT_FAULT if having(examined.findings, Verdict.FAULT) else _EXIT_GOOD


def _print(examined: Examined, args: argparse.Namespace, settings: Settings, location: PlanLocation) -> None:
    runtime = examined.runtime
    shown = examined.findings
    if args.quiet:
        shown = [finding for finding in shown if finding.verdict in (Verdict.FAULT, Verdict.WARNING)]
    view = DoctorView(
        slug=str(location.path) if examined.plan is None else examined.plan.root_slug,
        runtime="" if runtime is None else f"runtime {runtime.kind} ({runtime.origin})",
        findings=shown,
    )
    look = stdout_look(settings, args, argument=location.argument)
    output.put(rendered(doctor_screen(view, look), look))


def _document(examined: Examined) -> dict[str, object]:
    faults = refusals(having(examined.findings, Verdict.FAULT))
    fields: dict[str, object] = {
        "exitCode": _EXIT_FAULT if faults else _EXIT_GOOD,
        "checks": [_finding_object(finding) for finding in examined.findings],
    }
    if examined.plan is not None:
        fields["rootSlug"] = examined.plan.root_slug
    if examined.runtime is not None:
        fields["runtime"] = {"kind": examined.runtime.kind, "origin": examined.runtime.origin}
    if not faults:
        return output.success("doctor", **fields)
    told = [_finding_object(finding) for finding in having(examined.findings, Verdict.FAULT)]
    return output.failure("doctor", _together(faults), **fields, faults=told)


def _together(faults: list[InputRefused]) -> InputRefused:
    """What the object gives as the error: the first fault, and how many more there are."""
    first, more = faults[0], len(faults) - 1
    rest = f" And {more} more, see faults." if more else ""
    return InputRefused(f"{first.message}{rest}", hint=first.hint)


def _finding_object(finding: Finding) -> dict[str, object]:
    document: dict[str, object] = {
        "check": finding.check,
        "verdict": finding.verdict,
        "message": finding.message,
    }
    if finding.known:
        document["known"] = finding.known
    return document if finding.hint is None else {**document, "do": finding.hint}
