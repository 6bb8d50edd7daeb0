"""Walking a tree of planners over what they have pushed: from a root's state to those of its planners, level by level.

A planner's state is looked for on the branch that its row records, on the planned one where nothing better is known, on
``orch-state/<task>``, and on branches that are named after the task. It is that planner's where its plan or its rows name
the planner's agent; a folder of the right name will do only where nothing says otherwise. Of several the newest counts.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from orchestrate.cli.grown import DEEPEST, Grown, Origin
from orchestrate.cli.locating import PLAN, PlanLocation
from orchestrate.cli.picture import Picture, picture_from_afar
from orchestrate.core.lineage import agent_of
from orchestrate.errors import Refused, ServiceError, WorkspaceDamaged
from orchestrate.model.names import AgentId, placeholder_branch
from orchestrate.model.rows import TaskRow
from orchestrate.model.states import salvage_state
from orchestrate.model.vocabulary import TaskType
from orchestrate.repo.git import Git
from orchestrate.repo.origin import local_path
from orchestrate.repo.pushed import STATE, PushedFiles, PushedWorkspace, pushed_at, pushed_beside, pushed_from
from orchestrate.repo.site import NoSite, site_of
from orchestrate.repo.state_branches import STATE_BRANCHES, state_branch
from orchestrate.store.loading import loaded_alone

#: Git that takes longer for one call is stuck.
FETCH_SECONDS = 60.0
#: Workspaces of one tree.
_MOST_WORKSPACES = 1_000
#: Branches that are only named after a task and are looked at for it, and tasks for which that is done.
_MOST_NAMESAKES, _MOST_SEARCHES = 8, 200
#: Faults of one state that are told.
_TOLD = 5


@dataclass(frozen=True, slots=True)
class _Read:
    """A pushed workspace that could be read."""

    pushed: PushedWorkspace
    picture: Picture
    #: Agents that it names as its planner.
    owners: frozenset[AgentId]

    @property
    def key(self) -> tuple[str, str]:
        """The same for every copy of one workspace."""
        workspace = self.picture.loaded.workspace
        return ("", workspace.workspace_id) if workspace is not None else (self.pushed.commit, self.pushed.folder)

    @property
    def rank(self) -> tuple[int, str]:
        """Higher for what was written later."""
        return self.picture.loaded.journal_seq, self.picture.last_record or ""


@dataclass(frozen=True, slots=True)
class _Search:
    """A planner whose state is wanted."""

    above: Grown
    row: TaskRow
    agent: AgentId
    #: Those that are there, the best first.
    branches: Sequence[str]


class Crawler:
    """Walks one repository; what was read is kept for the next walk."""

    def __init__(self, pushed: PushedFiles) -> None:
        self._pushed = pushed
        self._read: dict[tuple[str, str], _Read | str] = {}
        self._seen: set[tuple[str, str]] = set()
        self._searches = 0
        self._now = 0.0

    async def root(self, branch: str, slug: str, *, now: float) -> Grown:
        """The tree that began on this branch; Refused where there is no state of it."""
        await self._begin(now)
        branches = [name for name in dict.fromkeys((state_branch(slug), branch)) if name in self._pushed.heads]
        await self._pushed.fetch(branches)
        found, faults = await self._candidates(branches, slug)
        own = [each for each in found if slug in (each.picture.slug, each.pushed.name)]
        if not own:
            raise _no_state(branch, slug, self._pushed, faults)
        best = max(own, key=lambda each: each.rank)
        grown = _grown(best)
        self._seen.add(best.key)
        await self._below(grown)
        return grown

    async def deepen(self, grown: Grown, *, now: float) -> Grown:
        """The same tree with what was pushed of the planners whose workspaces are not here."""
        await self._begin(now)
        for each in grown.all():
            workspace = each.picture.loaded.workspace
            if workspace is not None:
                self._seen.add(("", workspace.workspace_id))
        await self._below(grown)
        return grown

    async def _begin(self, now: float) -> None:
        self._now, self._searches = now, 0
        self._seen = set()
        await self._pushed.look()

    async def _below(self, grown: Grown) -> None:
        level = [grown]
        while level:
            searches = [each for parent in level for each in self._searches_of(parent)]
            await self._pushed.fetch(name for each in searches for name in each.branches)
            for each in searches:
                await self._open(each)
            level = [child for parent in level for child in parent.children.values()]

    def _searches_of(self, grown: Grown) -> Iterator[_Search]:
        """The planners of this workspace that were launched and whose workspaces are not opened yet."""
        for row in grown.picture.rows:
            agent = agent_of(row)
            if row.type != TaskType.SUBPLANNER or agent is None or row.name in grown.children:
                continue
            if grown.depth >= DEEPEST:
                grown.closed[row.name] = f"not opened: more than {DEEPEST} levels deep"
            elif len(self._seen) >= _MOST_WORKSPACES:
                grown.closed[row.name] = f"not opened: more than {_MOST_WORKSPACES:,} workspaces"
            else:
                yield _Search(grown, row, agent, list(self._branches(grown, row)))

    def _branches(self, grown: Grown, row: TaskRow) -> Iterator[str]:
        planned = placeholder_branch(grown.picture.slug, row.name, task_type=row.type)
        named = dict.fromkeys((row.branch, row.reported_branch or "", planned, state_branch(row.name)))
        heads = self._pushed.heads
        yield from (name for name in named if name in heads)
        self._searches += 1
        if self._searches <= _MOST_SEARCHES:
            alike = (name for name in heads if row.name in name and name not in named)
            yield from sorted(
                (name for name in alike if not name.startswith(STATE_BRANCHES)), key=lambda name: (len(name), name)
            )[:_MOST_NAMESAKES]

    async def _open(self, search: _Search) -> None:
        found, faults = await self._candidates(search.branches, search.row.name)
        best = _best(found, search)
        above, name = search.above, search.row.name
        if best is None:
            above.closed[name] = _nothing_found(search, found, faults, self._pushed)
        elif best.key in self._seen:
            above.closed[name] = f"its state on {best.pushed.branch} is shown elsewhere in this tree"
        else:
            self._seen.add(best.key)
            above.closed.pop(name, None)
            above.children[name] = _grown(best, owner=search.agent, depth=above.depth + 1)

    async def _candidates(self, branches: Iterable[str], folder: str) -> tuple[list[_Read], list[str]]:
        """Every workspace on these branches that can be read, those in the folder of this name first; and what cannot."""
        found: list[_Read] = []
        faults: list[str] = []
        for branch in branches:
            for workspace in await self._workspaces(branch, folder):
                read = self._reading(workspace)
                if isinstance(read, str):
                    faults += [f"its state on {branch} cannot be read: {read}"] if workspace.name == folder else []
                else:
                    found.append(read)
        return found, faults

    async def _workspaces(self, branch: str, folder: str) -> list[PushedWorkspace]:
        own = await self._pushed.workspaces(branch, folder)
        if branch.startswith(STATE_BRANCHES):
            return own
        return own + [each for each in await self._pushed.workspaces(branch) if each.name != folder]

    def _reading(self, workspace: PushedWorkspace) -> _Read | str:
        key = (workspace.commit, workspace.folder)
        if key not in self._read:
            self._read[key] = _read_from(workspace, now=self._now)
        return self._read[key]


async def deepened(grown: Grown, variables: Mapping[str, str], *, fetches: bool = True) -> Grown:
    """A workspace's tree with what its planners have pushed; Refused or Unavailable where the repository cannot be read."""
    git, folder = Git(variables, deadline_seconds=FETCH_SECONDS), grown.picture.location.folder
    async with pushed_for(git, folder, grown.picture.document.outline.repo_url or "", fetches=fetches) as pushed:
        return await Crawler(pushed).deepen(grown, now=grown.picture.now)


@asynccontextmanager
async def pushed_for(git: Git, folder: Path, url: str, *, fetches: bool) -> AsyncIterator[PushedFiles]:
    """The repository of a workspace's plan: by the clone that it is in, by a path from it, or by its address."""
    if not url:
        raise Refused("plan.json names no repository (repoUrl).", code="invalid_address")
    here, path = _placed(folder, url)
    site = await site_of(git, here, repo_url=url)
    if not isinstance(site, NoSite):
        yield pushed_from(git, site) if fetches else await pushed_beside(git, site.top, fetches=False)
        return
    if path is not None:
        yield await pushed_beside(git, path, fetches=fetches)
        return
    if not fetches:
        raise Refused(f"{site.reason}: there is nothing to read without fetching.", hint="leave out --no-fetch")
    async with pushed_at(git, url) as elsewhere:
        yield elsewhere


def _placed(folder: Path, url: str) -> tuple[Path, Path | None]:
    """The folder without links, and the one that the address names from there, if it does."""
    here = folder.resolve()
    path = local_path(url, top=here)
    return here, path if path is not None and path.is_dir() else None


def _grown(read: _Read, *, owner: AgentId | None = None, depth: int = 0) -> Grown:
    pushed = read.pushed
    return Grown(read.picture, origin=Origin(pushed.branch, pushed.commit, pushed.folder), owner=owner, depth=depth)


def _best(found: Sequence[_Read], search: _Search) -> _Read | None:
    """The newest that names this planner, else the newest in its folder that names no other one."""
    proved = [each for each in found if search.agent in each.owners]
    likely = [each for each in found if not each.owners and each.pushed.name == search.row.name]
    return max(proved or likely, key=lambda each: each.rank, default=None)


def _read_from(workspace: PushedWorkspace, *, now: float) -> _Read | str:
    """The workspace, or why it cannot be read."""
    state, plan = workspace.files.get(STATE), workspace.files.get(PLAN, b"")
    if state is None:
        return workspace.unread.get(STATE, "there is no state.json")
    try:
        snapshot, faults = salvage_state(state)
    except WorkspaceDamaged as error:
        return error.message
    loaded = loaded_alone(snapshot, notes=_shortened(faults))
    folder = Path(workspace.folder)
    location = PlanLocation(folder / PLAN, folder, workspace.folder)
    picture = picture_from_afar(location, plan=plan, loaded=loaded, now=now)
    parents = {row.parent_agent_id for row in loaded.rows.values() if row.parent_agent_id is not None}
    own = _self_agent(plan)
    return _Read(workspace, picture, frozenset(parents if own is None else {*parents, own}))


def _self_agent(plan: bytes) -> AgentId | None:
    try:
        document = orjson.loads(plan)
    except orjson.JSONDecodeError:
        return None
    value = document.get("selfAgentId") if isinstance(document, dict) else None
    return AgentId(value) if isinstance(value, str) and value else None


def _shortened(faults: Sequence[str]) -> tuple[str, ...]:
    more = (f"{len(faults) - _TOLD} more faults",) if len(faults) > _TOLD else ()
    return (*faults[:_TOLD], *more)


def _nothing_found(search: _Search, found: Sequence[_Read], faults: Sequence[str], pushed: PushedFiles) -> str:
    unfetched = [
        f"{name} cannot be fetched: {pushed.unfetched[name]}" for name in search.branches if name in pushed.unfetched
    ]
    if faults or unfetched:
        return [*faults, *unfetched][0]
    if any(each.pushed.name == search.row.name for each in found):
        return "the workspace of its name is of another agent"
    where = search.row.branch or "its branch"
    return f"no state was pushed: {where} has none" if search.branches else f"no state was pushed: {where} is not there"


def _no_state(branch: str, slug: str, pushed: PushedFiles, faults: Sequence[str]) -> ServiceError:
    known = [*faults, *(f"{name}: {reason}" for name, reason in pushed.unfetched.items())]
    if branch not in pushed.heads:
        known.append(f"{branch} is not there")
    error = Refused(
        f"there is no state of {slug} on {branch} or {state_branch(slug)}.",
        code="state_not_found",
        hint=f"orchestrate tree --live --root {slug} asks the service who is there",
    )
    error.known = tuple(known)
    return error
