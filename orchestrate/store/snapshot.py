"""When ``state.json`` is written, and what goes into it: only what the journal has on the disk.

The bytes of each row are kept from its last record, so that a snapshot is a join and a transition costs the same in a
plan of ten tasks and of ten thousand. Rows that were loaded are encoded for the first snapshot that needs them: who
opens a finished workspace again writes none.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from orchestrate.model.names import TaskName
from orchestrate.model.records import Record
from orchestrate.model.row_format import encode_row
from orchestrate.model.rows import Attention, TaskRow, Workspace
from orchestrate.model.states import ATTENTION_KEPT, encode_state
from orchestrate.model.workspace_format import encode_attention
from orchestrate.store.files import Folder
from orchestrate.store.journal import Position

STATE = "state.json"


@dataclass(frozen=True, slots=True)
class SnapshotPolicy:
    """How far the snapshot of a running engine may lag behind its journal."""

    #: Up to so many tasks the snapshot follows at a fixed pace.
    small_plan_tasks: int = 200
    small_plan_seconds: float = 1.0
    #: Beyond: once the journal has grown by this part of the snapshot, so that writing stays linear.
    growth: float = 0.25
    large_plan_seconds: float = 10.0

    def is_due(
        self, now: float, *, tasks: int, journal_bytes_since: int, snapshot_bytes: int, last_written_at: float
    ) -> bool:
        """True if a snapshot is to be written now; never without a new record."""
        if journal_bytes_since <= 0:
            return False
        if tasks > self.small_plan_tasks and journal_bytes_since >= self.growth * snapshot_bytes:
            return True
        waited = now - last_written_at
        return waited >= self.pace_seconds(tasks) or waited < 0  # a clock that was set back makes nobody wait

    def pace_seconds(self, tasks: int) -> float:
        """The longest that a new record waits for its snapshot."""
        return self.small_plan_seconds if tasks <= self.small_plan_tasks else self.large_plan_seconds


@dataclass(frozen=True, slots=True)
class Image:
    """A state as it was at one moment, ready to be written."""

    workspace: Workspace
    rows: Sequence[bytes]
    attention: Sequence[bytes]
    position: Position
    #: How many changes of its maker it holds.
    changes: int = 0

    def write(self, folder: Folder) -> int:
        """Replace ``state.json``; the number of bytes that it has now."""
        data = self.encoded()
        folder.replace({STATE: data})
        return len(data)

    def encoded(self) -> bytes:
        """The bytes of ``state.json``."""
        return encode_state(
            self.workspace,
            rows=self.rows,
            attention=self.attention,
            journal_seq=self.position.seq,
            journal_offset=self.position.offset,
        )


class SnapshotWriter:
    """The latest bytes of everything that goes into a snapshot, and how far the written one is behind."""

    def __init__(
        self,
        *,
        workspace: Workspace | None,
        rows: Mapping[TaskName, TaskRow],
        attention: Iterable[Attention],
        position: Position,
        is_current: bool,
    ) -> None:
        self._workspace = workspace
        self._rows: dict[TaskName, bytes | TaskRow] = dict(rows)
        #: Counts what changes a snapshot; ``state.json`` has this many of the changes.
        self._changes = 0
        self._changes_written: int | None = 0 if is_current else None
        self._attention = deque(map(encode_attention, attention), maxlen=ATTENTION_KEPT)
        self._position = position
        self._written = position
        self._written_bytes = 0
        self._written_at = float("-inf")

    def take(self, record: Record, rows: Sequence[bytes]) -> None:
        """Keep what a synced record says; ``rows`` are its rows, encoded."""
        self._changes += 1
        for row, encoded in zip(record.rows, rows, strict=True):
            self._rows[row.name] = encoded
        if record.workspace is not None:
            self._workspace = record.workspace
        self._attention.extend(map(encode_attention, record.attention))

    def move_to(self, position: Position) -> None:
        """The journal is synced up to here, and all of it was taken."""
        self._position = position

    def order(self, names: Iterable[TaskName]) -> None:
        """Rows stand in this order from now on; those of other names behind."""
        known = [name for name in names if name in self._rows]
        ordered = {name: self._rows[name] for name in (*known, *self._rows)}
        self._changes += list(ordered) != list(self._rows)
        self._rows = ordered

    @property
    def is_written(self) -> bool:
        """True where ``state.json`` says all that is known here."""
        return self._changes_written == self._changes

    def image(self) -> Image | None:
        """The state at this moment; None before the first record has named the workspace."""
        if self._workspace is None:
            return None
        rows = [row if isinstance(row, bytes) else encode_row(row) for row in self._rows.values()]
        self._rows = dict(zip(self._rows, rows, strict=True))
        return Image(self._workspace, rows, list(self._attention), self._position, changes=self._changes)

    def note_written(self, image: Image, *, size: int, now: float | None) -> None:
        """This image is on the disk."""
        self._written, self._written_bytes = image.position, size
        self._changes_written = image.changes
        if now is not None:
            self._written_at = now

    def is_due(self, policy: SnapshotPolicy, now: float) -> bool:
        """True if the policy asks for a snapshot now."""
        return policy.is_due(
            now,
            tasks=len(self._rows),
            journal_bytes_since=self._position.offset - self._written.offset,
            snapshot_bytes=self._written_bytes,
            last_written_at=self._written_at,
        )
