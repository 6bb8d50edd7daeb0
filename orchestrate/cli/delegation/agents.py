"""``orchestrate agents``: the service's list beside what is kept here. What the service says always wins."""

import argparse

from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.contract import add_output, answer, present
from orchestrate.cli.delegation.documents import agent_fields, record_fields
from orchestrate.cli.delegation.recording import found_agent, found_run, now_of, saw_run
from orchestrate.cli.delegation.target import Target, add_runtime, asked, target_of
from orchestrate.cli.settings import Settings
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.vocabulary import AgentStatus
from orchestrate.model.wire import Agent
from orchestrate.store.delegation_records import Delegation, Phase
from orchestrate.store.delegations import DelegationFiles

#: Agents that are asked for one by one, because the list lacks them or a record is open.
_MOST_LOOK_UPS = 50


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--all", action="store_true", help="archived agents too, and records that are over")
    parser.add_argument(
        "--cursor", metavar="C", help="one page only, from where the nextCursor of another answer leads"
    )
    add_runtime(parser)
    add_output(parser)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """List them, all pages."""
    target = target_of(args, settings)
    files = DelegationFiles(settings.state_dir)
    agents, cursor = asked(target, lambda calls: _listed(calls, args, files, target))
    fields = present({"agents": agents, "count": len(agents), "nextCursor": cursor, "notes": files.notes or None})
    return answer(args, "agents", _lines(agents), runtime=target.kind.value, **fields)


async def _listed(
    calls: GatedCalls, args: argparse.Namespace, files: DelegationFiles, target: Target
) -> tuple[list[dict[str, object]], str | None]:
    records: dict[str, list[Delegation]] = {}
    for record in files.all():
        if record.runtime == target.kind.value:
            records.setdefault(record.agent_id, []).append(record)
    if args.cursor is not None:
        page = await calls.agent_page(cursor=args.cursor, include_archived=args.all)
        return [await _entry(calls, agent, records.get(agent.id, []), files) for agent in page.items], page.next_cursor
    live = [agent async for agent in calls.agents(include_archived=args.all)]
    entries = [await _entry(calls, agent, records.pop(agent.id, []), files) for agent in live]
    for agent_id, kept in list(records.items())[:_MOST_LOOK_UPS]:
        if args.all or any(record.phase.is_in_flight for record in kept):
            entries.append(await _absent_entry(calls, AgentId(agent_id), kept, files, with_archived=args.all))
    return [entry for entry in entries if entry], None


async def _entry(calls: GatedCalls, agent: Agent, kept: list[Delegation], files: DelegationFiles) -> dict[str, object]:
    """The agent as the service has it, its record, and what differs; open records learn how their run stands."""
    entry: dict[str, object] = {**agent_fields(agent), "isLive": True, "isRecorded": bool(kept)}
    drift = []
    for record in kept:
        if record.phase in (Phase.RESERVED, Phase.UNKNOWN):
            drift.append(f"the record of key {record.key} says {record.phase}; the agent is there")
        if record.phase is Phase.LAUNCHED and record.run_id is not None:
            run = await found_run(calls, AgentId(agent.id), record.run_id)
            if run is None:
                drift.append(f"the service does not know run {record.run_id}")
            elif run.status.is_terminal:
                drift.append(f"the record said {record.status or 'running'}, the service says {run.status}")
                saw_run(files, run, at=now_of(calls))
    if kept:
        entry["records"] = [record_fields(files.find(record.key) or record) for record in kept]
    return {**entry, "drift": drift} if drift else entry


async def _absent_entry(
    calls: GatedCalls, agent_id: AgentId, kept: list[Delegation], files: DelegationFiles, *, with_archived: bool
) -> dict[str, object]:
    """A record whose agent the list lacks: it is asked for by its id, for a list proves nothing."""
    agent = await found_agent(calls, agent_id)
    if agent is None:
        told = [record_fields(record) for record in kept]
        return {
            "agentId": agent_id,
            "isLive": False,
            "isRecorded": True,
            "records": told,
            "drift": ["the service does not know this agent"],
        }
    if agent.status is AgentStatus.ARCHIVED and not with_archived:
        await _entry(calls, agent, kept, files)
        return {}
    return await _entry(calls, agent, kept, files)


def _lines(agents: list[dict[str, object]]) -> list[str]:
    lines = []
    for entry in agents:
        lines.append(f"{entry['agentId']}  {entry.get('agentStatus', 'not there'):9}  {entry.get('name', '')}")
        drift = entry.get("drift", [])
        assert isinstance(drift, list)
        lines += [f"  differs: {told}" for told in drift]
    return lines or ["no agents"]


def run_id_of(agent: Agent) -> RunId | None:
    """The agent's latest run."""
    return None if agent.latest_run_id is None else RunId(agent.latest_run_id)
