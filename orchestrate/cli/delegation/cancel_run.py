"""``orchestrate cancel-run``: end one run. It is looked at right before; one that is over already is a success."""

import argparse

from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.contract import add_output, answer
from orchestrate.cli.delegation.documents import run_fields
from orchestrate.cli.delegation.input_checks import agent_id_fault, raise_faults, run_id_fault
from orchestrate.cli.delegation.recording import now_of, saw_run
from orchestrate.cli.delegation.repeating import confirm_or_tell, typed_again
from orchestrate.cli.delegation.target import add_runtime, asked, target_of
from orchestrate.cli.settings import Settings
from orchestrate.errors import OutcomeUnknown, Refused
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.wire import Run
from orchestrate.store.delegations import DelegationFiles

#: After a cancel the run takes a moment to end; whoever wants to be sure looks again later.
_LOOKS, _LOOK_SECONDS = 10, 0.3
_OVER_ALREADY = "run_not_cancellable"


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--agent-id", metavar="A", required=True, help="the agent")
    parser.add_argument("--run-id", metavar="R", required=True, help="the run")
    add_runtime(parser)
    add_output(parser)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Cancel it, and see whether it has ended."""
    raise_faults([agent_id_fault(args.agent_id), run_id_fault(args.run_id)], verb="cancel-run")
    target, files = target_of(args, settings), DelegationFiles(settings.state_dir)
    again = typed_again("cancel-run", args, options=("agent-id", "run-id", "runtime"))
    confirm_or_tell(args, settings, f"Cancel run {args.run_id}? It cannot be taken back.", again=again)
    ids = AgentId(args.agent_id), RunId(args.run_id)
    is_over, found = asked(target, lambda calls: _cancelled(calls, *ids, files))
    told = {**run_fields(found), "agentId": args.agent_id, "alreadyTerminal": is_over}
    told["confirmed"] = found.status.is_terminal
    words = "was over already" if is_over else "has ended" if found.status.is_terminal else "was asked to end"
    return answer(args, "cancel-run", [f"{args.run_id} {words}: {found.status}"], **told)


async def _cancelled(calls: GatedCalls, agent_id: AgentId, run_id: RunId, files: DelegationFiles) -> tuple[bool, Run]:
    """Whether it was over before, and the run as it is then."""
    found = await calls.get_run(agent_id, run_id)
    is_over = found.status.is_terminal
    if not is_over:
        try:
            await calls.cancel_run(agent_id, run_id)
        except Refused as error:
            if error.code != _OVER_ALREADY:
                raise
            is_over = True
        except OutcomeUnknown:
            await _ask_again(calls, agent_id, run_id)
        found = await _settled(calls, agent_id, run_id)
    saw_run(files, found, at=now_of(calls))
    return is_over, found


async def _ask_again(calls: GatedCalls, agent_id: AgentId, run_id: RunId) -> None:
    """A cancel may be asked for twice; where the first one came through, the second is refused, and the run tells."""
    try:
        await calls.cancel_run(agent_id, run_id)
    except Refused as error:
        if error.code != _OVER_ALREADY:
            raise


async def _settled(calls: GatedCalls, agent_id: AgentId, run_id: RunId) -> Run:
    """The run once it has ended, or as it is after a moment."""
    for _ in range(_LOOKS - 1):
        found = await calls.get_run(agent_id, run_id)
        if found.status.is_terminal:
            return found
        await calls.clock.sleep(_LOOK_SECONDS)
    return await calls.get_run(agent_id, run_id)
