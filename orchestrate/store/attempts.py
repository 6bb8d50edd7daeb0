"""What each attempt of a task leaves behind: its request, the reply byte for byte, the handoff, a postmortem.

Files of an attempt are named by task and attempt and never moved; only ``handoffs/<task>.md``, the latest one, is
replaced, after its attempt is on the disk. These functions block.
"""

from dataclasses import dataclass

from orchestrate.errors import InputRefused, WorkspaceDamaged
from orchestrate.model.names import TaskName, is_kebab_case
from orchestrate.store.files import Folder, write_new

REQUESTS = "requests"
RAW = "raw"
HANDOFFS = "handoffs"
ATTEMPTS = "attempts"


@dataclass(frozen=True, slots=True)
class AttemptFiles:
    """The folders ``requests``, ``raw`` and ``handoffs`` of one workspace."""

    workspace: Folder

    def write_request(self, task: TaskName, attempt: int, body: bytes) -> None:
        """Put the request on the disk before it is sent; what an attempt once sent is never replaced."""
        name = _name(task, attempt, suffix="json")
        if not write_new(self._requests, name, body) and self._requests.read(name) != body:
            raise WorkspaceDamaged(
                f"{REQUESTS}/{name} is there with another request: this attempt may have been sent",
                hint="move it away only if the service has no agent of this attempt",
            )

    def read_request(self, task: TaskName, attempt: int) -> bytes | None:
        """The request of this attempt; None says that nothing was sent."""
        return self._requests.read(_name(task, attempt, suffix="json"))

    def save_reply(
        self, task: TaskName, attempt: int, *, raw: bytes, handoff: bytes, postmortem: tuple[str, bytes] | None
    ) -> str:
        """Put everything on the disk, the attempt's own files first; the handoff's path within the workspace."""
        name, latest = _name(task, attempt, suffix="md"), f"{task}.md"
        beside = {} if postmortem is None else {_postmortem_name(task, postmortem[0]): postmortem[1]}
        self._raw.replace({name: raw})
        self._attempts.replace({name: handoff})
        self._handoffs.replace({**beside, latest: handoff})
        return f"{HANDOFFS}/{latest}"

    def read_raw(self, task: TaskName, attempt: int) -> bytes | None:
        """The reply of this attempt, byte for byte."""
        return self._raw.read(_name(task, attempt, suffix="md"))

    def read_handoff(self, task: TaskName) -> bytes | None:
        """The latest handoff with its header."""
        return self._handoffs.read(f"{_checked(task)}.md")

    @property
    def _requests(self) -> Folder:
        return self.workspace.below(REQUESTS)

    @property
    def _raw(self) -> Folder:
        return self.workspace.below(RAW)

    @property
    def _handoffs(self) -> Folder:
        return self.workspace.below(HANDOFFS)

    @property
    def _attempts(self) -> Folder:
        return self._handoffs.below(ATTEMPTS)


def _checked(task: TaskName) -> TaskName:
    """Names were checked with the plan; a file name is worth a second look."""
    if not is_kebab_case(task):
        raise InputRefused(f"{task!r} is no task name, so it is no file name either")
    return task


def _name(task: TaskName, attempt: int, *, suffix: str) -> str:
    return f"{_checked(task)}.{attempt:d}.{suffix}"


def _postmortem_name(task: TaskName, name: str) -> str:
    if name not in (f"{task}-failure.md", f"{task}-finished-no-handoff.md"):
        raise InputRefused(f"{name!r} is no postmortem of {task}")
    return name
