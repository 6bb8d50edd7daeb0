"""Following a workspace that an engine writes: its state once, then only what the journal got since.

No lock is taken and nothing is written. A journal that is not the one that was read before (the workspace was reset,
or moved away and rebuilt) makes the reader start over.
"""

from dataclasses import dataclass
from pathlib import Path

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.names import WorkspaceId
from orchestrate.model.records import Record
from orchestrate.store.files import Folder
from orchestrate.store.journal import JOURNAL, Position, read_tail
from orchestrate.store.loading import LoadedState, read_workspace, workspace_folder


@dataclass(frozen=True, slots=True)
class News:
    """What the files say beyond what they said before."""

    records: tuple[Record, ...] = ()
    #: The whole state, where the files do not go on from what was read before.
    anew: LoadedState | None = None


class WorkspaceTail:
    """A workspace's state, and its journal from there on."""

    def __init__(self, path: Path, *, root_slug: str | None = None) -> None:
        self._path = path
        self._root_slug = root_slug
        self._folder: Folder = workspace_folder(path)
        self._position = Position(0, 0)
        self._workspace_id: WorkspaceId | None = None
        #: The state as it was when this reader came.
        self.first = self._loaded()

    def news(self) -> News:
        """What is new since the last call; next to nothing to do while the journal has not grown."""
        size = self._size()
        if size == self._position.offset:
            return News()
        try:
            tail = read_tail(self._folder, self._position, workspace_id=self._workspace_id) if size else None
        except WorkspaceDamaged:
            return News(anew=self._loaded())
        if tail is None:
            return News(anew=self._loaded())
        self._position = tail.end
        return News(records=tail.records)

    def _size(self) -> int:
        try:
            return (self._folder.path / JOURNAL).stat().st_size
        except FileNotFoundError:
            return 0

    def _loaded(self) -> LoadedState:
        loaded = read_workspace(self._path, root_slug=self._root_slug)
        self._position = Position(loaded.journal_seq, loaded.journal_offset)
        self._workspace_id = None if loaded.workspace is None else loaded.workspace.workspace_id
        return loaded
