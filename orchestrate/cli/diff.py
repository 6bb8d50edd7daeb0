"""``orchestrate diff PLAN TASK``: what a task changed, fetched from the remote; nothing of the user's repository is touched."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import anyio

from orchestrate.cli import output
from orchestrate.cli.locating import PlanLocation, locate
from orchestrate.cli.messages import message_lines
from orchestrate.cli.plan_file import read_plan_file
from orchestrate.cli.runtime import repository_address
from orchestrate.cli.screens.layout import Look, Span, Tint, rendered
from orchestrate.cli.screens.vocabulary import standing
from orchestrate.cli.settings import Settings
from orchestrate.cli.task_argument import known_task, plan_in_words
from orchestrate.cli.terminal import stdout_look
from orchestrate.core.branches import has_real_branch
from orchestrate.core.paths_kept import paths_kept
from orchestrate.errors import InputRefused
from orchestrate.model.checking import parse_plan
from orchestrate.model.names import is_valid_ref, placeholder_branch
from orchestrate.model.plan import Plan
from orchestrate.model.row_format import finding_document
from orchestrate.model.rows import PathFinding, TaskRow
from orchestrate.model.vocabulary import RuntimeKind, TaskStatus
from orchestrate.repo.differences import FETCH_SECONDS, difference
from orchestrate.repo.git import Git
from orchestrate.store.loading import read_workspace
from orchestrate.text.terminal import escape_for_terminal

#: Files that a message names.
_NAMED = 10
_ENDED = (TaskStatus.ERROR, TaskStatus.CANCELLED, TaskStatus.PRUNED)
_TINTS = (("@@", Tint.RUNNING), ("+++", Tint.STRONG), ("---", Tint.STRONG), ("+", Tint.DONE), ("-", Tint.ERROR))


@dataclass(frozen=True, slots=True)
class _Told:
    """What is known of the difference."""

    row: TaskRow
    base: str
    head: str
    files: tuple[str, ...]
    findings: tuple[PathFinding, ...]
    #: What git prints of it.
    patch: bytes

    @property
    def is_merged(self) -> bool:
        """True if the branch has nothing that its starting point lacks."""
        return self.base == self.head


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", help="plan.json or its folder; . where the folder has one plan")
    parser.add_argument("task", metavar="TASK", help="name of the task")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--stat", action="store_true", help="files, and how many lines of each")
    form.add_argument("--name-only", action="store_true", help="files alone")
    form.add_argument("--json", action="store_true", help="one JSON object on stdout: commits, files, paths not kept")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print it: escaped at a terminal, verbatim into a pipe."""
    location = locate(args.plan)
    plan, _ = parse_plan(read_plan_file(location.path), local=True)
    rows = read_workspace(location.folder, root_slug=plan.root_slug).rows
    if not rows:
        raise InputRefused(
            f"{plan_in_words(location.argument)} was never run.", hint=f"orchestrate run {location.argument}"
        )
    row = rows[known_task(args.task, rows, plan=location.argument)]
    _require_branch(plan, row, location)
    look = stdout_look(settings, args, argument=location.argument)
    told = anyio.run(partial(_looked_up, plan, row, location, settings, _form(args, look)))
    if not args.quiet:
        output.say(_remarks(told))
    if args.json:
        output.put_json(output.success("diff", **_fields(told)))
    elif settings.streams.stdout_is_terminal:
        output.put(_shown(told.patch, look))
    else:
        output.put_bytes(told.patch)
    return 0


def _form(args: argparse.Namespace, look: Look) -> tuple[str, ...]:
    if args.stat:
        return (f"--stat={look.columns}",)
    return ("--name-only",) if args.name_only or args.json else ()


def _require_branch(plan: Plan, row: TaskRow, location: PlanLocation) -> None:
    """Refuse a task that has pushed nothing, as far as its row tells."""
    planned = (placeholder_branch(plan.root_slug, row.name, task_type=row.type), plan.base_branch)
    may_have_pushed = row.status in _ENDED and row.pushed is not False and row.branch not in planned
    if has_real_branch(plan, row) or (may_have_pushed and is_valid_ref(row.branch)):
        return
    raise InputRefused(
        f"{row.name} has no branch to look at: it is {standing(row).word}.",
        hint=f"orchestrate status {location.argument} -v",
    )


async def _looked_up(
    plan: Plan, row: TaskRow, location: PlanLocation, settings: Settings, form: Sequence[str]
) -> _Told:
    git = replace(Git(settings.environ), deadline_seconds=FETCH_SECONDS)
    folder = location.folder.resolve()
    url = repository_address(plan, folder=folder, kind=RuntimeKind.LOCAL)
    async with difference(
        git, url, branch=row.branch, start=row.starting_ref or plan.base_branch, clone=folder
    ) as found:
        files = await found.files()
        return _Told(row, found.base, found.head, files, _findings(plan, row, files), await found.patch(*form))


def _findings(plan: Plan, row: TaskRow, files: Sequence[str]) -> tuple[PathFinding, ...]:
    task = plan.tasks_by_name.get(row.name)
    if task is None:
        return ()
    return paths_kept(files, allowed=task.paths_allowed, forbidden=task.paths_forbidden)


def _remarks(told: _Told) -> list[str]:
    row, lines = told.row, []
    if told.is_merged:
        words = f"{row.branch} has no commit that {row.starting_ref} lacks: nothing was added, or it was merged."
        lines += message_lines("note", words)
    if told.findings:
        count = len(told.findings)
        files = "a file" if count == 1 else f"{count} files"
        shown = [escape_for_terminal(str(finding)) for finding in told.findings[:_NAMED]]
        rest = [f"and {count - _NAMED} more"] if count > _NAMED else []
        words = f"{row.name} changed {files} that the plan does not give it."
        lines += message_lines("attention", words, known=[*shown, *rest])
    return lines


def _fields(told: _Told) -> dict[str, object]:
    """The answer to ``--json``."""
    return {
        "task": told.row.name,
        "branch": told.row.branch,
        "headSha": told.head,
        "startingRef": told.row.starting_ref,
        "baseSha": told.base,
        "files": told.files,
        "pathsNotKept": [finding_document(finding) for finding in told.findings],
    }


def _shown(patch: bytes, look: Look) -> list[str]:
    """The lines for a terminal, none of them cut: what could do something to it is escaped, colours are ours."""
    text = patch.decode(errors="replace").removesuffix("\n").expandtabs()
    return rendered([(Span(each, _tint(each), is_whole=True),) for each in text.split("\n")], look) if text else []


def _tint(text: str) -> Tint | None:
    return next((tint for start, tint in _TINTS if text.startswith(start)), None)
