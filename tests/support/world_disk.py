"""The simulated disk: a journal of which only synced records survive a crash, and request files."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrate.model.grants import Grant
from orchestrate.model.names import AgentId, IdempotencyKey, TaskName, WorkspaceId
from orchestrate.model.records import Record, decode_record, encode_record
from orchestrate.model.row_format import encode_row


@dataclass(frozen=True, slots=True)
class Request:
    """The create request of one intent, as it is sent every time."""

    task: TaskName
    attempt: int
    agent_id: AgentId
    key: IdempotencyKey
    workspace_id: WorkspaceId
    starting_ref: str
    #: When the launch was decided.
    intended_at: float
    #: What a planner is told that it may take; None for one that plans nothing.
    grant: Grant | None = None


@dataclass
class Disk:
    """What is on disk."""

    #: Lines that are safe.
    journal: list[bytes] = field(default_factory=list)
    requests: dict[tuple[TaskName, int], Request] = field(default_factory=dict)
    _unsynced: list[bytes] = field(default_factory=list)

    def append(self, record: Record) -> None:
        """Write a record; it is not safe yet."""
        self._unsynced.append(encode_record(record, [encode_row(row) for row in record.rows]))

    def sync(self) -> None:
        """Make all that was written safe."""
        self.journal += self._unsynced
        self._unsynced.clear()

    def lose_power(self) -> None:
        """Forget what was not synced."""
        self._unsynced.clear()

    def sweep_requests(self, attempts: Mapping[TaskName, int]) -> None:
        """Remove the requests of attempts that no row has begun."""
        for task, attempt in list(self.requests):
            if attempt > attempts.get(task, 0):
                del self.requests[task, attempt]

    def records(self) -> list[Record]:
        """The journal as a new engine reads it."""
        return [decode_record(line, where=f"journal.jsonl:{place}") for place, line in enumerate(self.journal, 1)]
