"""The journal: one record a line, only ever appended, on the disk before anything follows from it.

- A batch of records costs one write and one sync.
- Only a last line can be torn, by a crash in the middle of a write; it is cut back. Any other damage, or a gap in
  ``seq``, is refused with its line, and nothing is written.
- A write that failed is taken back. A sync that failed cannot be asked again (the kernel may have dropped the pages):
  it is final.
- A record of another engine behind our own is final too: the lock did not keep it out, so we stop.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

from orchestrate.errors import StorageFailed, WorkspaceDamaged
from orchestrate.model.names import EngineId, WorkspaceId
from orchestrate.model.records import Record, decode_record, workspace_id_in
from orchestrate.store.files import Folder, append_whole, failure, sync_data

JOURNAL = "journal.jsonl"

_DAMAGE_HINT = "keep a copy, cut the journal before that line, and run the same command again"


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the journal: behind the record ``seq``, at byte ``offset``."""

    seq: int
    offset: int


START = Position(seq=0, offset=0)


@dataclass(frozen=True, slots=True)
class Tail:
    """What the journal says from a position on."""

    records: tuple[Record, ...]
    #: Behind the last whole record.
    end: Position
    #: True if a torn line stands behind the end.
    is_torn: bool = False


def read_tail(folder: Folder, start: Position, *, workspace_id: WorkspaceId | None = None) -> Tail | None:
    """The records behind ``start``, or None if there is no journal or an empty one; takes nothing away from it.

    A journal that begins with another ``workspace_id`` is refused.
    """
    try:
        with folder.opened(JOURNAL, os.O_RDONLY) as descriptor, open(descriptor, "rb", closefd=False) as file:
            return _read(file, start, workspace_id=workspace_id)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise failure(error, folder.path / JOURNAL) from error


class Journal:
    """The journal of the engine that holds the lock; one thread at a time may call it."""

    def __init__(self, folder: Folder, *, engine: EngineId, end: Position) -> None:
        """Open the journal for writing behind ``end``, as ``read_tail`` found it; what is behind that is cut off."""
        self._path = folder.path / JOURNAL
        self._engine = engine
        self._end = end
        #: Why nothing may be appended any more.
        self._broken: StorageFailed | None = None
        self._descriptor = folder.open(JOURNAL, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            self._cut_back()
        except BaseException:
            self.close()
            raise

    @property
    def end(self) -> Position:
        """Behind the last record that is on the disk."""
        return self._end

    def append(self, lines: Sequence[bytes]) -> None:
        """Write these records, each with its line end, and sync once; on the disk when this returns."""
        if self._broken is not None:
            raise self._broken
        self._require_alone()
        data = b"".join(lines)
        try:
            append_whole(self._descriptor, data, end=self._end.offset)
        except OSError as error:
            raise failure(error, self._path) from error
        self._sync()
        self._end = Position(seq=self._end.seq + len(lines), offset=self._end.offset + len(data))

    def close(self) -> None:
        """Give the descriptor back; nothing may be appended after it."""
        with suppress(OSError):
            os.close(self._descriptor)
        self._broken = self._broken or StorageFailed(f"{self._path}: closed")

    def _cut_back(self) -> None:
        try:
            if os.fstat(self._descriptor).st_size > self._end.offset:
                os.ftruncate(self._descriptor, self._end.offset)
                os.fsync(self._descriptor)
        except OSError as error:
            raise failure(error, self._path) from error

    def _sync(self) -> None:
        try:
            sync_data(self._descriptor)
        except OSError as error:
            self._break(f"{self._path}: the disk did not confirm a write ({error.strerror})")

    def _require_alone(self) -> None:
        """The file ends where we left it, and is still the one that others find."""
        found = os.fstat(self._descriptor)
        if found.st_size == self._end.offset and found.st_nlink > 0:
            return
        if found.st_nlink == 0:
            self._break(f"{self._path} was removed while this engine ran")
        engine = self._engine_behind()
        who = f"the engine {engine}" if engine else "something else"
        self._break(f"{self._path}: {who} wrote to it while this engine ran")

    def _engine_behind(self) -> EngineId | None:
        """The engine of the record behind our end, if there is one."""
        with open(self._descriptor, "rb", closefd=False) as file:
            file.seek(self._end.offset)
            line = file.readline()
        try:
            return decode_record(line, where=JOURNAL).engine
        except WorkspaceDamaged:
            return None

    def _break(self, message: str) -> None:
        self._broken = StorageFailed(
            f"{message}; this engine stops, its agents go on",
            hint="check the disk and that no other engine runs this workspace, then run the same command again",
        )
        raise self._broken


def _read(file: BinaryIO, start: Position, *, workspace_id: WorkspaceId | None) -> Tail | None:
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        return None
    _require_workspace(file, workspace_id)
    _require_line_start(file, start, size=size)
    records: list[Record] = []
    seq, offset = start.seq, start.offset
    file.seek(offset)
    for line in file:
        is_last = offset + len(line) >= size
        record = _whole(file, line, offset=offset, is_last=is_last)
        if record is None:
            return Tail(tuple(records), Position(seq=seq, offset=offset), is_torn=True)
        if record.seq != seq + 1:
            where = _where(file, offset)
            raise WorkspaceDamaged(f"{where}: expected record {seq + 1}, found {record.seq}", hint=_DAMAGE_HINT)
        records.append(record)
        seq, offset = record.seq, offset + len(line)
    return Tail(tuple(records), Position(seq=seq, offset=offset))


def _whole(file: BinaryIO, line: bytes, *, offset: int, is_last: bool) -> Record | None:
    """The record of a line; None if it is the last and torn."""
    try:
        if not line.endswith(b"\n"):
            raise WorkspaceDamaged(f"{JOURNAL}: no line end")
        return decode_record(line, where=JOURNAL)
    except WorkspaceDamaged as error:
        if is_last:
            return None
        reason = error.message.removeprefix(JOURNAL).lstrip(": ")
        raise WorkspaceDamaged(f"{_where(file, offset)}: damaged record: {reason}", hint=_DAMAGE_HINT) from error


def _require_workspace(file: BinaryIO, workspace_id: WorkspaceId | None) -> None:
    """The first record names the workspace, where it does: it must be that of the snapshot."""
    if workspace_id is None:
        return
    file.seek(0)
    named = workspace_id_in(file.readline())
    if named not in (None, workspace_id):
        raise WorkspaceDamaged(
            f"{JOURNAL} belongs to another workspace ({named}) than state.json ({workspace_id})",
            hint="move away the one of the two that is not of this plan",
        )


def _require_line_start(file: BinaryIO, start: Position, *, size: int) -> None:
    """A position of the snapshot that is none here: the two files are not of one piece."""
    if start.offset <= size:
        file.seek(max(start.offset - 1, 0))
        if start.offset == 0 or file.read(1) == b"\n":
            return
    raise WorkspaceDamaged(
        f"{JOURNAL} does not reach record {start.seq}, where state.json stands: records are missing",
        hint="restore the journal, or move it away to go on from state.json alone",
    )


def _where(file: BinaryIO, offset: int) -> str:
    """``journal.jsonl:LINE`` of the line at this byte."""
    file.seek(0)
    lines, left = 1, offset
    while left > 0 and (piece := file.read(min(left, 1 << 20))):
        lines += piece.count(b"\n")
        left -= len(piece)
    return f"{JOURNAL}:{lines}"
