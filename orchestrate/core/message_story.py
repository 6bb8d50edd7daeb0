"""The story of a task where it is about messages to its agent."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from orchestrate.core.scenes import Scene
from orchestrate.model.messages import QueuedMessage
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import MessageDelay, TaskStatus

_REASONS = {
    MessageDelay.BUSY: "another run of its agent goes on",
    MessageDelay.RATE_LIMIT: "the service takes no more calls now",
    MessageDelay.UNREACHABLE: "the service cannot be reached",
}
#: So many characters of an id are enough for people.
_SHORT_ID = 8


def new_turn(scene: Scene) -> list[str]:
    """A message has its turn: the task, which was over or whose run has ended, runs on with it."""
    due = _due(scene.row)
    if due is None or scene.before is None:
        return []
    former = _due(scene.before)
    if former is not None and former.id == due.id:
        return []
    return [f"message {due.id[:_SHORT_ID]} of {due.by} has its turn"]


def _due(row: TaskRow) -> QueuedMessage | None:
    """The message that the task runs with, or that is on its way."""
    if row.status != TaskStatus.RUNNING or not row.queue:
        return None
    return row.queue[0] if row.queue[0].due_at is not None else None


def _steer_requested(scene: Scene) -> list[str]:
    who, row = scene.said("by") or "somebody", scene.row
    words = f"{who} has message {scene.said('request')[:_SHORT_ID]} for its agent"
    return [f"{words}; it waits for its turn"] if row.is_called else [words]


def _drop_requested(scene: Scene) -> list[str]:
    return [f"{scene.said('by') or 'somebody'} took message {scene.said('message')[:_SHORT_ID]} back"]


def _runs_seen(scene: Scene) -> list[str]:
    if scene.said("found"):
        return [f"{_message(scene)} has begun a run already; it is watched"]
    return [f"{_message(scene)} leaves"] if scene.row.status == TaskStatus.RUNNING else []


def _sent(scene: Scene) -> list[str]:
    return [f"running with {_message(scene)}"]


def _delayed(scene: Scene) -> list[str]:
    try:
        reason = _REASONS.get(MessageDelay(scene.said("delay")), "later")
    except ValueError:
        reason = "later"
    return [f"{reason}: {_message(scene)} waits, and was not sent"] if scene.row.status == TaskStatus.RUNNING else []


def _refused(scene: Scene) -> list[str]:
    return [f"{_message(scene)} was refused: {scene.said('message')}"]


def _unknown(scene: Scene) -> list[str]:
    return [f"no answer to {_message(scene)}; the runs of its agent are looked at before anything is sent again"]


def _message(scene: Scene) -> str:
    return f"message {scene.said('message_id')[:_SHORT_ID]}"


TELLERS: Mapping[str, Callable[[Scene], list[str]]] = MappingProxyType(
    {
        "SteerRequested": _steer_requested,
        "DropRequested": _drop_requested,
        "RunsSeen": _runs_seen,
        "FollowUpSent": _sent,
        "FollowUpDelayed": _delayed,
        "FollowUpRefused": _refused,
        "FollowUpOutcomeUnknown": _unknown,
    }
)
