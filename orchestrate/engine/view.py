"""What agents do right now: a side view for people, never journalled, never decided on."""

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrate.model.names import TaskName
from orchestrate.model.wire import Frame
from orchestrate.text.redaction import Redactor

#: Frames that show the agent at work; the others are the service's own: heartbeats, statuses, errors, ends.
_ACTIVITY = frozenset({"assistant", "thinking", "tool_call", "interaction_update"})

#: Longest piece of an agent's own words on the screen.
_DOING_LENGTH = 60
#: What is read of an argument; the command line of a whole program is longer.
_ARGUMENT_READ = 4096

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

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._activities: dict[TaskName, Activity] = {}
        #: Tasks whose last thought broke off in the middle of a line.
        self._unfinished: set[TaskName] = set()

    def of(self, task: TaskName) -> Activity | None:
        """The task's last sign of life in this session."""
        return self._activities.get(task)

    def saw(self, task: TaskName, frame: Frame, *, at: float) -> str | None:
        """Take in a frame that shows activity; what the agent does now, None if that is nothing else than before."""
        before = self._activities.get(task)
        known = before.doing if before else None
        words = words_of(frame, goes_on=task in self._unfinished)
        self._note_line_end(task, frame)
        doing = known if words is None else _shortened(self._redactor.redact(words))
        self._activities[task] = Activity(at, doing)
        return None if doing == known else doing

    def began(self, task: TaskName, *, at: float) -> None:
        """The task is watched from now on."""
        self._activities[task] = Activity(at)

    def ended(self, task: TaskName) -> None:
        """The task is not watched any more."""
        self._activities.pop(task, None)
        self._unfinished.discard(task)

    def _note_line_end(self, task: TaskName, frame: Frame) -> None:
        text = frame.data.get("text")
        if frame.event != "thinking" or not isinstance(text, str) or not text:
            return
        if text.endswith("\n"):
            self._unfinished.discard(task)
        else:
            self._unfinished.add(task)


def shows_activity(frame: Frame) -> bool:
    """True for a frame of the agent's own."""
    return frame.event in _ACTIVITY


def words_of(frame: Frame, *, goes_on: bool = False) -> str | None:
    """What the agent does; None when the frame does not tell. With ``goes_on`` a thought begins inside a line."""
    match frame.event:
        case "tool_call":
            return _tool_words(frame.data)
        case "thinking":
            return _last_whole_line(frame.data, goes_on=goes_on) or "thinking"
        case "assistant":
            return "writing its reply"
        case _:
            return None


def _last_whole_line(data: Mapping[str, object], *, goes_on: bool) -> str | None:
    """What a program on this machine said last: its stderr comes in whole lines, a model's reasoning in pieces."""
    text = data.get("text")
    if not isinstance(text, str) or not text.endswith("\n"):
        return None
    if goes_on:
        text = text.partition("\n")[2]
    return _beginning(text.strip().rpartition("\n")[2]) or None


def _tool_words(data: Mapping[str, object]) -> str:
    name = str(data.get("name") or "a tool")
    arguments = data.get("args")
    if isinstance(arguments, Mapping):
        for key in _TELLING_ARGUMENTS:
            if isinstance(arguments.get(key), str):
                return f"{name} {_beginning(arguments[key])}"
    return name


def _beginning(text: str) -> str:
    """What is read of a long text, in whole words: half of a secret could not be known for one."""
    return text if len(text) <= _ARGUMENT_READ else text[:_ARGUMENT_READ].rpartition(" ")[0]


def _shortened(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= _DOING_LENGTH else line[: _DOING_LENGTH - 1] + "…"
