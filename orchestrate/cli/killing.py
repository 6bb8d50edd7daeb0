"""A kill from its list of victims to its proof, for the verbs that ask for one.

Tombstones come first, so that no engine on this machine launches any more; then everybody who may be alive is cancelled,
parents before children, until two looks in a row find nobody; last, the rows of the workspaces here say what became of
their agents.
"""

import argparse
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field

from orchestrate.cli import output
from orchestrate.cli.answering import answer_requests
from orchestrate.cli.confirming import NotConfirmed, require_confirmation
from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.kill_census import GIT_SECONDS, KillCensus, Target
from orchestrate.cli.kill_places import Place, places_of, sightings_in
from orchestrate.cli.kill_stones import Stones, stones_laid
from orchestrate.cli.locating import PLAN
from orchestrate.cli.messages import count_of
from orchestrate.cli.plan_file import read_plan_file
from orchestrate.cli.requesting import new_request_id, this_person
from orchestrate.cli.runtime import repository_address
from orchestrate.cli.safe_errors import redactor_of, safe_error, safe_lines
from orchestrate.cli.screens.kill import stones_lines, toll_lines, victims_lines
from orchestrate.cli.settings import Settings
from orchestrate.cli.settling import over
from orchestrate.cli.wiring import Service
from orchestrate.core.lineage import Sighting
from orchestrate.engine.killing import PATIENCE_SECONDS, Fate, Killer, KillPace, Toll, expected_seconds, told_refusals
from orchestrate.errors import OrchestrateError, Unavailable
from orchestrate.model.checking import parse_plan
from orchestrate.model.stops import Stop
from orchestrate.model.timestamps import to_timestamp
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.repo.git import Git
from orchestrate.store.loading import workspace_folder
from orchestrate.store.lock import living_holder
from orchestrate.system import SystemClock
from orchestrate.text.redaction import Redactor
from orchestrate.text.terminal import escape_for_terminal

#: The service's habit: 20 calls of a kind a minute, and new agents are missing in lists for some seconds.
CLOUD_PACE = KillPace(quiet_seconds=10.0, cancel_seconds=3.0)
#: Our own server knows of an agent before it answers, and has no limit of calls.
LOCAL_PACE = KillPace(quiet_seconds=1.0)
#: How long an engine that obeys its tombstone may take to write down what became of its agents.
_SETTLING_SECONDS = 30.0
_NOT_DONE = "Nothing was stopped."
_STOPPED = "stop.json is in place, so that no engine that sees it launches any more."
EXIT_CERTAIN, EXIT_NOT_CERTAIN = 0, 1


async def kill(
    target: Target,
    reached: Callable[[], Awaitable[Service]],
    settings: Settings,
    args: argparse.Namespace,
    *,
    operation: str,
) -> int:
    """List the victims, ask, end them and prove it; the exit code."""
    async with AsyncExitStack() as stack:
        run = await _begun(target, reached, settings, stack)
        victims = [each for each in await run.census.first() if each.may_run]
        run.trouble = run.trouble or run.census.trouble
        _announce(args, run, victims)
        if args.dry_run:
            return _told_victims(args, run, victims, operation, is_asked=False)
        try:
            require_confirmation(f"Kill {target.title}?", args, settings, not_done=_NOT_DONE)
        except NotConfirmed:
            if not args.json:
                raise
            return _told_victims(args, run, victims, operation, is_asked=True)
        now = to_timestamp(SystemClock().now())
        stop = Stop(new_request_id(), by=this_person(), at=now, scope=target.scope)
        run.stones = await stones_laid(run.census, stop)
        _tell_stones(args, run)
        if run.trouble is not None and (run.service is None or not isinstance(run.trouble, Unavailable)):
            return _told_trouble(args, run, victims, operation, run.trouble)
        if target.ask_first is not None:
            await target.ask_first()
        try:
            toll = await _ended(run, args)
        except OrchestrateError as error:
            return _told_trouble(args, run, victims, operation, error)
        await _settle(run, settings)
        return _told_toll(args, run, toll, operation)


@dataclass(slots=True)
class _Kill:
    """One kill on its way."""

    target: Target
    census: KillCensus
    kind: RuntimeKind | None
    #: None where there is no way to the service.
    service: Service | None
    redactor: Redactor
    trouble: OrchestrateError | None = None
    stones: Stones = field(default_factory=Stones)

    @property
    def pace(self) -> KillPace:
        return LOCAL_PACE if self.kind is RuntimeKind.LOCAL else CLOUD_PACE


async def _begun(
    target: Target, reached: Callable[[], Awaitable[Service]], settings: Settings, stack: AsyncExitStack
) -> _Kill:
    """The kill with its way to the service; without one, engines are stopped all the same."""
    service, calls, trouble = None, None, None
    try:
        service = await reached()
        client = await stack.enter_async_context(service.client())
        calls = GatedCalls(client, clock=SystemClock(), kind=service.kind, longest_wait_seconds=PATIENCE_SECONDS)
    except OrchestrateError as error:
        trouble = error
    kind = None if service is None else service.kind
    server_folder = settings.server_folder if kind is RuntimeKind.LOCAL else None
    git, redactor = Git(settings.environ, deadline_seconds=GIT_SECONDS), redactor_of(settings.environ)
    return _Kill(target, KillCensus(target, git, stack, calls, server_folder), kind, service, redactor, trouble)


async def _ended(run: _Kill, args: argparse.Namespace) -> Toll:
    """Everybody is cancelled and seen to end; agents of a living engine are first of all that engine's."""
    assert run.census.calls is not None
    obeying = [place for place in run.census.places if _lives(place)]
    theirs = [each.agent_id for each in sightings_in(obeying) if each.may_run]
    looks = 0

    def tell(toll: Toll) -> None:
        nonlocal looks
        if toll.looks > looks and not (args.json or args.quiet):
            looks = toll.looks
            output.say([f"look {looks}: {toll.count(Fate.CANCELLED)} cancelled so far"])

    killer = Killer(
        run.census.calls, run.census.look, clock=SystemClock(), pace=run.pace, tell=tell, left_to_engines=theirs
    )
    return await killer.run()


async def _settle(run: _Kill, settings: Settings) -> None:
    """The rows of the workspaces here say what became of their agents: their engine's doing, or ours where none lives."""
    assert run.service is not None
    for place in run.census.known if run.target.ask_first is not None else run.census.places:
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


def _announce(args: argparse.Namespace, run: _Kill, victims: Sequence[Sighting]) -> None:
    if args.json:
        return
    seconds = expected_seconds(len(victims), run.pace)
    lines = victims_lines(
        run.target.title, victims, seconds=seconds, is_whole=bool(args.verbose), strays=run.census.strays
    )
    output.say(escape_for_terminal(each) for each in [*lines, *safe_lines(_notes(run), run.redactor)])


def _notes(run: _Kill) -> list[str]:
    """What the list of victims cannot be sure of."""
    census, notes = run.census, []
    if run.trouble is not None:
        notes.append(f"note: the service's list could not be read ({run.trouble.message}); these are known here")
    if census.git_trouble is not None and census.git_trouble.message:
        told = census.git_trouble.message.rstrip(".")
        notes.append(f"note: nothing that was pushed could be read: {told}; the service's list decides")
    if census.others:
        told = count_of(len(census.others), "agent")
        notes.append(f"note: {told} of the same rootSlug, of other workspaces: left alone")
    return notes


def _tell_stones(args: argparse.Namespace, run: _Kill) -> None:
    if args.json or args.quiet:
        return
    output.say(escape_for_terminal(each) for each in safe_lines(stones_lines(run.stones), run.redactor))


def _told_victims(
    args: argparse.Namespace, run: _Kill, victims: Sequence[Sighting], operation: str, *, is_asked: bool
) -> int:
    """Nothing was done; programs get the list."""
    fields = _fields(run, victims)
    if not is_asked:
        if run.trouble is not None:
            raise run.trouble
        if args.json:
            output.put_json(output.success(operation, dryRun=True, **fields))
        return EXIT_CERTAIN
    error = NotConfirmed(
        f"{count_of(len(victims), 'agent')} may be alive; nobody confirmed. {_NOT_DONE}", hint="add --yes"
    )
    output.put_json(output.failure(operation, error, **fields))
    return EXIT_NOT_CERTAIN


def _told_trouble(
    args: argparse.Namespace, run: _Kill, victims: Sequence[Sighting], operation: str, error: OrchestrateError
) -> int:
    """The tombstones stand, and nobody can be cancelled: what there is to do is somebody's who gets in."""
    stones = run.stones
    known = f"{count_of(len(victims), 'agent')} may be alive still" if victims else "Nobody is known to be alive"
    told = _STOPPED if stones.folders or stones.refs else "no tombstone could be put anywhere."
    safe = safe_error(error, run.redactor)
    safe.message = f"{safe.message.rstrip('.')}. {known}; {told}"
    if args.json:
        output.put_json(output.failure(operation, safe, **_fields(run, victims)))
        return EXIT_NOT_CERTAIN
    raise safe


def _told_toll(args: argparse.Namespace, run: _Kill, toll: Toll, operation: str) -> int:
    alive = told_refusals(toll)
    cancelled, ended = toll.count(Fate.CANCELLED), toll.count(Fate.OVER)
    if args.json:
        fields: dict[str, object] = {
            **_fields(run, [each for each in toll.victims.values() if _was_there(each, toll)]),
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
        "outOfReach": [_object(each) for each in run.census.strays],
        "otherWorkspaces": [_object(each) for each in run.census.others],
        "expectedSeconds": expected_seconds(len(victims), run.pace),
        **run.stones.document(),
    }


def _was_there(sighting: Sighting, toll: Toll) -> bool:
    """False for one that might have been launched, and was not."""
    return sighting.may_run or toll.fates.get(sighting.agent_id) is not Fate.ABSENT


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
