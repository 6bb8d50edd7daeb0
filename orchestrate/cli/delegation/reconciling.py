"""Mending records by what the service has: found by the agent's id, by the key, or rebuilt from the agent's metadata."""

from contextlib import aclosing

from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.recording import changed, found_run, is_of, now_of, rebuilt, with_run
from orchestrate.errors import Refused
from orchestrate.model.names import AgentId
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.wire import Agent, Run
from orchestrate.store.delegation_records import Delegation, Kind, Phase
from orchestrate.store.delegations import DelegationFiles

_NOT_FOUND = 404


async def reconcile(calls: GatedCalls, agent_id: AgentId, files: DelegationFiles) -> tuple[AgentId | None, list[str]]:
    """The agent's true id, None where there is no agent, and what was mended."""
    kept = files.of_agent(agent_id)
    agent = await calls.look_for(agent_id)
    if agent is None:
        agent = await _of_these_keys(calls, [record for record in kept if record.kind is Kind.DELEGATE])
    if agent is None:
        if not kept:
            raise Refused(
                f"the service does not know agent {agent_id}, and there is no record of it", status=_NOT_FOUND
            )
        return None, [_released(calls, files, record) for record in kept if record.phase.is_in_flight]
    runs = await calls.list_runs(AgentId(agent.id))
    mended = [told for record in kept if (told := await _mended(calls, files, record, agent, runs))]
    if not any(record.kind is Kind.DELEGATE for record in kept):
        mended += _rebuilt(calls, files, agent, runs)
    return AgentId(agent.id), mended


async def _of_these_keys(calls: GatedCalls, kept: list[Delegation]) -> Agent | None:
    """An agent that the service gave another id than ours."""
    if not kept:
        return None
    async with aclosing(calls.agents(include_archived=True)) as live:
        async for agent in live:
            if any(is_of(agent, record) for record in kept):
                return agent
    return None


def _released(calls: GatedCalls, files: DelegationFiles, record: Delegation) -> str:
    changed(files, record.key, lambda present: present.moved(Phase.RELEASED, at=now_of(calls), status=None))
    return f"key {record.key}: the service has no such agent; the key may be used again"


async def _mended(
    calls: GatedCalls, files: DelegationFiles, record: Delegation, agent: Agent, runs: tuple[Run, ...]
) -> str | None:
    run = await _own_run(calls, record, agent, runs)
    at = now_of(calls)
    if run is None:
        if record.kind is Kind.FOLLOW_UP and record.phase.is_in_flight:
            changed(files, record.key, lambda present: present.moved(Phase.RELEASED, at=at))
            return f"key {record.key}: the agent has no such run; the key may be used again"
        return None
    after = changed(
        files, record.key, lambda present: with_run(present.moved(present.phase, at=at, agent_id=agent.id), run, at=at)
    )
    if after is None or (after.phase, after.run_id) == (record.phase, record.run_id):
        return None
    return f"key {record.key}: {record.phase} became {after.phase} with run {run.id} ({run.status})"


async def _own_run(calls: GatedCalls, record: Delegation, agent: Agent, runs: tuple[Run, ...]) -> Run | None:
    """The run that a record stands for: by its id; the first one of a launch; the one after the base of a follow-up."""
    if record.run_id is not None:
        return await found_run(calls, AgentId(agent.id), record.run_id)
    ordered = sorted(runs, key=lambda run: epoch_seconds(run.created_at) or 0.0)
    if record.kind is Kind.DELEGATE:
        return ordered[0] if ordered else None
    ids = [run.id for run in ordered]
    after = ordered[ids.index(record.base_run_id) + 1 :] if record.base_run_id in ids else []
    return after[0] if after else None


def _rebuilt(calls: GatedCalls, files: DelegationFiles, agent: Agent, runs: tuple[Run, ...]) -> list[str]:
    first = min(runs, key=lambda run: epoch_seconds(run.created_at) or 0.0, default=None)
    record = None if first is None else rebuilt(agent, first, at=now_of(calls), runtime=calls.kind.value)
    if record is None:
        return []
    with files.locked():
        present = files.find(record.key)
        if present is not None and present.phase.is_in_flight:
            return []
        files.put(record)
    return [f"key {record.key}: rebuilt from the agent's metadata"]
