"""Who of a tree may be alive, as one look of a kill sees it: rows here, what others have pushed, and the service's list.

Each of the three may be missing. Without git the rows here and the list decide; where the service lets nobody in, rows
still tell where the tombstones belong.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio

from orchestrate.cli.crawling import Crawler, pushed_for
from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.grown import Grown, grown_tree
from orchestrate.cli.kill_places import Place, places_of, sightings_in
from orchestrate.cli.locating import PLAN, PlanLocation
from orchestrate.cli.sightings import sighting_of
from orchestrate.core.lineage import (
    Roots,
    Sighting,
    agent_of,
    believed,
    crew_sightings,
    launched_since,
    members,
    merged,
    out_of_reach,
    subtree,
)
from orchestrate.errors import OrchestrateError, Refused
from orchestrate.model.names import AgentId, TaskName
from orchestrate.model.stops import StopScope
from orchestrate.model.vocabulary import TaskType
from orchestrate.model.wire import Agent
from orchestrate.repo.address import repository_key
from orchestrate.repo.git import Git
from orchestrate.repo.pushed import PushedFiles
from orchestrate.system import SystemClock

#: Git that does not answer holds up the kill no longer than that, and is asked so often.
GIT_SECONDS = 30.0
_MOST_FAILURES = 3
#: Agents that may have been launched since a state was pushed and are asked for by their ids, in one look.
_MOST_GUESSES = 60


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be killed."""

    #: For people: the plan, the task, the tree.
    title: str
    roots: Roots
    #: The workspace that was named, if one was.
    folder: Path | None = None
    #: Only what is below this planner's task.
    below: TaskName | None = None
    #: Only this agent and what parent links show below it.
    top: AgentId | None = None
    #: The repository and the branch that were named; a list tells of agents of other repositories too.
    repository: str | None = None
    branch: str | None = None
    #: False to leave alone what the workspace's own agents have launched.
    has_descendants: bool = True
    #: What its tombstones say.
    scope: StopScope = StopScope.TREE
    #: Asks whoever runs the workspace to cancel the one task that is meant.
    ask_first: Callable[[], Awaitable[object]] | None = None
    #: Opens the repository that was named.
    opened: Callable[[Git], AbstractAsyncContextManager[PushedFiles]] | None = None


@dataclass(slots=True)
class KillCensus:
    """Looks at one tree, as often as it is asked."""

    target: Target
    git: Git
    #: Lives as long as the kill.
    stack: AsyncExitStack
    #: None where the service lets nobody in.
    calls: GatedCalls | None
    server_folder: Path | None
    #: Every workspace of the tree that lies here, for who may be alive.
    known: list[Place] = field(default_factory=list)
    #: Those of them that are stopped.
    places: list[Place] = field(default_factory=list)
    #: What was pushed of the tree; of a tree that was named by its repository, from its root on.
    pushed: list[Grown] = field(default_factory=list)
    strays: list[Sighting] = field(default_factory=list)
    #: Agents of the same ``rootSlug`` that belong to other workspaces.
    others: list[Sighting] = field(default_factory=list)
    #: Why the service's list could not be read.
    trouble: OrchestrateError | None = None
    #: Why nothing that was pushed could be read.
    git_trouble: OrchestrateError | None = None
    files: PushedFiles | None = None
    _crawler: Crawler | None = None
    #: Agents that the service knows to be of a workspace of ours; no state of another tool has launched them.
    _ours: set[AgentId] = field(default_factory=set)
    _failures: int = 0

    async def first(self) -> Sequence[Sighting]:
        """The first look, at what can be seen: the service may refuse, and somebody is to be stopped all the same."""
        try:
            return await self.look()
        except OrchestrateError as error:
            self.trouble, calls, self.calls = error, self.calls, None
            found = await self.look()
            self.calls = calls
            return found

    async def look(self) -> Sequence[Sighting]:
        """Everybody of the tree who may be alive, parents first."""
        self.known = self._found_places()
        listed, refusal = list[Sighting](), list[OrchestrateError]()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._crawl)
            try:
                listed += [sighting_of(agent) async for agent in self._listed()]
            except OrchestrateError as error:
                refusal.append(error)
        if refusal:
            raise refusal[0]
        self._ours = {each.agent_id for each in listed if each.workspace is not None}
        shown = believed(self._shown(), merged(listed))
        found = self._chosen(merged([*shown, *sightings_in(self.known), *listed]))
        return [each for each in found if not each.is_over]

    @property
    def roots(self) -> Roots:
        """Where the tree begins; the name of a plan counts only where no state of it can be read."""
        roots, root = self.target.roots, self._root
        if root is None:
            return roots
        crew = root.crew
        agents = frozenset[AgentId]() if crew.workspace is not None else _agents_in(root) - self._ours
        own = frozenset() if crew.workspace is None else frozenset({crew.workspace})
        return Roots(roots.workspaces | own, roots.agents | agents)

    @property
    def _root(self) -> Grown | None:
        return self.pushed[0] if self.target.repository is not None and self.pushed else None

    def _shown(self) -> Iterator[Sighting]:
        """By what was pushed: who is there, and who may have been launched since."""
        guesses = 0
        for each in self.pushed:
            yield from crew_sightings(each.crew)
            for guess in launched_since(each.crew):
                guesses += 1
                if guesses <= _MOST_GUESSES:
                    yield guess

    async def _crawl(self) -> None:
        """What was pushed up to now; what was seen before stays where git has no answer."""
        if self._failures >= _MOST_FAILURES or not self.target.has_descendants:
            return
        try:
            grown = await self._crawled()
        except OrchestrateError as error:
            self.git_trouble = error
            self._failures += _MOST_FAILURES if isinstance(error, Refused) else 1
            return
        self.git_trouble = None
        if grown is not None:
            is_named_here = self.target.folder is not None
            self.pushed = [each for each in grown.all() if each.origin is not None or not is_named_here]

    async def _crawled(self) -> Grown | None:
        target, now = self.target, SystemClock().now()
        if target.folder is not None:
            grown = self._grown_here(target.folder, now=now)
            if grown is None:
                return None
            if self._crawler is None:
                url = grown.picture.document.outline.repo_url or ""
                self._crawler = await self._crawler_of(pushed_for(self.git, target.folder, url, fetches=True))
            return await self._crawler.deepen(grown, now=now)
        if self._crawler is None:
            assert target.opened is not None
            self._crawler = await self._crawler_of(target.opened(self.git))
        assert target.branch is not None
        assert target.roots.slug is not None
        return await self._crawler.root(target.branch, target.roots.slug, now=now)

    async def _crawler_of(self, opened: AbstractAsyncContextManager[PushedFiles]) -> Crawler:
        self.files = await self.stack.enter_async_context(opened)
        return Crawler(self.files)

    def _grown_here(self, folder: Path, *, now: float) -> Grown | None:
        """The workspace that was named, if it has launched planners; with one task only, if that is meant."""
        grown = grown_tree(PlanLocation(folder / PLAN, folder, str(folder)), now=now)
        below = self.target.below
        rows = [row for row in grown.picture.rows if below in (None, row.name)]
        if not any(row.type == TaskType.SUBPLANNER and agent_of(row) is not None for row in rows):
            return None
        children = {name: child for name, child in grown.children.items() if below in (None, name)}
        return replace(grown, picture=replace(grown.picture, rows=rows), children=children)

    def _found_places(self) -> list[Place]:
        target = self.target
        if target.folder is None:
            return []
        found = places_of(target.folder, server_folder=self.server_folder, below=target.below)
        return found if target.has_descendants else found[:1]

    def _chosen(self, known: dict[AgentId, Sighting]) -> list[Sighting]:
        """Those of the tree that are meant; what is of the tree and cannot be told to be meant is put aside."""
        target = self.target
        if not target.has_descendants:
            self.places = [] if target.below else self.known
            return [each for each in members(known, target.roots) if _is_own(each, target.roots)]
        if target.top is None:
            self.places = self.known[1:] if target.below else self.known
            found = members(known, self._widened(self.places))
            self.others = self._namesakes(known, found)
            return found
        reached = subtree(known, target.top)
        whole = members(known, self._widened(self.known))
        self.strays = [each for each in out_of_reach(whole, reached) if each.may_run and not each.is_over]
        names = {each.agent_id for each in reached}
        self.places = [place for place in self.known if place.owner in names]
        self.pushed = [each for each in self.pushed if each.owner is None or each.owner in names]
        return reached

    def _namesakes(self, known: dict[AgentId, Sighting], found: Sequence[Sighting]) -> list[Sighting]:
        if self._root is None:
            return []
        slug, names = self.target.roots.slug, {each.agent_id for each in found}
        return [each for each in known.values() if each.root == slug and each.may_run and each.agent_id not in names]

    def _widened(self, places: Sequence[Place]) -> Roots:
        """The roots with the workspaces that lie here."""
        roots = self.roots
        ids = (place.workspace_id for place in places)
        return Roots(roots.workspaces.union(each for each in ids if each is not None), roots.agents, roots.slug)

    async def _listed(self) -> AsyncIterator[Agent]:
        if self.calls is None:
            return
        async for agent in self.calls.agents(include_archived=True):
            if self.target.repository is None or _is_on(agent, self.target.repository):
                yield agent


def _agents_in(grown: Grown) -> frozenset[AgentId]:
    found = (agent_of(row) for row in grown.picture.loaded.rows.values())
    return frozenset(each for each in found if each is not None)


def _is_on(agent: Agent, repository: str) -> bool:
    """Whether the agent works on this repository; one that does not say is not left out."""
    urls = [repo.url for repo in agent.repos or ()]
    return not urls or any(repository_key(url) == repository_key(repository) for url in urls)


def _is_own(sighting: Sighting, roots: Roots) -> bool:
    """Whether the agent was launched by the workspace itself, or is the one that is meant."""
    return sighting.workspace in roots.workspaces or sighting.agent_id in roots.agents
