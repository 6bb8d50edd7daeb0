"""What agents do right now: a side view for people, never journalled, never decided on."""

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrate.model.names import TaskName
from orchestrate.model.wire import Frame

#: A frame that only keeps the connection open: no activity of the agent.
HEARTBEAT = "heartbeat"

#: Longest piece of an agent's own words on the screen.
_DOING_LENGTH = 60

#: Where a tool call's arguments say what it is about.
_TELLING_ARGUMENTS = ("command", "path", "file", "filePath", "target_file", "pattern", "query", "url")


@dataclass(frozen=True, slots=True)
class Activity:
    """The last sign of life of a run."""

    #: On the engine's monotonic clock.
    at: float
    doing: str | None = None


class ActivityView:
    """The last activity of each watched task."""

    def __init__(self) -> None:
        self._activities: dict[TaskName, Activity] = {}

    def of(self, task: TaskName) -> Activity | None:
        """The task's last sign of life in this session."""
        return self._activities.get(task)

    def saw(self, task: TaskName, frame: Frame, *, at: float) -> None:
        """Take in a frame that shows activity."""
        before = self._activities.get(task)
        doing = doing_of(frame) or (before.doing if before else None)
        self._activities[task] = Activity(at, doing)

    def began(self, task: TaskName, *, at: float) -> None:
        """The task is watched from now on."""
        self._activities[task] = Activity(at)

    def ended(self, task: TaskName) -> None:
        """The task is not watched any more."""
        self._activities.pop(task, None)


def doing_of(frame: Frame) -> str | None:
    """What the agent does, in a few words; None when the frame does not tell."""
    match frame.event:
        case "tool_call":
            return _shortened(_tool_words(frame.data))
        case "thinking":
            return "thinking"
        case "assistant":
            return "writing its reply"
        case _:
            return None


def _tool_words(data: Mapping[str, object]) -> str:
    name = str(data.get("name") or "a tool")
    arguments = data.get("args")
    if isinstance(arguments, Mapping):
        for key in _TELLING_ARGUMENTS:
            if isinstance(arguments.get(key), str):
                return f"{name} {arguments[key]}"
    return name


def _shortened(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= _DOING_LENGTH else line[: _DOING_LENGTH - 1] + "…"
