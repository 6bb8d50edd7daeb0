"""Launching: the request is on disk before it is sent, and every resend sends the same bytes.

An answer is sorted by whose move is next: launched, refused, later, or unknown. Unknown is never sent again from here;
the machine asks for a look-up first.
"""

from collections.abc import Awaitable, Callable
from http import HTTPStatus

import anyio
import orjson

from orchestrate.core.effects import LaunchAgent, LookUpAgent
from orchestrate.core.events import (
    AccessLost,
    AgentLaunched,
    AgentNotFound,
    Event,
    LaunchDelayed,
    LaunchOutcomeUnknown,
    LaunchRefused,
)
from orchestrate.core.launching import CONFLICT_CODES
from orchestrate.engine.gate import QUOTA_CODE
from orchestrate.engine.requests import RequestWriter
from orchestrate.errors import (
    CapacityReached,
    InputRefused,
    OutcomeUnknown,
    ProtocolBroken,
    RateLimited,
    Refused,
    ServiceError,
    Unavailable,
    WorkspaceDamaged,
)
from orchestrate.model.names import AgentId, RunId, WorkspaceId, agent_name
from orchestrate.model.rows import Launch, TaskRow
from orchestrate.model.vocabulary import LaunchDelay
from orchestrate.model.wire import METADATA_KEY, METADATA_WORKSPACE, Agent, Created, Run
from orchestrate.ports import AgentService, Archive, Clock

#: How long a new agent may be unknown to the service before "not there" is believed.
LOOK_UP_SECONDS = 10.0
#: Pause before the second look; each further one is twice as long.
_LOOK_AGAIN_SECONDS = 1.0
_ACCESS_STATUSES = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)

#: Sends a launch's request when it is its turn.
Send = Callable[[LaunchAgent, bytes], Awaitable[Created]]


class Launcher:
    """Carries out LaunchAgent and LookUpAgent."""

    def __init__(
        self,
        service: AgentService,
        *,
        clock: Clock,
        archive: Archive,
        requests: RequestWriter,
        workspace_id: WorkspaceId,
        root_slug: str,
        look_up_seconds: float = LOOK_UP_SECONDS,
        send: Send | None = None,
    ) -> None:
        self._service = service
        self._send = send or self._send_at_once
        self._clock = clock
        self._archive = archive
        self._requests = requests
        self._workspace_id = workspace_id
        self._root_slug = root_slug
        self._look_up_seconds = look_up_seconds

    async def launch(self, effect: LaunchAgent, *, durable: anyio.Event) -> Event:
        """Prepare the request of this row's intent, and send it once the intent is ``durable``."""
        row, intent = effect.row, _intent(effect.row)
        try:
            body = await self._body(effect)
        except InputRefused as error:
            return LaunchRefused(
                task=row.name, agent_id=intent.agent_id, code="prompt", message=error.message, hint=error.hint
            )
        await durable.wait()
        try:
            created = await self._send(effect, body)
        except (Refused, Unavailable, OutcomeUnknown, ProtocolBroken) as error:
            return _sorted(row, error)
        return _launched(row, created.agent, created.run, adopted=False)

    async def look_up(self, effect: LookUpAgent) -> Event:
        """Ask for the agent of this row's intent; no request on disk means that nothing was ever sent."""
        row, intent = effect.row, _intent(effect.row)
        not_found = AgentNotFound(task=row.name, agent_id=intent.agent_id, delays=intent.delays, code=effect.code)
        if await self._archive.read_request(row.name, intent.attempt) is None:
            return not_found
        try:
            agent = await self._found(intent.agent_id)
            if agent is not None and not self._is_ours(agent, row):
                return _foreign(row)
            agent = agent or await self._tagged(intent)
            if agent is None:
                return not_found
            run = await self._service.first_run(AgentId(agent.id))
        except ServiceError as error:
            return _still_unknown(row, error)
        if run is None:
            return LaunchOutcomeUnknown(
                task=row.name,
                agent_id=intent.agent_id,
                delays=intent.delays,
                message="the agent is there and has no run yet",
            )
        return _launched(row, agent, run, adopted=True)

    async def _send_at_once(self, effect: LaunchAgent, body: bytes) -> Created:
        return await self._service.create_agent(body, key=_intent(effect.row).idempotency_key)

    async def _body(self, effect: LaunchAgent) -> bytes:
        """The bytes of the intent's request: those on disk for a resend, else rendered and written first."""
        row, intent = effect.row, _intent(effect.row)
        if effect.may_have_been_sent:
            body = await self._own_request(row)
            if body is not None:
                return body
        body = await self._requests.under(effect.plan).render(row, effect.upstream)
        try:
            await self._archive.write_request(row.name, intent.attempt, body)
        except WorkspaceDamaged:
            sent = await self._own_request(row)
            if sent is None:
                raise
            return sent
        return body

    async def _own_request(self, row: TaskRow) -> bytes | None:
        """The request file of just this intent; one of another workspace, or a damaged one, was never sent by us."""
        intent = _intent(row)
        body = await self._archive.read_request(row.name, intent.attempt)
        if body is None:
            return None
        try:
            document = orjson.loads(body)
        except orjson.JSONDecodeError:
            return None
        return body if isinstance(document, dict) and document.get("agentId") == intent.agent_id else None

    async def _found(self, agent_id: AgentId) -> Agent | None:
        return await look_for(self._service.get_agent, agent_id, clock=self._clock, seconds=self._look_up_seconds)

    async def _tagged(self, intent: Launch) -> Agent | None:
        """The agent that carries this intent's key: a service that chose another id for it may forget keys as well."""
        try:
            agents = (await self._service.agent_page(include_archived=True)).items
        except Refused:
            return None
        return next(
            (agent for agent in agents if (agent.metadata or {}).get(METADATA_KEY) == intent.idempotency_key), None
        )

    def _is_ours(self, agent: Agent, row: TaskRow) -> bool:
        """By its metadata; where the service dropped them all, by its name."""
        if agent.metadata:
            return agent.metadata.get(METADATA_WORKSPACE) == self._workspace_id
        return agent.name == agent_name(self._root_slug, row.name)


async def look_for(
    get_agent: Callable[[AgentId], Awaitable[Agent]], agent_id: AgentId, *, clock: Clock, seconds: float
) -> Agent | None:
    """The agent; None once "not there" has been answered for long enough to be believed."""
    asked_at, pause = clock.monotonic(), _LOOK_AGAIN_SECONDS
    while True:
        try:
            return await get_agent(agent_id)
        except Refused as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
            left = seconds - (clock.monotonic() - asked_at)
            if left <= 0:
                return None
        await clock.sleep(min(pause, left))
        pause *= 2


def _intent(row: TaskRow) -> Launch:
    assert row.launch is not None, row
    return row.launch


def _launched(row: TaskRow, agent: Agent, run: Run, *, adopted: bool) -> AgentLaunched:
    return AgentLaunched(
        task=row.name,
        agent_id=_intent(row).agent_id,
        answered_id=AgentId(agent.id),
        run_id=RunId(run.id),
        url=agent.url or None,
        adopted=adopted,
    )


def _sorted(row: TaskRow, error: Refused | Unavailable | OutcomeUnknown | ProtocolBroken) -> Event:
    """The answer by whose move is next."""
    task, agent_id, delays = row.name, _intent(row).agent_id, _intent(row).delays
    match error:
        case Refused() if error.code in CONFLICT_CODES:
            return LaunchOutcomeUnknown(
                task=task, agent_id=agent_id, delays=delays, message=error.message, code=error.code
            )
        case Refused() if error.status == HTTPStatus.UNAUTHORIZED:
            return AccessLost(task=task, agent_id=agent_id, message=error.message, hint=error.hint)
        case Refused():
            return LaunchRefused(task=task, agent_id=agent_id, code=error.code, message=error.message, hint=error.hint)
        case Unavailable():
            return LaunchDelayed(
                task=task,
                agent_id=agent_id,
                delays=delays,
                delay=_delay(error),
                message=error.message,
                retry_after_seconds=error.retry_after_seconds,
            )
        case _:
            return LaunchOutcomeUnknown(task=task, agent_id=agent_id, delays=delays, message=error.message)


def _still_unknown(row: TaskRow, error: ServiceError) -> Event:
    """A look-up that was not answered, or refused, says nothing of the agent."""
    task, agent_id, delays = row.name, _intent(row).agent_id, _intent(row).delays
    if isinstance(error, Refused) and error.status in _ACCESS_STATUSES:
        return AccessLost(task=task, agent_id=agent_id, message=error.message, hint=error.hint)
    return LaunchOutcomeUnknown(task=task, agent_id=agent_id, delays=delays, message=error.message)


def _delay(error: Unavailable) -> LaunchDelay:
    if isinstance(error, CapacityReached):
        return LaunchDelay.CAPACITY
    if error.code == QUOTA_CODE:
        return LaunchDelay.QUOTA
    return LaunchDelay.RATE_LIMIT if isinstance(error, RateLimited) else LaunchDelay.UNREACHABLE


def _foreign(row: TaskRow) -> LaunchRefused:
    agent_id = _intent(row).agent_id
    return LaunchRefused(
        task=row.name,
        agent_id=agent_id,
        code="agent_id_conflict",
        message=f"agent {agent_id} is there already and is not of this workspace.",
    )
