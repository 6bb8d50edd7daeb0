"""The workspaces of a tree that lie on this machine: where a kill puts its tombstones and reads who may be alive.

A subplanner's workspace lies below its planner's or beside it; an agent of the local server has its in its clone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrate.cli.locating import CUSTOM, STATE
from orchestrate.core.lineage import Crew, Sighting, agent_of, crew_sightings
from orchestrate.errors import OrchestrateError
from orchestrate.model.names import AgentId, TaskName, WorkspaceId, is_agent_id
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus, TaskType
from orchestrate.server.state import StateFolder
from orchestrate.store.loading import LoadedState, read_workspace

#: Planners below planners that are opened; more are a loop.
_DEEPEST = 16


@dataclass(frozen=True, slots=True)
class Place:
    """A workspace of the tree."""

    folder: Path
    loaded: LoadedState
    depth: int
    #: The agent whose plan it is; None for the one that was named.
    owner: AgentId | None = None

    @property
    def workspace_id(self) -> WorkspaceId | None:
        """Its id; a state of another tool has none."""
        return None if self.loaded.workspace is None else self.loaded.workspace.workspace_id

    @property
    def crew(self) -> Crew:
        """Whom it has launched, and for whom."""
        workspace = self.loaded.workspace
        root = None if workspace is None else workspace.root_slug
        return Crew(self.loaded.rows, self.workspace_id, root, self.owner, self.depth)

    @property
    def running(self) -> list[TaskName]:
        """Tasks that may have an agent now."""
        return [row.name for row in self.loaded.rows.values() if row.status == TaskStatus.RUNNING]


def places_of(folder: Path, *, server_folder: Path | None, below: TaskName | None = None) -> list[Place]:
    """This workspace and those of its planners, parents first; below it only that of ``below``, where that is named."""
    root = Place(folder.resolve(), read_workspace(folder), depth=0)
    found, seen, waiting = [root], {root.folder}, [root]
    while waiting:
        place = waiting.pop(0)
        for row in _planners(place, only=below if place is root else None):
            for child in _children(place, row, server_folder):
                if child.folder not in seen and place.depth < _DEEPEST:
                    seen.add(child.folder)
                    found.append(child)
                    waiting.append(child)
    return found


def sightings_in(places: Iterable[Place]) -> Iterator[Sighting]:
    """Every agent that a row knows, and every one that an intent may have made."""
    for place in places:
        yield from crew_sightings(place.crew)


def _planners(place: Place, *, only: TaskName | None) -> Iterator[TaskRow]:
    for row in place.loaded.rows.values():
        if row.type == TaskType.SUBPLANNER and only in (None, row.name):
            yield row


def _children(place: Place, row: TaskRow, server_folder: Path | None) -> Iterator[Place]:
    """What is there and is this planner's; a workspace of another agent is left alone."""
    owner = agent_of(row)
    for folder in _candidates(place.folder, row, owner, server_folder):
        try:
            child = Place(folder.resolve(), read_workspace(folder), depth=place.depth + 1, owner=owner)
        except OrchestrateError:
            continue
        parents = {each.parent_agent_id for each in child.loaded.rows.values() if each.parent_agent_id is not None}
        if not parents or owner in parents:
            yield child


def _candidates(folder: Path, row: TaskRow, owner: AgentId | None, server_folder: Path | None) -> Iterator[Path]:
    below = [folder / CUSTOM / row.name]
    if folder.parent.name == CUSTOM:
        below.append(folder.parent / row.name)
    if owner is not None and is_agent_id(owner) and server_folder is not None:
        below += sorted((StateFolder(server_folder).clone(owner) / CUSTOM).glob("*"))
    return (each for each in below if (each / STATE).is_file())
