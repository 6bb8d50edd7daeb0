"""Handoffs that were saved lately, kept in memory: most are read by the very next launch."""

from collections import OrderedDict

from orchestrate.model.names import TaskName

#: Bytes of all handoffs that are kept.
KEPT_BYTES = 8_000_000


class RecentHandoffs:
    """The latest handoffs by task, the oldest given up first; a handoff that is not here is on the disk."""

    def __init__(self, *, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._handoffs: OrderedDict[TaskName, bytes] = OrderedDict()
        self._size = 0

    def get(self, task: TaskName) -> bytes | None:
        """The task's handoff, if it is kept."""
        return self._handoffs.get(task)

    def put(self, task: TaskName, handoff: bytes) -> None:
        """Keep what was just saved in the place of the task's former handoff."""
        self._size += len(handoff) - len(self._handoffs.pop(task, b""))
        self._handoffs[task] = handoff
        while self._size > self._kept_bytes:
            _, given_up = self._handoffs.popitem(last=False)
            self._size -= len(given_up)
