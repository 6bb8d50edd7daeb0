"""Grants at the service: reading the one of the agent that this engine runs in, and counting what one came to.

A count is certain only where the service shows all agents with the marks of their launches, and none of them works any
more: then nobody is left who could launch another one.
"""

from orchestrate.core.effects import CountSubtree, ReadGrant
from orchestrate.core.grant_events import GrantRead, GrantUnread, SubtreeCounted
from orchestrate.core.lineage import Sighting, subtree
from orchestrate.engine.launch import look_for
from orchestrate.engine.usage import cents_of
from orchestrate.errors import Refused, ServiceError
from orchestrate.model.grants import Grant, read_tag
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import METADATA_GRANT, METADATA_KEY, METADATA_PARENT, Agent
from orchestrate.ports import AgentService, Clock

_WORKS = frozenset({RunStatus.CREATING, RunStatus.RUNNING})
_HINT = "The agent id is the plan's selfAgentId, or that of ORCHESTRATE_PLANNER_ID; the key must reach that agent."


class GrantReader:
    """Carries out ReadGrant and CountSubtree."""

    def __init__(self, service: AgentService, *, clock: Clock, look_up_seconds: float, is_below: bool) -> None:
        """``is_below``: another engine launched the agent that this one runs in, so that it must have its marks."""
        self._service = service
        self._clock = clock
        self._look_up_seconds = look_up_seconds
        self._is_below = is_below

    async def read(self, effect: ReadGrant) -> GrantRead | GrantUnread:
        """What the metadata of the agent say; an agent that no engine launched has no grant and no bounds."""
        agent_id = effect.agent_id
        what = f"what agent {agent_id} was granted cannot be read"
        seconds = self._look_up_seconds if self._is_below else 0.0
        try:
            agent = await look_for(self._service.get_agent, agent_id, clock=self._clock, seconds=seconds)
        except Refused as error:
            return self._not_shown(agent_id, error.message.rstrip("."), hint=error.hint or _HINT)
        except ServiceError as error:
            return GrantUnread(message=f"{what}: {error.message.rstrip('.')}")
        if agent is None:
            return self._not_shown(agent_id, "the service knows no such agent", hint=_HINT)
        if not agent.metadata and self._is_below:
            return GrantUnread(message=f"{what}: the service shows no metadata of it", is_final=True)
        tag = (agent.metadata or {}).get(METADATA_GRANT)
        grant = Grant() if tag is None else read_tag(tag)
        if grant is None:
            return GrantUnread(message=f"{what}: its {METADATA_GRANT} makes no sense", is_final=True)
        return GrantRead(agent_id=agent_id, grant=grant)

    def _not_shown(self, agent_id: AgentId, reason: str, *, hint: str) -> GrantRead | GrantUnread:
        """What an engine launched has its bounds also where the service does not show it; a plan alone gives nobody any."""
        if self._is_below:
            message = f"what agent {agent_id} was granted cannot be read: {reason}"
            return GrantUnread(message=message, hint=hint, is_final=True)
        note = f"the plan's selfAgentId {agent_id} cannot be looked up: {reason}; no limits but the plan's own bind."
        return GrantRead(agent_id=agent_id, grant=Grant(), note=note)

    async def count(self, effect: CountSubtree) -> SubtreeCounted:
        """How many agents stand below this one, all of them over, and what they cost together."""
        try:
            return await self._counted(effect)
        except ServiceError:
            return SubtreeCounted(task=effect.task, attempt=effect.attempt)

    async def _counted(self, effect: CountSubtree) -> SubtreeCounted:
        unknown = SubtreeCounted(task=effect.task, attempt=effect.attempt)
        await self._clock.sleep(self._look_up_seconds)  # the youngest agents are not in the list yet
        agents = await self._every_agent()
        top = agents.get(effect.agent_id)
        if top is None or METADATA_KEY not in (top.metadata or {}):
            return unknown
        tree = [
            agents[each.agent_id]
            for each in subtree({name: _seen(agent) for name, agent in agents.items()}, effect.agent_id)
        ]
        for agent in tree:
            if await self._works(agent):
                return unknown
        below = [agent for agent in tree if agent.id != effect.agent_id]
        costs = [await self._cost(agent) for agent in below] if effect.wants_cost else [None]
        known = [cost for cost in costs if cost is not None]
        cents = round(sum(known), 3) if len(known) == len(costs) else None
        return SubtreeCounted(task=effect.task, attempt=effect.attempt, agents=len(below), cents=cents)

    async def _every_agent(self) -> dict[AgentId, Agent]:
        found, cursor = dict[AgentId, Agent](), None
        while True:
            page = await self._service.agent_page(cursor=cursor, include_archived=True)
            found |= {AgentId(agent.id): agent for agent in page.items}
            cursor = page.next_cursor
            if cursor is None:
                return found

    async def _works(self, agent: Agent) -> bool:
        if agent.latest_run_id is None:
            return True
        run = await self._service.get_run(AgentId(agent.id), RunId(agent.latest_run_id))
        return run.status in _WORKS

    async def _cost(self, agent: Agent) -> float | None:
        return cents_of(await self._service.usage(AgentId(agent.id)))


def _seen(agent: Agent) -> Sighting:
    parent = (agent.metadata or {}).get(METADATA_PARENT)
    return Sighting(AgentId(agent.id), parent=None if parent is None else AgentId(parent))
