"""What a workspace's files say: the snapshot, and the journal's records behind it.

Readers take no lock. The engine may replace the snapshot while they read: the journal only grows, so an older snapshot
and its tail tell the same; where the two do not fit, the snapshot is read again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrate.errors import InputRefused, WorkspaceDamaged
from orchestrate.model.names import TaskName, WorkspaceId
from orchestrate.model.rows import Attention, TaskRow, Workspace
from orchestrate.model.states import ATTENTION_KEPT, Snapshot, decode_state, require_root_slug
from orchestrate.model.workspace_format import Header
from orchestrate.store.files import Folder
from orchestrate.store.journal import JOURNAL, START, Position, Tail, read_tail
from orchestrate.store.snapshot import STATE

#: How often a reader starts again when the files change under it.
_TRIES = 5


@dataclass(frozen=True, slots=True)
class LoadedState:
    """The workspace as its files have it."""

    #: None in a new workspace, and in the state of another tool, which has no id yet.
    workspace: Workspace | None
    #: What the state of another tool says of its workspace.
    foreign: Header | None
    #: In the order of the plan that wrote them.
    rows: Mapping[TaskName, TaskRow]
    attention: tuple[Attention, ...]
    #: The last record; the next one has the number after it.
    journal_seq: int
    journal_offset: int
    #: True if ``state.json`` stands where the journal ends.
    is_snapshot_current: bool = True
    #: True if there was a journal and no ``state.json``.
    was_rebuilt: bool = False
    #: What was odd, one sentence each, for the operator.
    notes: tuple[str, ...] = ()

    def workspace_or(self, workspace_id: WorkspaceId, *, root_slug: str) -> Workspace:
        """The workspace; where it has no id yet, under the one given (drawn once, then journalled)."""
        if self.workspace is not None:
            return self.workspace
        return self.foreign.named(workspace_id) if self.foreign is not None else Workspace(workspace_id, root_slug)


def read_workspace(path: Path, *, root_slug: str | None = None) -> LoadedState:
    """The state of a workspace that an engine may be writing; changes nothing."""
    folder = workspace_folder(path)
    before = folder.read(STATE)
    for _ in range(_TRIES):
        try:
            return load(folder, before, root_slug=root_slug)
        except WorkspaceDamaged:
            after = folder.read(STATE)
            if after == before:
                raise
            before = after
    return load(folder, before, root_slug=root_slug)


def loaded_alone(snapshot: Snapshot, notes: tuple[str, ...] = ()) -> LoadedState:
    """What a state says that came without its journal, from elsewhere."""
    header = snapshot.header
    is_ours = header.workspace_id is not None
    return LoadedState(
        workspace=header.named(header.workspace_id) if header.workspace_id is not None else None,
        foreign=None if is_ours else header,
        rows={row.name: row for row in snapshot.rows},
        attention=snapshot.attention,
        journal_seq=snapshot.journal_seq,
        journal_offset=snapshot.journal_offset,
        notes=notes,
    )


def workspace_folder(path: Path) -> Folder:
    """The workspace's folder, which must be there."""
    if not path.is_dir():
        raise InputRefused(f"{path} is no folder", hint="name the folder that holds plan.json")
    return Folder(path)


def load(folder: Folder, state: bytes | None, *, root_slug: str | None) -> LoadedState:
    """The state that these bytes of ``state.json`` (None: there is none) and the journal make together."""
    snapshot = None if state is None else decode_state(state)
    start = START if snapshot is None else Position(snapshot.journal_seq, snapshot.journal_offset)
    known_id = None if snapshot is None else snapshot.header.workspace_id
    tail = read_tail(folder, start, workspace_id=known_id)
    loaded = _replayed(snapshot, tail or Tail(records=(), end=Position(seq=start.seq, offset=0)))
    header = loaded.workspace or loaded.foreign
    if root_slug is not None and header is not None:
        require_root_slug(header.root_slug, wanted=root_slug)
    return loaded


def _replayed(snapshot: Snapshot | None, tail: Tail) -> LoadedState:
    """Later rows replace earlier ones; nothing is decided again."""
    header = None if snapshot is None else snapshot.header
    workspace = None
    if header is not None and header.workspace_id is not None:
        workspace = header.named(header.workspace_id)
    rows = {} if snapshot is None else {row.name: row for row in snapshot.rows}
    attention = [] if snapshot is None else list(snapshot.attention)
    for record in tail.records:
        rows.update((row.name, row) for row in record.rows)
        workspace = record.workspace or workspace
        attention.extend(record.attention)
    was_rebuilt = snapshot is None and bool(tail.records)
    position = START if snapshot is None else Position(snapshot.journal_seq, snapshot.journal_offset)
    return LoadedState(
        workspace=workspace,
        foreign=header if workspace is None else None,
        rows=rows,
        attention=tuple(attention[-ATTENTION_KEPT:]),
        journal_seq=tail.end.seq,
        journal_offset=tail.end.offset,
        is_snapshot_current=position == tail.end,
        was_rebuilt=was_rebuilt,
        notes=tuple(_notes(tail, position, was_rebuilt=was_rebuilt)),
    )


def _notes(tail: Tail, start: Position, *, was_rebuilt: bool) -> list[str]:
    notes = []
    if tail.end.offset < start.offset:
        notes.append(f"{JOURNAL} is missing or empty; {STATE}, which knew {start.seq} of its records, counts alone")
    if was_rebuilt:
        notes.append(f"{STATE} was missing and was rebuilt from {JOURNAL}")
    if tail.is_torn:
        notes.append(f"{JOURNAL} ended in a torn record after number {tail.end.seq}; it does not count")
    return notes
