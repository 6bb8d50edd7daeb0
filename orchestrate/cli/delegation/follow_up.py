"""``orchestrate follow-up``: one more run of an agent. It costs money, so that the rules of a launch hold for it."""

import argparse
from functools import partial

from orchestrate.cli.delegation.contract import add_output, answer, echoing, new_key
from orchestrate.cli.delegation.documents import run_fields
from orchestrate.cli.delegation.messaging import NOT_SENT, Message, refuse_faults, send
from orchestrate.cli.delegation.prompting import add_prompt, prompt_of, require_one_prompt
from orchestrate.cli.delegation.repeating import confirm_or_tell, typed_again
from orchestrate.cli.delegation.reserving import refuse_in_flight
from orchestrate.cli.delegation.target import Target, add_runtime, asked, refuse_inside_an_agent, target_of
from orchestrate.cli.leaving import signals_interrupt
from orchestrate.cli.settings import Settings
from orchestrate.model.names import AgentId
from orchestrate.store.delegations import DelegationFiles

_REPEATED = ("agent-id", "prompt", "prompt-file", "model", "runtime", "idempotency-key")


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--agent-id", metavar="A", required=True, help="the agent")
    add_prompt(parser)
    parser.add_argument("--model", metavar="ID", help="model of this run (default: the agent's)")
    parser.add_argument("--wait-idle", action="store_true", help="where a run of the agent goes on, wait for its end")
    parser.add_argument("--idempotency-key", metavar="K", help="one key is one run (default: a new one)")
    parser.add_argument("--wait", action="store_true", help="come back when the new run is over")
    add_runtime(parser)
    add_output(parser)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Check, ask, reserve, send."""
    key = new_key() if args.idempotency_key is None else args.idempotency_key
    with signals_interrupt(), echoing(idempotencyKey=key, agentId=args.agent_id) as known:
        require_one_prompt(args)
        refuse_inside_an_agent(settings)
        target, message = _checked(args, settings, key)
        if args.dry_run:
            fields = {"idempotencyKey": key, "agentId": message.agent_id, "dryRun": True, "plan": message.plan()}
            return answer(args, "follow-up", [f"would be sent to {message.agent_id}, key {key}"], **fields)
        args.idempotency_key = key
        again = typed_again("follow-up", args, options=_REPEATED, flags=("wait-idle", "wait"))
        confirm_or_tell(args, settings, f"Send this to {message.agent_id}?", again=again, not_done=NOT_SENT)
        files = DelegationFiles(settings.state_dir)
        refuse_in_flight(files, key)
        sent = asked(target, partial(send, message=message, files=files, target=target, known=known))
        fields = {**run_fields(sent.run), "idempotencyKey": key, "agentId": message.agent_id}
        lines = [f"{message.agent_id}  {sent.run.id}  {sent.run.status}", f"key  {key}"]
        return answer(args, "follow-up", lines, runtime=target.kind.value, notes=files.notes or None, **fields)


def _checked(args: argparse.Namespace, settings: Settings, key: str) -> tuple[Target, Message]:
    target = target_of(args, settings)
    message = Message(
        verb="follow-up",
        key=key,
        agent_id=AgentId(args.agent_id),
        prompt=prompt_of(args, kind=target.kind),
        model=args.model,
        runtime=target.kind,
        waits_idle=args.wait_idle,
        waits=args.wait,
    )
    refuse_faults(message)
    return target, message
