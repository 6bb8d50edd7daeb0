"""``orchestrate agent-status``: how an agent and its run stand; ``--reconcile`` mends what is kept here by what is true."""

import argparse

from orchestrate.cli.delegation.agents import run_id_of
from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.contract import add_output, answer
from orchestrate.cli.delegation.documents import agent_fields, record_fields, run_fields
from orchestrate.cli.delegation.input_checks import agent_id_fault, raise_faults, run_id_fault
from orchestrate.cli.delegation.reconciling import reconcile
from orchestrate.cli.delegation.recording import now_of, saw_run
from orchestrate.cli.delegation.target import add_runtime, asked, target_of
from orchestrate.cli.settings import Settings
from orchestrate.model.names import AgentId, RunId
from orchestrate.store.delegation_records import Delegation
from orchestrate.store.delegations import DelegationFiles


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--agent-id", metavar="A", required=True, help="the agent")
    parser.add_argument("--run-id", metavar="R", help="one of its runs (default: the latest)")
    parser.add_argument("--reconcile", action="store_true", help="mend the records of this agent by what is true")
    add_runtime(parser)
    add_output(parser)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Look, and with ``--reconcile`` mend."""
    raise_faults([agent_id_fault(args.agent_id), run_id_fault(args.run_id)], verb="agent-status")
    target = target_of(args, settings)
    files = DelegationFiles(settings.state_dir)
    agent_id, run_id = AgentId(args.agent_id), None if args.run_id is None else RunId(args.run_id)
    fields = asked(target, lambda calls: _status(calls, agent_id, run_id, files, mends=args.reconcile))
    lines = [f"{name:14}  {value}" for name, value in fields.items() if isinstance(value, str | int | float)]
    return answer(args, "agent-status", lines, runtime=target.kind.value, **fields, notes=files.notes or None)


async def _status(
    calls: GatedCalls, agent_id: AgentId, run_id: RunId | None, files: DelegationFiles, *, mends: bool
) -> dict[str, object]:
    repaired: list[str] = []
    if mends:
        found_id, repaired = await reconcile(calls, agent_id, files)
        if found_id is None:
            kept = files.of_agent(agent_id)
            return {"agentId": agent_id, "isLive": False, "repaired": repaired, **_records(kept)}
        agent_id = found_id
    agent = await calls.get_agent(agent_id)
    wanted = run_id or run_id_of(agent)
    run = None if wanted is None else await calls.get_run(agent_id, wanted)
    if run is not None:
        saw_run(files, run, at=now_of(calls))
    fields: dict[str, object] = {**({} if run is None else run_fields(run)), **agent_fields(agent), "isLive": True}
    return {**fields, **({"repaired": repaired} if mends else {}), **_records(files.of_agent(agent_id))}


def _records(kept: list[Delegation]) -> dict[str, object]:
    return {"records": [record_fields(record) for record in kept]} if kept else {}
