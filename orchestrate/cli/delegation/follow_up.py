"""``orchestrate follow-up``: one more run of an agent. It costs money, so that the rules of a launch hold for it."""

import argparse
from dataclasses import dataclass, field
from functools import partial

from orchestrate.cli.delegation import input_checks as checks
from orchestrate.cli.delegation.agents import run_id_of
from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.contract import add_output, answer, echoing, new_key
from orchestrate.cli.delegation.documents import run_fields
from orchestrate.cli.delegation.prompting import add_prompt, prompt_of, require_one_prompt
from orchestrate.cli.delegation.recording import found_run, now_of, saw_run
from orchestrate.cli.delegation.refusals import DelegationRefused
from orchestrate.cli.delegation.repeating import confirm_or_tell, typed_again
from orchestrate.cli.delegation.requests import follow_up_body
from orchestrate.cli.delegation.reserving import refuse_in_flight, reserved
from orchestrate.cli.delegation.sending import Sent, follow_up
from orchestrate.cli.delegation.target import Target, add_runtime, asked, refuse_inside_an_agent, target_of
from orchestrate.cli.delegation.waiting import ended
from orchestrate.cli.leaving import signals_interrupt
from orchestrate.cli.settings import Settings
from orchestrate.errors import Refused
from orchestrate.model.names import AgentId, IdempotencyKey, RunId, Timestamp
from orchestrate.model.vocabulary import AgentStatus, RuntimeKind
from orchestrate.model.wire import METADATA_DEPTH, Agent
from orchestrate.store.delegation_records import Delegation, Kind, Phase, digest_of
from orchestrate.store.delegations import DelegationFiles

_NOT_DONE = "Nothing was sent."
_REPEATED = ("agent-id", "prompt", "prompt-file", "model", "runtime", "idempotency-key")
#: The agent was free when it was looked at, and busy when the message came.
_LOOK_AGAIN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class _Message:
    """A follow-up, checked."""

    key: str
    agent_id: AgentId
    prompt: str = field(repr=False)
    model: str | None
    runtime: RuntimeKind
    waits_idle: bool
    waits: bool


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
            prompt = {"bytes": len(message.prompt.encode()), "digest": digest_of(message.prompt)}
            plan = {"agentId": message.agent_id, "runtime": target.kind.value, "prompt": prompt}
            fields = {"idempotencyKey": key, "agentId": message.agent_id, "dryRun": True, "plan": plan}
            return answer(args, "follow-up", [f"would be sent to {message.agent_id}, key {key}"], **fields)
        args.idempotency_key = key
        again = typed_again("follow-up", args, options=_REPEATED, flags=("wait-idle", "wait"))
        confirm_or_tell(args, settings, f"Send this to {message.agent_id}?", again=again, not_done=_NOT_DONE)
        files = DelegationFiles(settings.state_dir)
        refuse_in_flight(files, key)
        sent = asked(target, partial(_sent, message=message, files=files, target=target, known=known))
        fields = {**run_fields(sent.run), "idempotencyKey": key, "agentId": message.agent_id}
        lines = [f"{message.agent_id}  {sent.run.id}  {sent.run.status}", f"key  {key}"]
        return answer(args, "follow-up", lines, runtime=target.kind.value, notes=files.notes or None, **fields)


def _checked(args: argparse.Namespace, settings: Settings, key: str) -> tuple[Target, _Message]:
    target = target_of(args, settings)
    prompt = prompt_of(args, kind=target.kind)
    checks.raise_faults(
        [
            checks.agent_id_fault(args.agent_id),
            checks.model_fault(args.model),
            checks.key_fault(args.idempotency_key),
            checks.prompt_fault(prompt, kind=target.kind),
        ],
        verb="follow-up",
    )
    return target, _Message(
        key=key,
        agent_id=AgentId(args.agent_id),
        prompt=prompt,
        model=args.model,
        runtime=target.kind,
        waits_idle=args.wait_idle,
        waits=args.wait,
    )


async def _sent(
    calls: GatedCalls, *, message: _Message, files: DelegationFiles, target: Target, known: dict[str, object]
) -> Sent:
    while True:
        try:
            sent = await _sent_once(calls, message, files, target)
            break
        except Refused as error:
            if error.code != "agent_busy" or not message.waits_idle:
                raise
            await calls.clock.sleep(_LOOK_AGAIN_SECONDS)
    known["runId"] = sent.run.id
    if not message.waits:
        return sent
    over = await ended(calls, message.agent_id, RunId(sent.run.id))
    saw_run(files, over, at=now_of(calls))
    return Sent(sent.record, over)


async def _sent_once(calls: GatedCalls, message: _Message, files: DelegationFiles, target: Target) -> Sent:
    agent = await _ready(calls, message)
    draft = _draft(message, base=run_id_of(agent), at=now_of(calls))
    record = reserved(files, draft, account=target.account, admits=lambda _: None)
    depth = (agent.metadata or {}).get(METADATA_DEPTH, "1")
    body = follow_up_body(message.prompt, model=message.model, depth=int(depth) if depth.isdigit() else 1)
    send = partial(calls.create_run, message.agent_id, body, key=record.header_key)
    return await follow_up(calls, files, record, send)


async def _ready(calls: GatedCalls, message: _Message) -> Agent:
    """The agent once it can take a message; refused where it is archived, or at work and nobody wants to wait."""
    agent = await calls.get_agent(message.agent_id)
    if agent.status is AgentStatus.ARCHIVED:
        raise DelegationRefused(
            Code.INVALID_INPUT,
            f"agent {agent.id} is archived and takes no follow-up. {_NOT_DONE}",
            hint=f"Type `orchestrate unarchive --agent-id {agent.id} --yes`, then the same command again.",
        )
    latest = run_id_of(agent)
    run = None if latest is None else await found_run(calls, message.agent_id, latest)
    if run is None or run.status.is_terminal:
        return agent
    if message.waits_idle:
        await ended(calls, message.agent_id, RunId(run.id))
        return await calls.get_agent(message.agent_id)
    raise DelegationRefused(
        Code.AGENT_BUSY,
        f"run {run.id} of agent {agent.id} goes on. {_NOT_DONE}",
        hint="Add --wait-idle to the same command, which then waits; `orchestrate help follow-up` shows its options.",
        fields={"runId": run.id},
    )


def _draft(message: _Message, *, base: RunId | None, at: Timestamp) -> Delegation:
    return Delegation(
        key=IdempotencyKey(message.key),
        kind=Kind.FOLLOW_UP,
        scope=message.agent_id,
        agent_id=message.agent_id,
        phase=Phase.RESERVED,
        at=at,
        updated_at=at,
        runtime=message.runtime.value,
        model=message.model,
        prompt_digest=digest_of(message.prompt),
        prompt_bytes=len(message.prompt.encode()),
        base_run_id=base,
    )
