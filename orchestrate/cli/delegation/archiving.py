"""What ``archive`` and ``unarchive`` have in common: asked twice is done once, and an agent at work is left alone."""

import argparse

from orchestrate.cli.delegation.agents import run_id_of
from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.contract import add_output, answer
from orchestrate.cli.delegation.documents import agent_fields
from orchestrate.cli.delegation.input_checks import agent_id_fault, raise_faults
from orchestrate.cli.delegation.recording import found_run
from orchestrate.cli.delegation.refusals import DelegationRefused
from orchestrate.cli.delegation.repeating import confirm_or_tell, typed_again
from orchestrate.cli.delegation.target import add_runtime, asked, target_of
from orchestrate.cli.settings import Settings
from orchestrate.errors import OutcomeUnknown
from orchestrate.model.names import AgentId
from orchestrate.model.vocabulary import AgentStatus
from orchestrate.model.wire import Agent


def configure_archiving(parser: argparse.ArgumentParser) -> None:
    """Arguments of both verbs."""
    parser.add_argument("--agent-id", metavar="A", required=True, help="the agent")
    parser.add_argument("--force", action="store_true", help="also an agent whose run goes on; the run is not ended")
    add_runtime(parser)
    add_output(parser)


def run_archiving(args: argparse.Namespace, settings: Settings, *, verb: str, archived: bool) -> int:
    """Archive the agent, or take it back."""
    raise_faults([agent_id_fault(args.agent_id)], verb=verb)
    target = target_of(args, settings)
    again = typed_again(verb, args, options=("agent-id", "runtime"), flags=("force",))
    confirm_or_tell(args, settings, f"{verb.capitalize()} agent {args.agent_id}?", again=again)
    agent_id = AgentId(args.agent_id)
    was_so, agent = asked(target, lambda calls: _archived(calls, agent_id, archived=archived, force=args.force))
    lines = [f"{agent_id} {'was' if was_so else 'is'} {'' if archived else 'not '}archived{' already' * was_so}"]
    return answer(args, verb, lines, **agent_fields(agent), alreadyDone=was_so)


async def _archived(calls: GatedCalls, agent_id: AgentId, *, archived: bool, force: bool) -> tuple[bool, Agent]:
    """Whether it was so before, and the agent as it is then."""
    agent = await calls.get_agent(agent_id)
    if (agent.status is AgentStatus.ARCHIVED) is archived:
        return True, agent
    if archived and not force:
        await _refuse_busy(calls, agent)
    try:
        await calls.set_archived(agent_id, archived=archived)
    except OutcomeUnknown:
        await calls.set_archived(agent_id, archived=archived)  # asked again, nothing changes
    return False, await calls.get_agent(agent_id)


async def _refuse_busy(calls: GatedCalls, agent: Agent) -> None:
    latest = run_id_of(agent)
    run = None if latest is None else await found_run(calls, AgentId(agent.id), latest)
    if run is None or run.status.is_terminal:
        return
    raise DelegationRefused(
        Code.AGENT_BUSY,
        f"run {run.id} of agent {agent.id} goes on. Nothing was changed.",
        hint=f"Type `orchestrate cancel-run --agent-id {agent.id} --run-id {run.id} --yes` to end it, or add --force.",
        fields={"agentId": agent.id, "runId": run.id},
    )
