"""What the rules across tasks need to know of a plan, read out of plain values that may be wrong in any way.

So all faults are found at once: a wrong type in one task hides neither a cycle nor an unknown name in another.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from orchestrate.model.faults import Location
from orchestrate.model.vocabulary import TaskType

#: What a task gives to a planner below.
SHARE_FIELDS = ("maxAgents", "budgetCents")


@dataclass(frozen=True, slots=True)
class Mention:
    """The name of a task where another one refers to it."""

    name: str
    location: Location


@dataclass(frozen=True, slots=True)
class TaskOutline:
    """A task as far as it can be read; what is missing or of a wrong type is empty."""

    index: int
    name: str
    type: str
    depends_on: tuple[Mention, ...]
    #: None if it is missing or no text; ``has_verifies`` tells these apart.
    verifies: Mention | None
    has_verifies: bool
    #: Fields of it that only a subplanner has.
    share_fields: tuple[str, ...] = ()

    def at(self, *steps: str | int) -> Location:
        """The location of a part of this task."""
        return ("tasks", self.index, *steps)

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """Every task that this one waits for, as the plan says it."""
        target = (self.verifies,) if self.verifies is not None and self.type == TaskType.VERIFIER else ()
        return (*self.depends_on, *target)


@dataclass(frozen=True)
class PlanOutline:
    """The tasks, and what stands above them."""

    tasks: tuple[TaskOutline, ...]
    repo_url: str | None
    runtime_kind: str | None

    @cached_property
    def by_name(self) -> dict[str, TaskOutline]:
        """The first task of each name."""
        return {task.name: task for task in reversed(self.named)}

    @cached_property
    def named(self) -> tuple[TaskOutline, ...]:
        """The tasks that have a name, be it a bad one."""
        return tuple(task for task in self.tasks if task.name)


def outline_of(value: object) -> PlanOutline:
    """The outline of a plan, whatever the value is."""
    tasks = _field(value, "tasks")
    listed = enumerate(tasks) if isinstance(tasks, list) else ()
    return PlanOutline(
        tasks=tuple(_task(index, task) for index, task in listed),
        repo_url=_text(value, "repoUrl"),
        runtime_kind=_text(_field(value, "runtime"), "kind"),
    )


def _task(index: int, task: object) -> TaskOutline:
    verifies = _text(task, "verifies")
    return TaskOutline(
        index=index,
        name=_text(task, "name") or "",
        type=_text(task, "type") or "",
        depends_on=tuple(_mentions(index, _field(task, "dependsOn"))),
        verifies=None if verifies is None else Mention(verifies, ("tasks", index, "verifies")),
        has_verifies=_field(task, "verifies") is not None,
        share_fields=tuple(name for name in SHARE_FIELDS if _field(task, name) is not None),
    )


def _mentions(index: int, names: object) -> Iterator[Mention]:
    if isinstance(names, list):
        for place, name in enumerate(names):
            if isinstance(name, str):
                yield Mention(name, ("tasks", index, "dependsOn", place))


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def _text(value: object, name: str) -> str | None:
    found = _field(value, name)
    return found if isinstance(found, str) else None
