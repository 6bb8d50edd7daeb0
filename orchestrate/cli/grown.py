"""A tree of workspaces: who launched whom, from files here and from what was pushed, for screens and for programs."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate.cli.locating import CUSTOM, PLAN, STATE, PlanLocation
from orchestrate.cli.picture import Picture, picture_of
from orchestrate.cli.screens.durations import rough_duration
from orchestrate.cli.screens.tree import Branch, TreeView
from orchestrate.core.lineage import Crew
from orchestrate.errors import OrchestrateError
from orchestrate.model.names import AgentId
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.vocabulary import TaskType

#: Planners below planners that are opened; more are a loop, or nobody's plan.
DEEPEST = 16


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a state was pushed to."""

    branch: str
    commit: str
    folder: str


@dataclass(frozen=True, slots=True)
class Grown:
    """A workspace and those of its subplanners."""

    picture: Picture
    #: By the name of the planner's task.
    children: dict[str, "Grown"] = field(default_factory=dict)
    #: Why a subplanner's workspace is not opened, by task.
    closed: dict[str, str] = field(default_factory=dict)
    #: None for a workspace on this machine.
    origin: Origin | None = None
    #: The agent whose plan it is; None for the one that the tree begins with.
    owner: AgentId | None = None
    depth: int = 0

    @property
    def crew(self) -> Crew:
        """Whom it has launched, and for whom."""
        loaded = self.picture.loaded
        workspace = None if loaded.workspace is None else loaded.workspace.workspace_id
        return Crew(loaded.rows, workspace, self.picture.slug, self.owner, self.depth)

    @property
    def age_seconds(self) -> float | None:
        """How old the last thing is that it says; None where it says nothing with a time."""
        moment = epoch_seconds(self.picture.last_record) if self.picture.last_record else None
        return None if moment is None else max(0.0, self.picture.now - moment)

    def all(self) -> Iterator["Grown"]:
        """This one and everything below, parents first."""
        level = [self]
        while level:
            yield from level
            level = [child for each in level for child in each.children.values()]


def grown_tree(location: PlanLocation, *, now: float) -> Grown:
    """The tree from this workspace down, as far as it lies on this machine; each workspace is opened once."""
    return _opened(Grown(picture_of(location, now=now)), seen={location.folder.resolve()})


def view_of(grown: Grown) -> TreeView:
    """For the screen."""
    picture, origin = grown.picture, grown.origin
    return TreeView(
        slug=picture.slug,
        tally=picture.tally,
        now=picture.now,
        elapsed_seconds=picture.elapsed_seconds,
        engine=None if picture.holder is None else f"pid {picture.holder.pid}",
        is_new=picture.is_new,
        last_record=picture.last_record,
        pushed=None if origin is None else _pushed_words(grown, origin),
        branches=tuple(_branches(grown)),
    )


def object_of(grown: Grown) -> dict[str, object]:
    """For ``--json``: each workspace with its tasks, a subplanner's below its task."""
    tasks: list[dict[str, object]] = []
    for row in grown.picture.rows:
        task = grown.picture.task_object(row)
        if row.name in grown.children:
            child = grown.children[row.name]
            task["workspace"] = {**_place(child), **object_of(child)}
        elif row.name in grown.closed:
            task["notOpened"] = grown.closed[row.name]
        tasks.append(task)
    return {**grown.picture.heading(), "tasks": tasks}


def origin_object(grown: Grown) -> dict[str, object]:
    """Where a pushed state is from and how old it is; nothing for a workspace here."""
    if grown.origin is None:
        return {}
    age, notes = grown.age_seconds, list(grown.picture.notes)
    fields: dict[str, object] = {"branch": grown.origin.branch, "commit": grown.origin.commit}
    fields |= {} if age is None else {"ageSeconds": round(age)}
    return fields | ({"notes": notes} if notes else {})


def _opened(grown: Grown, *, seen: set[Path]) -> Grown:
    picture = grown.picture
    for row in picture.rows if grown.depth < DEEPEST else ():
        folder = _child_folder(picture.location.folder, row) if row.type == TaskType.SUBPLANNER else None
        if folder is None or folder.resolve() in seen:
            continue
        seen.add(folder.resolve())
        try:
            child = picture_of(PlanLocation(folder / PLAN, folder, str(folder)), now=picture.now)
        except OrchestrateError as error:
            grown.closed[row.name] = f"its workspace cannot be read: {error.message}"
            continue
        if _is_of_another(child, row):
            grown.closed[row.name] = "the workspace of its name is of another agent"
            continue
        below = Grown(child, owner=row.agent_id, depth=grown.depth + 1)
        grown.children[row.name] = _opened(below, seen=seen)
    return grown


def _child_folder(folder: Path, row: TaskRow) -> Path | None:
    """The subplanner's workspace, below its planner's or beside it."""
    places = [folder / CUSTOM / row.name]
    if folder.resolve().parent.name == CUSTOM:
        places.append(folder.resolve().parent / row.name)
    return next((place for place in places if (place / STATE).is_file()), None)


def _is_of_another(child: Picture, row: TaskRow) -> bool:
    """True if the workspace's agents were launched by somebody else than this row's agent."""
    parents = {each.parent_agent_id for each in child.rows if each.parent_agent_id is not None}
    return row.agent_id is not None and bool(parents) and row.agent_id not in parents


def _branches(grown: Grown) -> Iterator[Branch]:
    for row in grown.picture.rows:
        child = grown.children.get(row.name)
        yield Branch(
            row,
            grown.picture.standing(row),
            below=None if child is None else view_of(child),
            remark=grown.closed.get(row.name) if child is None else _remark(child),
        )


def _remark(child: Grown) -> str | None:
    """What has to be known of a state that came from elsewhere."""
    return None if child.origin is None else _pushed_words(child, child.origin)


def _pushed_words(grown: Grown, origin: Origin) -> str:
    """``state of 4m ago on cursor/camp-1a2b``."""
    age, notes = grown.age_seconds, grown.picture.notes
    when = "state" if age is None else f"state of {rough_duration(age)} ago"
    more = f"; {notes[0]}" if notes else ""
    return f"{when} on {origin.branch}{more}{f' (and {len(notes) - 1} more)' if len(notes) > 1 else ''}"


def _place(child: Grown) -> dict[str, object]:
    folder = str(child.picture.location.folder) if child.origin is None else child.origin.folder
    return {"folder": folder, **origin_object(child)}
