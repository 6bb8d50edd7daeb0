"""Which agents belong to a tree: by the workspaces that launched them, and by who launched whom.

A child of an agent of the tree is of the tree, and so is every agent of its workspace. Whoever asks for the subtree of
one agent gets what parent links show and nothing else; what is of the same workspaces without a link is told apart.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from orchestrate.model.names import AgentId, RunId, TaskName, WorkspaceId, agent_id_for
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus


@dataclass(frozen=True, slots=True)
class Sighting:
    """An agent as a row, an intent or the service's list shows it."""

    agent_id: AgentId
    #: Its latest run, where that is known.
    run_id: RunId | None = None
    task: str = ""
    workspace: WorkspaceId | None = None
    #: The ``rootSlug`` of the plan that launched it.
    root: str | None = None
    parent: AgentId | None = None
    depth: int = 0
    url: str = ""
    #: False where whoever showed it says that no run goes on.
    may_run: bool = True
    #: A run that was seen to be over by the engine of its row.
    ended_run: RunId | None = None

    @property
    def is_over(self) -> bool:
        """True where its latest run is known to have ended; a follow-up would be another run."""
        return self.run_id is not None and self.run_id == self.ended_run


@dataclass(frozen=True, slots=True)
class Roots:
    """Where a tree begins."""

    workspaces: frozenset[WorkspaceId] = frozenset()
    agents: frozenset[AgentId] = frozenset()
    #: A plan's ``rootSlug``, where nothing better is known.
    slug: str | None = None


@dataclass(frozen=True, slots=True)
class Crew:
    """A workspace of the tree, as far as its agents are concerned."""

    rows: Mapping[TaskName, TaskRow]
    workspace: WorkspaceId | None = None
    root: str | None = None
    #: The agent whose plan it is; None for the one that the tree begins with.
    owner: AgentId | None = None
    #: Planners above it.
    depth: int = 0


def agent_of(row: TaskRow) -> AgentId | None:
    """The agent of this row; where no answer has come, the one that its intent may have made."""
    return row.agent_id or (None if row.launch is None else row.launch.agent_id)


def crew_sightings(crew: Crew) -> Iterator[Sighting]:
    """Every agent that a row knows, and every one that an intent may have made."""
    for row in crew.rows.values():
        agent_id = agent_of(row)
        if agent_id is None:
            continue
        is_open = row.status == TaskStatus.RUNNING or row.run_id is None
        yield replace(
            _sighting_of(crew, row, agent_id),
            run_id=row.run_id,
            parent=row.parent_agent_id or crew.owner,
            url=row.url or "",
            may_run=is_open,
            ended_run=None if is_open else row.run_id,
        )


def launched_since(crew: Crew) -> Iterator[Sighting]:
    """Agents that an engine may have made since it showed these rows: of tasks that missed nothing, the next attempt.

    Their ids are derived, so that they can be asked for before any list shows them; most of them are not there.
    """
    for row in crew.rows.values():
        if crew.workspace is not None and row.status == TaskStatus.PENDING and _is_free(row, crew.rows):
            agent_id = agent_id_for(crew.workspace, row.name, row.attempts + 1)
            yield replace(_sighting_of(crew, row, agent_id), parent=crew.owner, may_run=False)


def believed(shown: Iterable[Sighting], listed: Mapping[AgentId, Sighting]) -> Iterator[Sighting]:
    """What others have pushed, without what the service contradicts: an agent is of the workspace that it was made with."""
    for each in shown:
        known = listed.get(each.agent_id)
        if known is None or known.workspace in (None, each.workspace):
            yield each


def merged(sightings: Iterable[Sighting]) -> dict[AgentId, Sighting]:
    """One sighting an agent: a later one knows better, and takes nothing away that an earlier one knew."""
    found: dict[AgentId, Sighting] = {}
    for each in sightings:
        former = found.get(each.agent_id)
        found[each.agent_id] = each if former is None else _combined(former, each)
    return found


def members(sightings: Mapping[AgentId, Sighting], roots: Roots) -> list[Sighting]:
    """The agents of the tree, parents before children."""
    children, crew = _by_parent(sightings.values()), _by_workspace(sightings.values())
    depths: dict[AgentId, int] = {}
    open_workspaces, known = deque(sorted(roots.workspaces)), set(roots.workspaces)
    waiting = deque((agent_id, 1) for agent_id in sorted(roots.agents))
    waiting += ((each.agent_id, 1) for each in sightings.values() if _begins(each, roots))
    while waiting or open_workspaces:
        while open_workspaces:
            waiting += ((agent_id, _depth(sightings[agent_id])) for agent_id in crew[open_workspaces.popleft()])
        if not waiting:
            break
        agent_id, depth = waiting.popleft()
        if agent_id in depths:
            continue
        depths[agent_id] = depth
        for child in children[agent_id]:
            waiting.append((child, depth + 1))
            workspace = sightings[child].workspace
            if workspace is not None and workspace not in known:
                known.add(workspace)
                open_workspaces.append(workspace)
    found = [replace(sightings[name], depth=depth) for name, depth in depths.items() if name in sightings]
    return sorted(found, key=_parents_first)


def subtree(sightings: Mapping[AgentId, Sighting], top: AgentId) -> list[Sighting]:
    """This agent and all that parent links show below it, parents before children."""
    children, depths, waiting = _by_parent(sightings.values()), {top: 0}, deque([top])
    while waiting:
        parent = waiting.popleft()
        for child in children[parent]:
            if child not in depths:
                depths[child] = depths[parent] + 1
                waiting.append(child)
    found = [replace(sightings[name], depth=depth) for name, depth in depths.items() if name in sightings]
    return sorted(found, key=_parents_first)


def families(found: Sequence[Sighting]) -> Mapping[AgentId | None, Sequence[Sighting]]:
    """Each agent's children among these, and under None those that begin a tree; links in circles are cut once."""
    children, known = _by_parent(found), {each.agent_id for each in found}
    below = defaultdict[AgentId | None, list[Sighting]](list)
    placed: set[AgentId] = set()
    by_id = {each.agent_id: each for each in found}
    tops = [each.agent_id for each in found if each.parent not in known]
    for top in (*tops, *by_id):
        if top in placed:
            continue
        placed.add(top)
        below[None].append(by_id[top])
        waiting = deque([top])
        while waiting:
            parent = waiting.popleft()
            new = [child for child in dict.fromkeys(children[parent]) if child not in placed]
            placed.update(new)
            below[parent] += [by_id[child] for child in new]
            waiting.extend(new)
    return below


def out_of_reach(tree: Iterable[Sighting], reached: Iterable[Sighting]) -> list[Sighting]:
    """What is of the tree and hangs below nobody, so that nobody can tell whether it is of the subtree."""
    taken = {each.agent_id for each in reached}
    return [each for each in tree if each.parent is None and each.agent_id not in taken]


def _sighting_of(crew: Crew, row: TaskRow, agent_id: AgentId) -> Sighting:
    return Sighting(agent_id, task=row.name, workspace=crew.workspace, root=crew.root, depth=crew.depth + 1)


def _is_free(row: TaskRow, rows: Mapping[TaskName, TaskRow]) -> bool:
    before = [rows.get(name) for name in row.depends_on]
    return all(each is not None and each.status == TaskStatus.HANDED_OFF for each in before)


def _combined(former: Sighting, later: Sighting) -> Sighting:
    return Sighting(
        agent_id=later.agent_id,
        run_id=later.run_id or former.run_id,
        task=later.task or former.task,
        workspace=later.workspace or former.workspace,
        root=later.root or former.root,
        parent=later.parent or former.parent,
        depth=later.depth or former.depth,
        url=later.url or former.url,
        may_run=later.may_run,
        ended_run=later.ended_run or former.ended_run,
    )


def _begins(sighting: Sighting, roots: Roots) -> bool:
    return roots.slug is not None and sighting.root == roots.slug


def _by_parent(sightings: Iterable[Sighting]) -> defaultdict[AgentId, list[AgentId]]:
    children = defaultdict[AgentId, list[AgentId]](list)
    for each in sightings:
        if each.parent is not None:
            children[each.parent].append(each.agent_id)
    return children


def _by_workspace(sightings: Iterable[Sighting]) -> defaultdict[WorkspaceId, list[AgentId]]:
    crew = defaultdict[WorkspaceId, list[AgentId]](list)
    for each in sightings:
        if each.workspace is not None:
            crew[each.workspace].append(each.agent_id)
    return crew


def _depth(sighting: Sighting) -> int:
    return max(sighting.depth, 1)


def _parents_first(sighting: Sighting) -> tuple[int, str, AgentId]:
    return sighting.depth, sighting.task, sighting.agent_id
