"""Whether the repository is there, with the base branch and every ref that a task starts from.

There, not there, or not to be told: only a positive "not there" keeps a run from starting, because the service reads
the repository, not this machine. Local agents read it from this machine; for them a repository that cannot be read is
a fault too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrate.cli.checks.findings import Check, Finding, fault, good, warning
from orchestrate.cli.messages import listed
from orchestrate.cli.plan_file import PlanPlaces
from orchestrate.cli.recovery import what_to_do
from orchestrate.errors import ServiceError
from orchestrate.model.faults import quoted
from orchestrate.model.names import TaskName, placeholder_branch
from orchestrate.model.nearest import Nearest
from orchestrate.model.plan import Plan, Task
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.repo.git import Git
from orchestrate.repo.remote_refs import RemoteRefs, remote_refs

#: How many branches, or tasks, a message names.
_BRANCHES_NAMED = 5
_TASKS_NAMED = 3
_COMMIT = re.compile(r"[0-9a-f]{7,64}\Z")


@dataclass(frozen=True, slots=True)
class Repository:
    """What is looked for, and where."""

    plan: Plan
    url: str
    kind: RuntimeKind
    places: PlanPlaces
    #: Tasks that a run would still launch, with their places in the plan.
    tasks: Sequence[tuple[int, Task]]


async def check_repository(git: Git, about: Repository) -> list[Finding]:
    """The faults and warnings, or that all is there."""
    if about.kind is RuntimeKind.LOCAL and not await git.is_installed():
        return [fault(Check.REPOSITORY, "git was not found; local agents need it", hint="install git")]
    try:
        refs = await remote_refs(git, about.url)
    except ServiceError as error:
        if about.kind is RuntimeKind.LOCAL:
            return [fault(Check.REPOSITORY, error.message, hint=what_to_do(error))]
        return [warning(Check.REPOSITORY, f"the base branch could not be checked from here: {error.message}")]
    findings = [*_base(refs, about), *_starting_refs(refs, about)]
    return findings or [good(Check.REPOSITORY, _all_there(about))]


def _base(refs: RemoteRefs, about: Repository) -> Iterator[Finding]:
    base = about.plan.base_branch
    if refs.has(base):
        return
    has = f"it has {', '.join(sorted(refs.branches)[:_BRANCHES_NAMED])}" if refs.branches else "it has no branches"
    yield fault(
        Check.REPOSITORY,
        f"base branch {quoted(base)} is not on the remote; {has}",
        hint=f"set baseBranch, {about.places.line_of('baseBranch')}"
        if refs.branches
        else "make a first commit there, then run the same command again",
    )


def _starting_refs(refs: RemoteRefs, about: Repository) -> Iterator[Finding]:
    """Refs that the plan names; where a task before it may still push one, its absence is no fault."""
    nearest = Nearest(refs.branches)
    wanted = _named_refs(about)
    for ref, tasks in wanted.items():
        if refs.has(ref):
            continue
        names = [task.name for _, task in tasks]
        first = tasks[0][0]
        whose = f"{'task' if len(names) == 1 else 'tasks'} {listed(names, at_most=_TASKS_NAMED)}"
        if _COMMIT.match(ref):
            yield warning(Check.REPOSITORY, f"commit {ref} ({whose}) could not be looked up; no branch or tag is at it")
        elif all(task.depends_on for _, task in tasks):
            yield warning(
                Check.REPOSITORY,
                f"branch {quoted(ref)} ({whose}) is not on the remote yet; a task before it would have to push it",
            )
        else:
            near = nearest.to(ref)
            value = f" to {quoted(near)}" if near else ""
            yield fault(
                Check.REPOSITORY,
                f"branch {quoted(ref)}, from which {whose} {'starts' if len(names) == 1 else 'start'},"
                " is not on the remote",
                hint=f"set startingRef{value}, {about.places.at('tasks', first, 'startingRef')}",
            )


def _named_refs(about: Repository) -> dict[str, list[tuple[int, Task]]]:
    """The refs that tasks start from by the plan's own word; a placeholder becomes a real branch in the run."""
    placeholders = {
        placeholder_branch(about.plan.root_slug, task.name, task_type=task.type) for task in about.plan.tasks
    }
    found: dict[str, list[tuple[int, Task]]] = {}
    for index, task in about.tasks:
        ref = task.starting_ref
        if ref is not None and ref not in placeholders and ref != about.plan.base_branch:
            found.setdefault(ref, []).append((index, task))
    return found


def _all_there(about: Repository) -> str:
    refs = _named_refs(about)
    rest = f" and {listed([quoted(ref) for ref in refs], at_most=_BRANCHES_NAMED)}" if refs else ""
    verb = "are" if refs else "is"
    return f"{quoted(about.plan.base_branch)}{rest} {verb} on the remote"


def still_to_launch(plan: Plan, launched: frozenset[TaskName]) -> list[tuple[int, Task]]:
    """The tasks that are not among these, with their places in the plan."""
    return [(index, task) for index, task in enumerate(plan.tasks) if task.name not in launched]
