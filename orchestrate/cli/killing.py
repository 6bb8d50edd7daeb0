"""A kill from its list of victims to its proof, for the verbs that ask for one.

Tombstones come first, so that no engine on this machine launches any more; then everybody who may be alive is cancelled,
parents before children, until two looks in a row find nobody; last, the rows of the workspaces here say what became of
their agents.
"""

import argparse
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from orchestrate.cli import output
from orchestrate.cli.answering import answer_requests
from orchestrate.cli.confirming import NotConfirmed, require_confirmation
from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.kill_places import Place, places_of, sightings_in
from orchestrate.cli.locating import PLAN
from orchestrate.cli.messages import count_of
from orchestrate.cli.plan_file import read_plan_file
from orchestrate.cli.requesting import new_request_id, this_person
from orchestrate.cli.runtime import repository_address
from orchestrate.cli.screens.kill import toll_lines, victims_lines
from orchestrate.cli.settings import Settings
from orchestrate.cli.settling import over
from orchestrate.cli.sightings import sighting_of
from orchestrate.cli.wiring import Service
from orchestrate.core.lineage import Roots, Sighting, members, merged, out_of_reach, subtree
from orchestrate.engine.killing import PATIENCE_SECONDS, Fate, Killer, KillPace, Toll, expected_seconds, told_refusals
from orchestrate.errors import OrchestrateError, Unavailable
from orchestrate.model.checking import parse_plan
from orchestrate.model.names import AgentId, TaskName
from orchestrate.model.stops import Stop, StopScope
from orchestrate.model.timestamps import to_timestamp
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import (
    Agent,
)
from orchestrate.repo.address import repository_key
from orchestrate.store.loading import workspace_folder
from orchestrate.store.lock import living_holder
from orchestrate.store.tombstone import write_stop
from orchestrate.system import SystemClock
from orchestrate.text.terminal import escape_for_terminal

_Text = TypeVar("_Text", bound=str)

#: The service's habit: 20 calls of a kind a minute, and new agents are missing in lists for some seconds.
CLOUD_PACE = KillPace(quiet_seconds=10.0, cancel_seconds=3.0)
#: Our own server knows of an agent before it answers, and has no limit of calls.
LOCAL_PACE = KillPace(quiet_seconds=1.0)
#: How long an engine that obeys its tombstone may take to write down what became of its agents.
_SETTLING_SECONDS = 30.0
_NOT_DONE = "Nothing was stopped."
EXIT_CERTAIN, EXIT_NOT_CERTAIN = 0, 1


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
    #: The repository, where only a service's list tells who belongs to the tree.
    repository: str | None = None
    #: False to leave alone what the workspace's own agents have launched.
    has_descendants: bool = True
    #: What its tombstones say.
    scope: StopScope = StopScope.TREE
    #: Asks whoever runs the workspace to cancel the one task that is meant.
    ask_first: Callable[[], Awaitable[object]] | None = None


@dataclass(slots=True)
class _Kill:
    """One kill on its way."""

    target: Target
    service: Service
    calls: GatedCalls
    server_folder: Path | None
    #: Every workspace of the tree that lies here, for who may be alive.
    known: list[Place] = field(default_factory=list)
    #: Those of them that are stopped.
    places: list[Place] = field(default_factory=list)
    strays: list[Sighting] = field(default_factory=list)

    @property
    def pace(self) -> KillPace:
        return LOCAL_PACE if self.service.kind is RuntimeKind.LOCAL else CLOUD_PACE

    async def census(self) -> Sequence[Sighting]:
        """Everybody of the tree who may be alive: by rows, intents, and the service's whole list."""
        self.known = self._found_places()
        listed = [sighting_of(agent) async for agent in self._listed()]
        found = self._chosen(merged([*sightings_in(self.known), *listed]))
        return [each for each in found if not each.is_over]

    def stop(self, stop: Stop) -> None:
        """Put a tombstone into every workspace of the tree that lies here, parents first."""
        for place in self.places:
            write_stop(workspace_folder(place.folder), stop)

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
            return members(known, self._widened(self.places))
        reached = subtree(known, target.top)
        whole = members(known, self._widened(self.known))
        self.strays = [each for each in out_of_reach(whole, reached) if each.may_run and not each.is_over]
        names = {each.agent_id for each in reached}
        self.places = [place for place in self.known if place.owner in names]
        return reached

    def _widened(self, places: Sequence[Place]) -> Roots:
        """The roots with the workspaces that lie here."""
        roots = self.target.roots
        ids = (place.workspace_id for place in places)
        return Roots(roots.workspaces.union(each for each in ids if each is not None), roots.agents, roots.slug)

    async def _listed(self) -> AsyncIterator[Agent]:
        async for agent in self.calls.agents(include_archived=True):
            if self.target.repository is None or _is_on(agent, self.target.repository):
                yield agent


async def kill(
    target: Target,
    reached: Callable[[], Awaitable[Service]],
    settings: Settings,
    args: argparse.Namespace,
    *,
    operation: str,
) -> int:
    """List the victims, ask, end them and prove it; the exit code."""
    service = await reached()
    server_folder = settings.server_folder if service.kind is RuntimeKind.LOCAL else None
    async with service.client() as client:
        calls = GatedCalls(client, clock=SystemClock(), kind=service.kind, longest_wait_seconds=PATIENCE_SECONDS)
        run = _Kill(target, service, calls, server_folder)
        victims = [each for each in await run.census() if each.may_run]
        _announce(args, run, victims)
        if args.dry_run:
            return _told_victims(args, run, victims, operation, is_asked=False)
        try:
            require_confirmation(f"Kill {target.title}?", args, settings, not_done=_NOT_DONE)
        except NotConfirmed:
            if not args.json:
                raise
            return _told_victims(args, run, victims, operation, is_asked=True)
        now = SystemClock().now()
        run.stop(Stop(new_request_id(), by=this_person(), at=to_timestamp(now), scope=target.scope))
        if target.ask_first is not None:
            await target.ask_first()
        toll = await _ended(run, args)
        await _settle(run, settings)
        return _told_toll(args, run, toll, operation)


async def _ended(run: _Kill, args: argparse.Namespace) -> Toll:
    """Everybody is cancelled and seen to end; agents of a living engine are first of all that engine's."""
    obeying = [place for place in run.places if _lives(place)]
    theirs = [each.agent_id for each in sightings_in(obeying) if each.may_run]
    looks = 0

    def tell(toll: Toll) -> None:
        nonlocal looks
        if toll.looks > looks and not (args.json or args.quiet):
            looks = toll.looks
            output.say([f"look {looks}: {toll.count(Fate.CANCELLED)} cancelled so far"])

    killer = Killer(run.calls, run.census, clock=SystemClock(), pace=run.pace, tell=tell, left_to_engines=theirs)
    return await killer.run()


async def _settle(run: _Kill, settings: Settings) -> None:
    """The rows of the workspaces here say what became of their agents: their engine's doing, or ours where none lives."""
    for place in run.known if run.target.ask_first is not None else run.places:
        if _lives(place):
            await over(place.folder, frozenset(place.running), timeout_seconds=_SETTLING_SECONDS, clock=SystemClock())
        if _still_runs(place):
            with suppress(OrchestrateError):
                await _settled_here(place, run.service, settings)


def _still_runs(place: Place) -> bool:
    """Whether rows of this workspace say still that somebody runs."""
    with suppress(OrchestrateError):
        return bool(places_of(place.folder, server_folder=None)[0].running)
    return False


async def _settled_here(place: Place, service: Service, settings: Settings) -> None:
    plan, _ = parse_plan(read_plan_file(place.folder / PLAN), local=True)
    repo_url = repository_address(plan, folder=place.folder, kind=RuntimeKind.LOCAL)
    await answer_requests(plan, folder=place.folder, repo_url=repo_url, variables=settings.environ, service=service)


def _lives(place: Place) -> bool:
    return living_holder(workspace_folder(place.folder), now=SystemClock().now()) is not None


def _is_on(agent: Agent, repository: str) -> bool:
    """Whether the agent works on this repository; one that does not say is not left out."""
    urls = [repo.url for repo in agent.repos or ()]
    return not urls or any(repository_key(url) == repository_key(repository) for url in urls)


def _announce(args: argparse.Namespace, run: _Kill, victims: Sequence[Sighting]) -> None:
    if args.json:
        return
    seconds = expected_seconds(len(victims), run.pace)
    lines = victims_lines(run.target.title, victims, seconds=seconds, is_whole=bool(args.verbose), strays=run.strays)
    output.say(escape_for_terminal(each) for each in lines)


def _told_victims(
    args: argparse.Namespace, run: _Kill, victims: Sequence[Sighting], operation: str, *, is_asked: bool
) -> int:
    """Nothing was done; programs get the list."""
    fields = _fields(run, victims)
    if not is_asked:
        if args.json:
            output.put_json(output.success(operation, dryRun=True, **fields))
        return EXIT_CERTAIN
    error = NotConfirmed(
        f"{count_of(len(victims), 'agent')} may be alive; nobody confirmed. {_NOT_DONE}", hint="add --yes"
    )
    output.put_json(output.failure(operation, error, **fields))
    return EXIT_NOT_CERTAIN


def _told_toll(args: argparse.Namespace, run: _Kill, toll: Toll, operation: str) -> int:
    alive = told_refusals(toll)
    cancelled, ended = toll.count(Fate.CANCELLED), toll.count(Fate.OVER)
    if args.json:
        fields: dict[str, object] = {
            **_fields(run, list(toll.victims.values())),
            "cancelled": cancelled,
            "over": ended,
            "alive": [{"agentId": agent_id, "reason": why} for agent_id, why in alive.items()],
            "looks": toll.looks,
            "seconds": round(toll.seconds, 3),
        }
        words = f"{count_of(len(alive), 'agent')} may be alive still."
        error = Unavailable(words, code="still_alive", hint="type the same command again")
        told = output.success(operation, **fields) if toll.is_certain else output.failure(operation, error, **fields)
        output.put_json(told)
    else:
        lines = toll_lines(
            cancelled=cancelled,
            over=ended,
            alive=alive,
            seconds=toll.seconds,
            looks=toll.looks,
            is_certain=toll.is_certain,
        )
        output.put(escape_for_terminal(each) for each in lines)
    return EXIT_CERTAIN if toll.is_certain else EXIT_NOT_CERTAIN


def _fields(run: _Kill, victims: Sequence[Sighting]) -> dict[str, object]:
    return {
        "victims": [_object(each) for each in victims],
        "outOfReach": [_object(each) for each in run.strays],
        "expectedSeconds": expected_seconds(len(victims), run.pace),
    }


def _object(sighting: Sighting) -> dict[str, object]:
    told = {
        "agentId": sighting.agent_id,
        "runId": sighting.run_id,
        "task": sighting.task,
        "parentAgentId": sighting.parent,
        "depth": sighting.depth,
        "url": sighting.url,
    }
    return {key: value for key, value in told.items() if value not in (None, "")}


def _is_own(sighting: Sighting, roots: Roots) -> bool:
    """Whether the agent was launched by the workspace itself, or is the one that is meant."""
    return sighting.workspace in roots.workspaces or sighting.agent_id in roots.agents
