"""How many agents are active on a repository: those of the service, of all pages, and what is reserved here."""

from collections.abc import Sequence
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
    #: Agents of the service whose run goes on.
    agents: frozenset[str]
    #: Records that were seen to be over, or of which the service knows nothing.
    over: frozenset[str]

    def admit(self, records: Sequence[Delegation]) -> None:
        """Refuse one more where there are as many as may be."""
        reserved = {each.agent_id for each in records if each.agent_id not in self.over}
        active = sorted(self.agents | reserved)
        if len(active) >= self.most:
            raise DelegationRefused(
                Code.CONCURRENCY_LIMIT,
                f"{len(active)} agents are active on {self.repo}, and --max-active is {self.most}. Nothing was sent.",
                fields={"activeAgents": active, "maxActive": self.most},
            )


async def count_active(calls: GatedCalls, repo: str, files: DelegationFiles, *, most: int) -> Active:
    """Ask the service, all pages; an agent is active only if its latest run is."""
    key, agents, over = repository_key(repo), set[str](), set[str]()
    async with aclosing(calls.agents()) as live:
        async for agent in live:
            if len(agents) >= most:
                break
            if _is_of(agent, key) and agent.status is not AgentStatus.ARCHIVED:
                (agents if await _is_active(calls, agent, files) else over).add(agent.id)
    for record in files.of_repository(key):
        if record.phase.is_in_flight and record.agent_id not in agents | over and len(agents) < most:
            if (seconds_between(record.updated_at, now_of(calls)) or 0.0) < _YOUNG_SECONDS:
                continue
            known = await found_agent(calls, record.agent_id)
            is_active = known is not None and await _is_active(calls, known, files)
            (agents if is_active else over).add(record.agent_id)
    return Active(repo, most, frozenset(agents), frozenset(over))


def _is_of(agent: Agent, key: str) -> bool:
    return any(repository_key(repo.url) == key for repo in agent.repos or ())


async def _is_active(calls: GatedCalls, agent: Agent, files: DelegationFiles) -> bool:
    """By its latest run: ``ACTIVE`` alone says little. A run that was seen to end is not asked for again."""
    latest = run_id_of(agent)
    if agent.status is AgentStatus.IDLE:
        return False
    if any(each.run_id == latest and each.phase is Phase.ENDED for each in files.of_agent(AgentId(agent.id))):
        return False
    run = None if latest is None else await found_run(calls, AgentId(agent.id), latest)
    if run is None:
        return agent.status is AgentStatus.ACTIVE
    saw_run(files, run, at=now_of(calls))
    return not run.status.is_terminal
