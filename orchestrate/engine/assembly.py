"""One engine put together from the ports that the caller chose."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass

import anyio

from orchestrate.core.effects import LaunchAgent
from orchestrate.core.events import EngineStarted, PlanRead, StopReason, StopRequested
from orchestrate.core.request_events import StopFound
from orchestrate.core.state import State
from orchestrate.engine.answering import Clerk
from orchestrate.engine.cord import CordWatcher
from orchestrate.engine.follow_ups import Messenger
from orchestrate.engine.gate import GatedService
from orchestrate.engine.grants import GrantReader
from orchestrate.engine.inbox import Inbox
from orchestrate.engine.launch import LOOK_UP_SECONDS, Launcher, Send
from orchestrate.engine.listening import Listener, requests_of
from orchestrate.engine.look_ups import RefLooker
from orchestrate.engine.loop import Loop
from orchestrate.engine.measuring import Measurer
from orchestrate.engine.path_checks import PathChecker
from orchestrate.engine.performers import Performers
from orchestrate.engine.plan_watch import PlanWatcher
from orchestrate.engine.polling import SECONDS_A_RUN, Poller
from orchestrate.engine.publish import HeardSurface, Publisher
from orchestrate.engine.reply import ReplyTaker
from orchestrate.engine.requests import RequestOptions, RequestWriter
from orchestrate.engine.silence import Silence
from orchestrate.engine.timers import Timers
from orchestrate.engine.tombstones import TombstoneWatcher
from orchestrate.engine.view import ActivityView
from orchestrate.engine.watch import Watcher
from orchestrate.model.names import EngineId
from orchestrate.model.plan import Plan
from orchestrate.model.wire import Created
from orchestrate.ports import (
    AgentService,
    Archive,
    Bench,
    Clock,
    Cord,
    Differences,
    Exhibits,
    Heads,
    Ledger,
    Medium,
    PlanFile,
    Requests,
    Surface,
    Tombstone,
)
from orchestrate.text.redaction import Redactor
from orchestrate.text.templates import Templates


@dataclass(frozen=True, slots=True)
class Showing:
    """What others may see, and where they see it."""

    exhibits: Exhibits
    medium: Medium


@dataclass(frozen=True, slots=True)
class Outside:
    """Everything that an engine touches."""

    service: AgentService
    ledger: Ledger
    archive: Archive
    clock: Clock
    surface: Surface
    requests: Requests
    differences: Differences
    heads: Heads
    bench: Bench
    #: None where the plan is read once.
    plan_file: PlanFile | None = None
    #: None where nothing is kept on git.
    showing: Showing | None = None
    #: The andon of the tree; None where there is only this workspace's own.
    cord: Cord | None = None
    #: True to launch nothing while the tree's andon is unknown.
    is_andon_strict: bool = False
    #: The tombstone of a kill from elsewhere; None where nothing is kept on git.
    tombstone: Tombstone | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """What an engine begins with."""

    engine_id: EngineId
    state: State
    #: Number of the journal's last record.
    seq: int
    plan: Plan
    #: True when the workspace got its id just now.
    is_first: bool = False
    #: What was odd about the files.
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pace:
    """What differs between a service far away and one on this machine."""

    #: How long "not there" is doubted after a launch without an answer.
    look_up_seconds: float = LOOK_UP_SECONDS
    #: Seconds of the slow poll's round for each watched run.
    seconds_a_run: float = SECONDS_A_RUN


#: What goes on beside the loop until the engine ends: the slow poll, the look for silence.
Lookout = Callable[[], Coroutine[object, None, None]]


class Engine:
    """An engine for one workspace; ``run`` it once."""

    def __init__(
        self,
        start: Start,
        *,
        loop: Loop,
        performers: Performers,
        lookouts: Sequence[Lookout],
        listener: Listener,
        inbox: Inbox,
        publisher: Publisher | None = None,
    ) -> None:
        self._publisher = publisher
        self._start = start
        self._loop = loop
        self._performers = performers
        self._lookouts = lookouts
        self._listener = listener
        self._inbox = inbox

    @property
    def state(self) -> State:
        """The last published state."""
        return self._loop.state

    def stop(self, reason: StopReason) -> None:
        """Ask the engine to leave; agents go on."""
        self._inbox.put(StopRequested(reason=reason))

    async def run(self) -> int:
        """Run the plan until nothing is left to do or somebody asks to leave; answers the exit code."""
        start, asked = self._start, await self._listener.look()
        self._inbox.put(
            EngineStarted(
                engine=start.engine_id,
                is_first=start.is_first,
                notes=start.notes,
                requests=requests_of(asked),
                is_stopped=any(isinstance(event, StopFound) for event in asked),
            )
        )
        self._inbox.put(PlanRead(plan=start.plan))
        for event in asked:
            self._inbox.put(event)
        async with anyio.create_task_group() as beside:
            for lookout in self._lookouts:
                beside.start_soon(lookout)
            exit_code = await self._loop.run(self._performers)
            beside.cancel_scope.cancel()
        if self._publisher is not None:
            learnt = await self._publisher.finish()
            if learnt is not None:
                await self._loop.conclude(learnt)
        return exit_code


def assemble(
    start: Start,
    *,
    outside: Outside,
    request_options: RequestOptions,
    templates: Templates,
    redactor: Redactor,
    pace: Pace,
) -> Engine:
    """The engine on these ports."""
    inbox, view, clock = Inbox(redactor), ActivityView(redactor), outside.clock
    service = GatedService(outside.service, clock=clock, inbox=inbox, seed=start.engine_id)
    publisher = _publisher(outside, inbox)
    ringer = _ringer(outside, start.plan, inbox)
    surface: Surface = outside.surface
    for hears in (publisher, ringer):
        surface = surface if hears is None else HeardSurface(surface, hears)
    loop = Loop(
        start.state,
        engine=start.engine_id,
        seq=start.seq,
        ledger=outside.ledger,
        clock=clock,
        surface=surface,
        inbox=inbox,
        on_leaving=service.leave,
    )
    workspace_id = start.state.workspace.workspace_id
    requests = RequestWriter(
        start.plan,
        workspace_id=workspace_id,
        templates=templates,
        archive=outside.archive,
        options=request_options,
        redactor=redactor,
    )
    launcher = Launcher(
        service,
        clock=clock,
        archive=outside.archive,
        requests=requests,
        workspace_id=workspace_id,
        root_slug=start.plan.root_slug,
        look_up_seconds=pace.look_up_seconds,
        send=_sender(service),
    )
    poller = Poller(service, clock=clock, seconds_a_run=pace.seconds_a_run, most_per_second=service.get_rate)
    replies = ReplyTaker(start.plan, archive=outside.archive, redactor=redactor, templates=templates)
    silence = Silence(clock=clock, inbox=inbox, view=view)
    watcher = Watcher(
        service, clock=clock, view=view, surface=outside.surface, silence=silence, poller=poller, replies=replies
    )
    performers = Performers(
        inbox=inbox,
        service=service,
        launcher=launcher,
        watcher=watcher,
        timers=Timers(clock),
        messenger=Messenger(service, clock=clock, requests=outside.requests, look_up_seconds=pace.look_up_seconds),
        clerk=Clerk(outside.requests),
        path_checker=PathChecker(outside.differences),
        ref_looker=RefLooker(outside.heads, clock=clock),
        measurer=Measurer(outside.bench, archive=outside.archive, clock=clock, redactor=redactor),
        grants=GrantReader(
            service, clock=clock, look_up_seconds=pace.look_up_seconds, is_below=request_options.depth > 0
        ),
    )
    listener = Listener(outside.requests, clock=clock, inbox=inbox)
    lookouts: list[Lookout] = [poller.run, silence.run, listener.run]
    if outside.plan_file is not None:
        lookouts.append(PlanWatcher(outside.plan_file, clock=clock, inbox=inbox).run)
    lookouts += [each.run for each in (publisher, ringer) if each is not None]
    if outside.tombstone is not None:
        lookouts.append(TombstoneWatcher(outside.tombstone, clock=clock, put=inbox.put).run)
    return Engine(
        start,
        loop=loop,
        performers=performers,
        lookouts=tuple(lookouts),
        listener=listener,
        inbox=inbox,
        publisher=publisher,
    )


def _publisher(outside: Outside, inbox: Inbox) -> Publisher | None:
    if outside.showing is None:
        return None
    return Publisher(outside.showing.exhibits, outside.showing.medium, clock=outside.clock, put=inbox.put)


def _ringer(outside: Outside, plan: Plan, inbox: Inbox) -> CordWatcher | None:
    if outside.cord is None:
        return None
    strict = outside.is_andon_strict
    return CordWatcher(outside.cord, clock=outside.clock, put=inbox.put, is_root=plan.is_root, is_strict=strict)


def _sender(service: GatedService) -> Send:
    """Launches wait at the gate by the rank of their tasks."""

    async def send(effect: LaunchAgent, body: bytes) -> Created:
        assert effect.row.launch is not None
        return await service.create_agent(body, key=effect.row.launch.idempotency_key, urgency=effect.rank)

    return send
