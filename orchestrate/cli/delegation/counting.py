"""How many agents are active on a repository: those of the service, of all pages, and what is reserved here.

``ACTIVE`` in the list does not say that a run goes on; only the run does, and each question is a call of which the cloud
takes 20 a minute. So nothing is asked for where all that may be active is fewer than what is allowed, and asking ends
once the answer is known, the agents that changed last first.
"""

from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from orchestrate.cli.delegation.agents import run_id_of
from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.input_checks import repository_key
from orchestrate.cli.delegation.recording import found_agent, found_run, now_of, saw_run
from orchestrate.cli.delegation.refusals import DelegationRefused
from orchestrate.model.names import AgentId
from orchestrate.model.timestamps import seconds_between
from orchestrate.model.vocabulary import AgentStatus
from orchestrate.model.wire import Agent
from orchestrate.store.delegation_records import Delegation, Phase
from orchestrate.store.delegations import DelegationFiles

#: A new agent can be missing from the list for a while; a younger record is believed without being asked about.
_YOUNG_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Active:
    """What was active when the service was asked."""

    repo: str
    most: int
    #: Agents of the service whose run goes on, or may go on.
    agents: frozenset[str]
    #: Records that were seen to be over, or of which the service knows nothing.
    over: frozenset[str]
    #: False where some are counted that were not asked for.
    is_exact: bool

    def admit(self, records: Sequence[Delegation]) -> None:
        """Refuse one more where there are as many as may be."""
        reserved = {each.agent_id for each in records if each.agent_id not in self.over}
        active = sorted(self.agents | reserved)
        if len(active) >= self.most:
            raise DelegationRefused(
                Code.CONCURRENCY_LIMIT,
                f"{_agents(len(active))} active on {self.repo}, and --max-active is {self.most}. Nothing was sent.",
                fields={"activeAgents": active, "maxActive": self.most},
            )


async def count_active(
    calls: GatedCalls, repo: str, files: DelegationFiles, *, most: int, asks_all: bool = False
) -> Active:
    """Read the list, all pages, and ask for the runs that decide; for every one with ``asks_all``."""
    key = repository_key(repo)
    listed = await _listed(calls, key)
    in_flight = [record for record in files.of_repository(key) if record.phase.is_in_flight]
    waiting: dict[str, Agent | None] = {
        each.agent_id: None for each in in_flight if each.agent_id not in listed and not _is_young(calls, each)
    }
    waiting |= {agent.id: agent for agent in _newest_last(listed.values()) if _may_be_active(agent, files)}
    active, over = set[str](), set(listed) - set(waiting)
    reserved = {record.agent_id for record in in_flight}
    while waiting and len(active) < most:
        if not asks_all and len((active | set(waiting) | reserved) - over) < most:
            break
        agent_id, agent = waiting.popitem()
        (active if await _is_active(calls, AgentId(agent_id), agent, files) else over).add(agent_id)
    is_decided = not waiting or len(active) >= most
    return Active(repo, most, frozenset(active if is_decided else active | set(waiting)), frozenset(over), is_decided)


async def _listed(calls: GatedCalls, key: str) -> dict[str, Agent]:
    found = {}
    async with aclosing(calls.agents()) as live:
        async for agent in live:
            if agent.status is not AgentStatus.ARCHIVED and any(
                repository_key(r.url) == key for r in agent.repos or ()
            ):
                found[agent.id] = agent
    return found


def _newest_last(agents: Iterable[Agent]) -> list[Agent]:
    return sorted(agents, key=lambda agent: agent.updated_at or "")


def _is_young(calls: GatedCalls, record: Delegation) -> bool:
    return (seconds_between(record.updated_at, now_of(calls)) or 0.0) < _YOUNG_SECONDS


def _may_be_active(agent: Agent, files: DelegationFiles) -> bool:
    """False where list and records tell that no run goes on; a run that was seen to end is not asked for again."""
    if agent.status is AgentStatus.IDLE:
        return False
    latest = run_id_of(agent)
    return not any(each.run_id == latest and each.phase is Phase.ENDED for each in files.of_agent(AgentId(agent.id)))


async def _is_active(calls: GatedCalls, agent_id: AgentId, agent: Agent | None, files: DelegationFiles) -> bool:
    """By its latest run: ``ACTIVE`` alone says little."""
    agent = agent or await found_agent(calls, agent_id)
    if agent is None or not _may_be_active(agent, files):
        return False
    latest = run_id_of(agent)
    run = None if latest is None else await found_run(calls, agent_id, latest)
    if run is None:
        return agent.status is AgentStatus.ACTIVE
    saw_run(files, run, at=now_of(calls))
    return not run.status.is_terminal


def _agents(number: int) -> str:
    return "1 agent is" if number == 1 else f"{number} agents are"
