"""One more run of an agent, for the verbs that may begin one: checked, reserved, sent once."""

from dataclasses import dataclass, field
from functools import partial

from orchestrate.cli.delegation import input_checks as checks
from orchestrate.cli.delegation.agents import run_id_of
from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.recording import found_run, now_of, saw_run
from orchestrate.cli.delegation.refusals import DelegationRefused
from orchestrate.cli.delegation.requests import follow_up_body
from orchestrate.cli.delegation.reserving import reserved
from orchestrate.cli.delegation.sending import Sent, follow_up
from orchestrate.cli.delegation.target import Target
from orchestrate.cli.delegation.waiting import ended
from orchestrate.errors import Refused
from orchestrate.model.names import AgentId, IdempotencyKey, RunId, Timestamp
from orchestrate.model.vocabulary import AgentStatus, RuntimeKind
from orchestrate.model.wire import METADATA_DEPTH, Agent
from orchestrate.store.delegation_records import Delegation, Kind, Phase, digest_of
from orchestrate.store.delegations import DelegationFiles

NOT_SENT = "Nothing was sent."
#: The service's word for an agent whose run goes on.
BUSY = "agent_busy"
#: The agent was free when it was looked at, and busy when the message came.
_LOOK_AGAIN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Message:
    """What an agent is told, and how much of what follows is waited for."""

    #: The verb that sends it.
    verb: str
    key: str
    agent_id: AgentId
    prompt: str = field(repr=False)
    model: str | None
    runtime: RuntimeKind
    #: Where a run of the agent goes on: wait for its end.
    waits_idle: bool
    #: Come back when its own run is over.
    waits: bool

    def plan(self) -> dict[str, object]:
        """What would be sent; the prompt by its size and digest."""
        prompt = {"bytes": len(self.prompt.encode()), "digest": digest_of(self.prompt)}
        return {"agentId": self.agent_id, "runtime": self.runtime.value, "prompt": prompt}


def refuse_faults(message: Message) -> None:
    """Refuse with everything that is wrong with it, before any call."""
    checks.raise_faults(
        [
            checks.agent_id_fault(message.agent_id),
            checks.model_fault(message.model),
            checks.key_fault(message.key),
            checks.prompt_fault(message.prompt, kind=message.runtime),
        ],
        verb=message.verb,
    )


async def send(
    calls: GatedCalls, *, message: Message, files: DelegationFiles, target: Target, known: dict[str, object]
) -> Sent:
    """Send it once the agent can take it, and with ``waits`` come back when its run is over."""
    while True:
        try:
            sent = await _sent_once(calls, message, files, target)
            break
        except Refused as error:
            if error.code != BUSY or not message.waits_idle:
                raise
            await calls.clock.sleep(_LOOK_AGAIN_SECONDS)
    known["runId"] = sent.run.id
    if not message.waits:
        return sent
    over = await ended(calls, message.agent_id, RunId(sent.run.id))
    saw_run(files, over, at=now_of(calls))
    return Sent(sent.record, over)


async def _sent_once(calls: GatedCalls, message: Message, files: DelegationFiles, target: Target) -> Sent:
    agent = await _ready(calls, message)
    draft = _draft(message, base=run_id_of(agent), at=now_of(calls))
    record = reserved(files, draft, account=target.account, admits=lambda _: None)
    depth = (agent.metadata or {}).get(METADATA_DEPTH, "1")
    body = follow_up_body(message.prompt, model=message.model, depth=int(depth) if depth.isdigit() else 1)
    send = partial(calls.create_run, message.agent_id, body, key=record.header_key)
    return await follow_up(calls, files, record, send)


async def _ready(calls: GatedCalls, message: Message) -> Agent:
    """The agent once it can take a message; refused where it is archived, or at work and nobody wants to wait."""
    agent = await calls.get_agent(message.agent_id)
    if agent.status is AgentStatus.ARCHIVED:
        raise DelegationRefused(
            Code.INVALID_INPUT,
            f"agent {agent.id} is archived and takes no follow-up. {NOT_SENT}",
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
        f"run {run.id} of agent {agent.id} goes on. {NOT_SENT}",
        hint=f"Add --wait-idle to the same command, which then waits; `orchestrate help {message.verb}` shows its options.",
        fields={"runId": run.id},
    )


def _draft(message: Message, *, base: RunId | None, at: Timestamp) -> Delegation:
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
