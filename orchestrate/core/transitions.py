"""The steps that a task's status may take, and what leads to them; the diagram in the docs is drawn from this table."""

from dataclasses import dataclass

from orchestrate.model.vocabulary import TaskStatus


@dataclass(frozen=True, slots=True)
class Transition:
    """One legal step; each cause is an event, or what the machine decides by itself."""

    source: TaskStatus
    target: TaskStatus
    causes: tuple[str, ...]


_ANEW = "RespawnRequested"
_MESSAGE = "SteerRequested, or PlanRead with a message that waits"
_BY_HAND = "AcceptanceWritten, a person stands for it"

TABLE = (
    Transition(TaskStatus.PENDING, TaskStatus.RUNNING, ("a slot is free and every dependency handed off",)),
    Transition(TaskStatus.PENDING, TaskStatus.HANDED_OFF, (_BY_HAND,)),
    Transition(TaskStatus.PENDING, TaskStatus.ERROR, ("a subplanner would stand too deep to launch anybody",)),
    Transition(TaskStatus.ERROR, TaskStatus.HANDED_OFF, (_BY_HAND,)),
    Transition(TaskStatus.CANCELLED, TaskStatus.HANDED_OFF, (_BY_HAND,)),
    Transition(TaskStatus.HANDED_OFF, TaskStatus.RUNNING, (_MESSAGE,)),
    Transition(TaskStatus.ERROR, TaskStatus.RUNNING, (_MESSAGE,)),
    Transition(TaskStatus.PENDING, TaskStatus.PRUNED, ("PlanRead without the task", "CancelRequested")),
    Transition(TaskStatus.PRUNED, TaskStatus.PENDING, ("PlanRead with the task again, never launched", _ANEW)),
    Transition(TaskStatus.ERROR, TaskStatus.PENDING, (_ANEW,)),
    Transition(TaskStatus.CANCELLED, TaskStatus.PENDING, (_ANEW,)),
    Transition(TaskStatus.HANDED_OFF, TaskStatus.PENDING, (f"{_ANEW} again, or as another's source or behind it",)),
    Transition(TaskStatus.RUNNING, TaskStatus.HANDED_OFF, ("RunEnded FINISHED with a message",)),
    Transition(
        TaskStatus.RUNNING,
        TaskStatus.ERROR,
        (
            "RunEnded ERROR, EXPIRED or without a message",
            "LaunchRefused",
            "RunMissing",
            "AgentNotFound after a conflict",
            "PlanRead of a row without both ids",
        ),
    ),
    Transition(
        TaskStatus.RUNNING,
        TaskStatus.CANCELLED,
        ("RunEnded CANCELLED", "CancelRequested or StopFound, and no agent was made"),
    ),
    Transition(
        TaskStatus.RUNNING,
        TaskStatus.PENDING,
        ("AccessLost before the launch", "RunEnded that the plan's retry names"),
    ),
    Transition(
        TaskStatus.RUNNING,
        TaskStatus.PRUNED,
        ("AgentNotFound or its launch is due again, the task left the plan",),
    ),
)

_LEGAL = frozenset((step.source, step.target) for step in TABLE)


def is_legal(source: TaskStatus, target: TaskStatus) -> bool:
    """True when the table has the step; a status may always stay."""
    return source == target or (source, target) in _LEGAL


def diagram() -> str:
    """The table as a Mermaid state diagram, with an arrow for each cause."""
    lines = [f"    {_node(step.source)} --> {_node(step.target)}: {cause}" for step in TABLE for cause in step.causes]
    ends = [
        f"    {_node(status)} --> [*]" for status in (TaskStatus.HANDED_OFF, TaskStatus.ERROR, TaskStatus.CANCELLED)
    ]
    return "\n".join(["stateDiagram-v2", f"    [*] --> {_node(TaskStatus.PENDING)}", *lines, *ends])


def _node(status: TaskStatus) -> str:
    return status.value.replace("-", "_")
