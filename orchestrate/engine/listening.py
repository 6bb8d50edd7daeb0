"""Listening to other processes: their requests become events, each once in an engine's life."""

from collections.abc import Iterable, Sequence

from orchestrate.core.andon_events import AndonClearRequested, AndonRaiseRequested
from orchestrate.core.events import Event
from orchestrate.core.follow_up_events import DropRequested, SteerRequested
from orchestrate.core.request_events import (
    AcceptRequested,
    CancelRequested,
    FileSetAside,
    RequestUnmet,
    RespawnRequested,
    SpawnRequested,
    StopFound,
)
from orchestrate.engine.inbox import Inbox
from orchestrate.errors import OrchestrateError
from orchestrate.model.inbox_requests import (
    AcceptRequest,
    AndonClearRequest,
    AndonRaiseRequest,
    CancelRequest,
    DropRequest,
    InboxRequest,
    RespawnRequest,
    SpawnRequest,
    SteerRequest,
    UnknownRequest,
)
from orchestrate.model.names import RequestId
from orchestrate.model.stops import Stop
from orchestrate.ports import Clock, Incoming, Misfit, Requests

#: How soon a request is noticed.
LOOK_SECONDS = 0.2

#: Files of one life that an operator hears of one by one.
_TOLD = 20


class Listener:
    """Looks into the workspace's inbox."""

    def __init__(self, requests: Requests, *, clock: Clock, inbox: Inbox) -> None:
        self._requests = requests
        self._clock = clock
        self._inbox = inbox
        #: A request is in its file until it is answered; it is reported once.
        self._reported: set[RequestId] = set()
        self._misfits = 0
        self._stop_id: str | None = None
        self._is_blind = False

    async def run(self) -> None:
        """Report what comes in, until cancelled."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            for event in await self.look():
                self._inbox.put(event)

    async def look(self) -> Sequence[Event]:
        """What is new in the inbox; one that cannot be read is told once."""
        try:
            incoming, stop = await self._requests.take_requests(), await self._requests.read_stop()
        except OrchestrateError as error:
            if self._is_blind:
                return ()
            self._is_blind = True
            return (FileSetAside(message=f"no request of another process can be read: {error.message}"),)
        self._is_blind = False
        return [*self._stopped(stop), *(event for item in incoming for event in self._events(item))]

    def _stopped(self, stop: Stop | None) -> Iterable[Event]:
        """A tombstone that was not there before; it comes before all requests."""
        if stop is None or stop.id == self._stop_id:
            return ()
        self._stop_id = stop.id
        return (StopFound(stop=stop.id, by=stop.by, scope=stop.scope),)

    def _events(self, item: Incoming) -> Iterable[Event]:
        if isinstance(item, Misfit):
            return self._misfit(item)
        if item.id in self._reported:
            return ()
        self._reported.add(item.id)
        return (event_of(item),)

    def _misfit(self, item: Misfit) -> Iterable[Event]:
        self._misfits += 1
        if self._misfits > _TOLD:
            return ()
        further = " Further ones are moved there unsaid." if self._misfits == _TOLD else ""
        message = f"inbox/{item.name} is no request ({item.reason}); it was moved to inbox/rejected.{further}"
        return (FileSetAside(message=message, request=item.request_id),)


def event_of(request: InboxRequest) -> Event:
    """What a request is to the core."""
    match request:
        case AcceptRequest():
            return AcceptRequested(
                request=request.id, task=request.task, branch=request.branch, by=request.by, note=request.note
            )
        case CancelRequest():
            return CancelRequested(request=request.id, task=request.task, by=request.by)
        case RespawnRequest():
            return RespawnRequested(
                request=request.id,
                tasks=request.tasks,
                by=request.by,
                again=request.again,
                source=request.source,
                cascade=request.cascade,
                starting_refs=request.starting_refs,
            )
        case SteerRequest():
            return SteerRequested(request=request.id, task=request.task, digest=request.digest, by=request.by)
        case DropRequest():
            return DropRequested(request=request.id, task=request.task, message=request.message, by=request.by)
        case AndonRaiseRequest():
            return AndonRaiseRequested(request=request.id, by=request.by, reason=request.reason)
        case AndonClearRequest():
            return AndonClearRequested(request=request.id, by=request.by, note=request.note)
        case SpawnRequest():
            return SpawnRequested(request=request.id, by=request.by, definition=request.definition)
        case _:
            kind = request.named if isinstance(request, UnknownRequest) else request.kind
            return RequestUnmet(
                request=request.id,
                code="unknown_request",
                message=f"this engine does not know the request {kind!r}.",
                hint="install a newer orchestrate-agents where the engine runs",
            )


def requests_of(events: Iterable[Event]) -> tuple[RequestId, ...]:
    """The ids of the requests that are reported."""
    ids = (getattr(event, "request", None) for event in events)
    return tuple(each for each in ids if each is not None)
