"""``orchestrate init --goal "..."``: write the first plan of a repository, valid as it is."""

import argparse
import json
import os
import re
import shlex
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio

from orchestrate.cli import output
from orchestrate.cli.first_plan import SCHEMA_FILE, Source, plan_document, slug_of, source_of
from orchestrate.cli.locating import CUSTOM, PLAN
from orchestrate.cli.messages import count_of, fault_lines, message_lines
from orchestrate.cli.settings import Settings
from orchestrate.errors import InputRefused, OrchestrateError, PlanRefused, SeveralRefused
from orchestrate.model.checking import parse_plan
from orchestrate.model.faults import Fault, quoted
from orchestrate.model.schema import plan_schema
from orchestrate.repo.git import Git
from orchestrate.repo.origin import Origin, origin_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--goal", metavar="TEXT", required=True, help="what you want, in your words")
    parser.add_argument("--slug", metavar="SLUG", help="name of the run in kebab-case (default: from the goal)")
    parser.add_argument(
        "--dir", metavar="DIR", type=Path, help=f"folder for the plan (default: {CUSTOM}/SLUG in the repository)"
    )
    parser.add_argument(
        "--task", metavar="NAME", action="append", default=[], help="a task of this name; may be given several times"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


@dataclass(frozen=True, slots=True)
class _NewPlan:
    """A plan before it is written."""

    folder: Path
    source: Source
    document: dict[str, object]
    #: What it is warned of although it is valid.
    warnings: tuple[Fault, ...]
    has_commits: bool

    @property
    def text(self) -> str:
        return json.dumps(self.document, indent=2, ensure_ascii=False) + "\n"

    @property
    def shown(self) -> str:
        """Its path as the reader can use it."""
        return _shown(self.folder / PLAN)

    @property
    def names(self) -> list[str]:
        tasks = self.document["tasks"]
        assert isinstance(tasks, list)
        return [str(task["name"]) for task in tasks]


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Write the plan and say what to type next; nothing that exists is overwritten."""
    plan = _new_plan(args, anyio.run(partial(_origin, settings)))
    if not args.dry_run:
        _write(plan)
    elif not args.json:
        output.put([plan.text.rstrip("\n")])
        return 0
    output.say(_attentions(plan))
    if args.json:
        output.put_json(_object(plan, is_dry_run=args.dry_run))
    elif not args.quiet:
        output.put(_closing(plan, settings))
    return 0


def _new_plan(args: argparse.Namespace, origin: Origin) -> _NewPlan:
    slug = args.slug if args.slug is not None else slug_of(args.goal)
    folder = origin.top / CUSTOM / slug if args.dir is None else Path(os.path.abspath(args.dir))  # noqa: PTH100  symlinks stay as they were typed
    source = source_of(origin, folder=folder)
    document = plan_document(goal=args.goal, slug=slug, source=source, tasks=args.task)
    try:
        _, warnings = parse_plan(document)
    except PlanRefused as refusal:
        raise _in_options(refusal, args) from refusal
    return _NewPlan(folder, source, document, tuple(warnings), has_commits=origin.has_commits)


def _in_options(refusal: PlanRefused, args: argparse.Namespace) -> OrchestrateError:
    """The faults by the options that they came from, of a plan that nobody has written yet."""
    told = list(dict.fromkeys(_in_option(fault, args) for fault in refusal.faults))
    if None in told:
        return refusal
    refusals = [InputRefused(f"{words}. Nothing was written.".replace("?.", "?")) for words in told]
    return refusals[0] if len(refusals) == 1 else SeveralRefused(f"{len(told)} faults.", refusals=refusals)


def _in_option(fault: Fault, args: argparse.Namespace) -> str | None:
    task = re.fullmatch(r"tasks\[(\d+)\]\.name", fault.path)
    if task is not None and args.task:
        return f"--task {quoted(args.task[int(task[1])])}: {fault.message}"
    if fault.path == "rootSlug" and args.slug is not None:
        return f"--slug {quoted(args.slug)}: {fault.message}"
    return f"--goal: {fault.message}" if fault.path in ("goal", "tasks[0].scopedGoal") else None


async def _origin(settings: Settings) -> Origin:
    git = Git(settings.environ)
    if not await git.is_installed():
        raise InputRefused("git was not found. Nothing was written.", hint="install git")
    origin = await origin_of(git, Path.cwd())
    if origin is None:
        raise InputRefused(
            "this folder is in no git repository. Nothing was written.", hint="go to your repository, or `git init`"
        )
    return origin


def _write(plan: _NewPlan) -> None:
    """The plan and the schema beside it, which lets editors complete the plan."""
    try:
        plan.folder.mkdir(parents=True, exist_ok=True)
        with (plan.folder / PLAN).open("x", encoding="utf-8") as file:
            file.write(plan.text)
        schema = plan.folder / SCHEMA_FILE
        if not schema.exists():
            schema.write_text(json.dumps(plan_schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except FileExistsError as error:
        raise InputRefused(
            f"{plan.shown} exists already; it was left as it is.", hint="name another run with --slug, or edit that one"
        ) from error
    except OSError as error:
        reason = (error.strerror or "no reason").lower()
        raise InputRefused(f"{plan.shown} cannot be written: {reason}.", hint="name a folder with --dir") from error


def _attentions(plan: _NewPlan) -> list[str]:
    told = [] if plan.source.attention is None else [plan.source.attention]
    if not plan.has_commits:
        told.append("the repository has no commit yet; agents start from one.")
    lines = [line for message in told for line in message_lines("attention", message)]
    return lines + [
        line for warning in plan.warnings for line in fault_lines("attention", warning, plan_path=plan.shown)
    ]


def _object(plan: _NewPlan, *, is_dry_run: bool) -> dict[str, object]:
    """The answer to ``--json``."""
    source = plan.source
    fields: dict[str, object] = {"path": plan.shown, "isWritten": not is_dry_run, "plan": plan.document}
    if source.attention is not None:
        fields["attention"] = [source.attention]
    return output.success("init", **fields)


def _closing(plan: _NewPlan, settings: Settings) -> list[str]:
    """What was written and what to type next, each line as it works from the reader's folder."""
    program, place, source = settings.program, shlex.quote(_shown(plan.folder)), plan.source
    lines = [
        f"{plan.shown}: {count_of(len(plan.names), 'task')}, from {source.base_branch} of {source.repo_url}",
        f"  edit   {plan.shown}: what is true when {plan.names[0]} is done, and further tasks",
        f"  check  {program} validate {place}",
        f"  read   {program} prompt {place} {plan.names[0]}",
    ]
    local = "--agent-command PROGRAM" if source.is_local else "--runtime local --agent-command PROGRAM"
    first = local if source.is_local else "--runtime cloud"
    lines += [f"  see    {program} run {place} {first} --dry-run", f"  run    {program} run {place} {first}"]
    return lines if source.is_local else [*lines, f"  or     {program} run {place} {local}"]


def _shown(path: Path) -> str:
    """The path as it is best typed from the current folder; never one that reads as an option."""
    relative = os.path.relpath(path)
    if relative.startswith("-"):
        relative = f"./{relative}"
    return min(relative, str(path), key=len)
