"""What each attempt of a task leaves behind: its request, the reply byte for byte, the handoff, a postmortem.

Files of an attempt are named by task and attempt and never moved; only ``handoffs/<task>.md``, the latest one, is
replaced, after its attempt is on the disk. Until the next attempt the two are one file with two names. Reading blocks.
"""

import re
from collections.abc import Mapping

from orchestrate.errors import InputRefused, WorkspaceDamaged
from orchestrate.model.names import TaskName, is_kebab_case
from orchestrate.store.batches import NewFile, Place, Save
from orchestrate.store.files import Folder

REQUESTS = "requests"
RAW = "raw"
HANDOFFS = "handoffs"
ATTEMPTS = "attempts"

_REQUEST = re.compile(r"(?P<task>[a-z0-9-]+)\.(?P<attempt>[0-9]{1,9})\.json")


class AttemptFiles:
    """The folders ``requests``, ``raw`` and ``handoffs`` of one workspace."""

    def __init__(self, workspace: Folder) -> None:
        self._requests = workspace.below(REQUESTS)
        self._raw = workspace.below(RAW)
        self._handoffs = workspace.below(HANDOFFS)
        self._attempts = self._handoffs.below(ATTEMPTS)

    def request(self, task: TaskName, attempt: int, body: bytes) -> Save:
        """The request of this attempt; what an attempt once sent is never replaced."""
        name = _name(task, attempt, suffix="json")
        damage = WorkspaceDamaged(
            f"{REQUESTS}/{name} is there with another request: this attempt may have been sent",
            hint="move it away only if the service has no agent of this attempt",
        )
        return (NewFile(body, Place(self._requests, name), if_taken=damage),)

    def sweep_requests(self, attempts: Mapping[TaskName, int]) -> None:
        """Remove requests of attempts that no row has begun: prepared for a record that a crash lost, and never sent."""

        def is_of_no_attempt(name: str) -> bool:
            found = _REQUEST.fullmatch(name)
            return found is not None and int(found["attempt"]) > attempts.get(TaskName(found["task"]), 0)

        self._requests.sweep(is_of_no_attempt)

    def read_request(self, task: TaskName, attempt: int) -> bytes | None:
        """The request of this attempt; None says that nothing was sent."""
        return self._requests.read(_name(task, attempt, suffix="json"))

    def reply(
        self,
        task: TaskName,
        attempt: int,
        *,
        raw: bytes,
        handoff: bytes,
        postmortem: tuple[str, bytes] | None,
        follow_up: int = 0,
    ) -> Save:
        """The reply of this attempt, or of a follow-up to it, and its handoff as the latest one."""
        name = _name(task, attempt, suffix=f"follow-up-{follow_up:d}.md" if follow_up else "md")
        files = [
            NewFile(raw, Place(self._raw, name)),
            NewFile(handoff, Place(self._attempts, name), then=Place(self._handoffs, f"{task}.md")),
        ]
        if postmortem is not None:
            files.append(NewFile(postmortem[1], Place(self._handoffs, _postmortem_name(task, postmortem[0]))))
        return files

    def acceptance(self, task: TaskName, acceptance: str, *, handoff: bytes) -> Save:
        """A handoff that a person stands for, as the latest one; those of the attempts stay as they are."""
        name = f"{_checked(task)}.accepted-{acceptance}.md"
        return (NewFile(handoff, Place(self._attempts, name), then=Place(self._handoffs, f"{task}.md")),)

    def read_raw(self, task: TaskName, attempt: int) -> bytes | None:
        """The reply of this attempt, byte for byte."""
        return self._raw.read(_name(task, attempt, suffix="md"))

    def read_handoff(self, task: TaskName) -> bytes | None:
        """The latest handoff with its header."""
        return self._handoffs.read(f"{_checked(task)}.md")


def handoff_path(task: TaskName) -> str:
    """Where the latest handoff is, within the workspace."""
    return f"{HANDOFFS}/{_checked(task)}.md"


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
