"""The rules of a plan that no single field can break: each yields the problems that it finds."""

from collections.abc import Iterator, Sequence

from orchestrate.model.faults import Problem, quoted
from orchestrate.model.graph import cycles
from orchestrate.model.names import placeholder_branch
from orchestrate.model.nearest import Nearest
from orchestrate.model.plan_outline import Mention, PlanOutline, TaskOutline
from orchestrate.model.repo_url import repo_url_fault
from orchestrate.model.vocabulary import RuntimeKind, TaskType

#: A postmortem of task ``x`` is written to ``handoffs/x-failure.md``.
POSTMORTEM_SUFFIXES = ("-failure", "-finished-no-handoff")

#: Names of a cycle that a message repeats; what is longer is cut in the middle.
_NAMES_SHOWN = 12


def broken_rules(outline: PlanOutline, *, local: bool | None) -> Iterator[Problem]:
    """Every problem between the parts of the plan."""
    yield from _repository(outline, local=local)
    yield from _repeated_names(outline.named)
    yield from _shared_files(outline)
    yield from _shared_branches(outline.named)
    yield from _targets(outline.tasks)
    yield from _shares(outline.tasks)
    yield from _references(outline)
    yield from _cycles(outline)


def _repository(outline: PlanOutline, *, local: bool | None) -> Iterator[Problem]:
    if outline.repo_url is None or not outline.repo_url.strip():
        return  # the field's own rule has said so
    is_local = outline.runtime_kind == RuntimeKind.LOCAL if local is None else local
    fault = repo_url_fault(outline.repo_url, local=is_local)
    if fault is not None:
        yield Problem(("repoUrl",), fault)


def _repeated_names(tasks: Sequence[TaskOutline]) -> Iterator[Problem]:
    first: dict[str, TaskOutline] = {}
    for task in tasks:
        other = first.setdefault(task.name.casefold(), task)
        if other is task:
            continue
        spelling = "" if other.name == task.name else f", written {quoted(other.name)}"
        yield Problem(
            task.at("name"), f"duplicate task name {quoted(task.name)}: tasks[{other.index}] has it too{spelling}"
        )


def _shared_files(outline: PlanOutline) -> Iterator[Problem]:
    for task in outline.named:
        for suffix in POSTMORTEM_SUFFIXES:
            other = task.name.removesuffix(suffix)
            if other != task.name and other in outline.by_name:
                yield Problem(
                    task.at("name"),
                    f"{quoted(task.name)} and the postmortem of {quoted(other)} would be the same file; rename one task",
                )


def _shared_branches(tasks: Sequence[TaskOutline]) -> Iterator[Problem]:
    first: dict[str, TaskOutline] = {}
    for task in tasks:
        other = first.setdefault(_branch_part(task), task)
        if other.name != task.name:
            yield Problem(
                task.at("name"),
                f"{quoted(task.name)} and {quoted(other.name)} would have the same branch; rename one task",
            )


def _branch_part(task: TaskOutline) -> str:
    return placeholder_branch("", task.name, task_type=task.type)


def _targets(tasks: Sequence[TaskOutline]) -> Iterator[Problem]:
    for task in tasks:
        if task.type == TaskType.VERIFIER:
            if not task.has_verifies:
                yield Problem(task.at("verifies"), "is missing; a verifier names the task that it checks")
            elif task.verifies is not None and task.verifies.name == task.name:
                yield Problem(task.verifies.location, "a verifier cannot verify itself")
        elif task.type in list(TaskType) and task.verifies is not None:
            yield Problem(task.verifies.location, f"only a verifier has verifies, and this is a {task.type}")


def _shares(tasks: Sequence[TaskOutline]) -> Iterator[Problem]:
    for task in tasks:
        if task.type in list(TaskType) and task.type != TaskType.SUBPLANNER:
            for name in task.share_fields:
                yield Problem(task.at(name), f"only a subplanner has {name}, and this is a {task.type}")


def _references(outline: PlanOutline) -> Iterator[Problem]:
    nearest = Nearest(outline.by_name)
    for task in outline.tasks:
        for mention in task.depends_on:
            if mention.name == task.name != "":
                yield Problem(mention.location, "a task cannot depend on itself")
        for mention in task.mentions:
            if mention.name not in outline.by_name:
                yield Problem(mention.location, f"unknown task {quoted(mention.name)}{nearest.question(mention.name)}")


def _cycles(outline: PlanOutline) -> Iterator[Problem]:
    mentions: dict[str, dict[str, Mention]] = {
        name: {
            mention.name: mention
            for mention in reversed(task.mentions)
            if mention.name in outline.by_name and mention.name != name
        }
        for name, task in outline.by_name.items()
    }
    ordered = {task.name: list(mentions[task.name]) for task in outline.named}
    for cycle in cycles(ordered):
        edge = mentions[cycle[0]][cycle[1]]
        yield Problem(edge.location, f"cycle {_shortened(cycle)}")


def _shortened(cycle: Sequence[str]) -> str:
    if len(cycle) > _NAMES_SHOWN:
        half = _NAMES_SHOWN // 2
        cycle = (*cycle[:half], f"({len(cycle) - _NAMES_SHOWN} more)", *cycle[-half:])
    return " -> ".join(cycle)
