"""Records beside the truth: the service's word about agents and runs goes into what is kept here."""

from collections.abc import Callable, Mapping

from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.input_checks import repository_key
from orchestrate.errors import Refused
from orchestrate.model.names import AgentId, IdempotencyKey, RunId, Timestamp
from orchestrate.model.timestamps import to_timestamp
from orchestrate.model.wire import METADATA_ATTEMPT, METADATA_KEY, METADATA_WORKSPACE, Agent, Run
from orchestrate.store.delegation_records import Delegation, Kind, Phase
from orchestrate.store.delegations import DelegationFiles

_NOT_FOUND = 404
_MOST_DIGITS = 6


def now_of(calls: GatedCalls) -> Timestamp:
    """This moment."""
    return to_timestamp(calls.clock.now())


def changed(files: DelegationFiles, key: str, change: Callable[[Delegation], Delegation]) -> Delegation | None:
    """The record of this key after a change to what stands there now; None where there is none."""
    with files.locked():
        record = files.find(key)
        if record is None:
            return None
        after = change(record)
        if after != record:
            files.put(after)
        return after


def saw_run(files: DelegationFiles, run: Run, *, at: Timestamp) -> list[Delegation]:
    """The records of this run, brought up to what the service says of it."""
    found = []
    for record in files.of_agent(AgentId(run.agent_id)):
        if record.run_id == run.id:
            after = changed(files, record.key, lambda present: with_run(present, run, at=at))
            found.append(after or record)
    return found


def with_run(record: Delegation, run: Run, *, at: Timestamp) -> Delegation:
    """The record with the run that is known to be its own."""
    phase = Phase.ENDED if run.status.is_terminal else Phase.LAUNCHED
    if (record.phase, record.run_id, record.status) == (phase, run.id, run.status.value):
        return record
    return record.moved(phase, at=at, run_id=RunId(run.id), status=run.status.value)


def rebuilt(agent: Agent, first: Run, *, at: Timestamp, runtime: str) -> Delegation | None:
    """The record of an agent that was delegated, from its metadata; None for one that was not."""
    metadata = agent.metadata or {}
    key, repo = metadata.get(METADATA_KEY), agent.repos[0].url if agent.repos else None
    if not key or repo is None or METADATA_WORKSPACE in metadata:
        return None
    record = Delegation(
        key=IdempotencyKey(key),
        kind=Kind.DELEGATE,
        scope=repository_key(repo),
        agent_id=AgentId(agent.id),
        phase=Phase.LAUNCHED,
        at=Timestamp(agent.created_at or at),
        updated_at=at,
        generation=generation_of(metadata),
        runtime=runtime,
        repo=repo,
        ref=agent.repos[0].starting_ref if agent.repos else None,
        name=agent.name,
        url=agent.url or None,
    )
    return with_run(record, first, at=at)


def generation_of(metadata: Mapping[str, str]) -> int:
    """How often the key was used before that agent."""
    attempt = metadata.get(METADATA_ATTEMPT, "1")
    return max(int(attempt) - 1, 0) if attempt.isascii() and attempt.isdigit() and len(attempt) <= _MOST_DIGITS else 0


def is_of(agent: Agent, record: Delegation) -> bool:
    """True for the agent that this record's request made, by what it carries."""
    metadata = agent.metadata or {}
    if METADATA_WORKSPACE in metadata or metadata.get(METADATA_KEY) != record.key:
        return False
    return generation_of(metadata) == record.generation


async def found_run(calls: GatedCalls, agent_id: AgentId, run_id: RunId) -> Run | None:
    """The run; None where the service knows none of that id."""
    try:
        return await calls.get_run(agent_id, run_id)
    except Refused as error:
        if error.status == _NOT_FOUND:
            return None
        raise


async def found_agent(calls: GatedCalls, agent_id: AgentId) -> Agent | None:
    """The agent; None where the service knows none of that id now."""
    try:
        return await calls.get_agent(agent_id)
    except Refused as error:
        if error.status == _NOT_FOUND:
            return None
        raise
