"""``orchestrate steer --agent-id``: a word with any agent, outside of a workspace.

No agent here takes a message in the middle of a turn, so that the outcome is always ``revert_to_followup``: where no run
goes on the message is sent at once as a follow-up, under the rules of one. Where one goes on nothing is sent unless that
is waited for: the message is the caller's still, with the command that sends it later. Nobody lives outside of a
workspace who could keep it and send it when the run has ended, so that ``--queue`` is refused.
"""

import argparse
from functools import partial
from pathlib import Path

from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.contract import answer, echoing, new_key
from orchestrate.cli.delegation.documents import run_fields
from orchestrate.cli.delegation.input_checks import read_prompt
from orchestrate.cli.delegation.messaging import BUSY, NOT_SENT, Message, refuse_faults, send
from orchestrate.cli.delegation.refusals import DelegationRefused
from orchestrate.cli.delegation.repeating import confirm_or_tell, typed_again
from orchestrate.cli.delegation.reserving import refuse_in_flight
from orchestrate.cli.delegation.sending import Sent
from orchestrate.cli.delegation.target import Target, asked, refuse_inside_an_agent, target_of
from orchestrate.cli.leaving import signals_interrupt
from orchestrate.cli.settings import Settings
from orchestrate.cli.usage import UsageRefused
from orchestrate.errors import Refused
from orchestrate.model.names import AgentId
from orchestrate.store.delegations import DelegationFiles

_OUTCOME = "revert_to_followup"
_STDIN = "-"
_REPEATED = ("agent-id", "message", "message-file", "model", "runtime", "idempotency-key")
_FLAGS = ("wait-idle", "wait")


def run_for_agent(args: argparse.Namespace, settings: Settings) -> int:
    """Check, ask, and send it if its agent is free; the answer says what became of the message."""
    key = new_key() if args.idempotency_key is None else args.idempotency_key
    with signals_interrupt(), echoing(idempotencyKey=key, agentId=args.agent_id) as known:
        _require_readable(args)
        refuse_inside_an_agent(settings)
        _refuse_queue(args)
        target, message = _checked(args, settings, key)
        fields: dict[str, object] = {"idempotencyKey": key, "agentId": message.agent_id, "outcome": _OUTCOME}
        if args.dry_run:
            lines = [f"{_OUTCOME}: would be sent to {message.agent_id}, key {key}"]
            return answer(args, "steer", lines, **fields, sent=False, dryRun=True, plan=message.plan())
        args.idempotency_key = key
        again = _typed_again(args, flags=_FLAGS)
        confirm_or_tell(args, settings, f"Send this to {message.agent_id}?", again=again, not_done=NOT_SENT)
        files = DelegationFiles(settings.state_dir)
        refuse_in_flight(files, key)
        sent = asked(target, partial(_sent, message=message, files=files, target=target, known=known))
        fields |= {"runtime": target.kind.value, "notes": files.notes or None}
        if sent is None:
            return _left_to_the_caller(args, message, fields, known)
        lines = [f"{_OUTCOME}: sent to {message.agent_id} as {sent.run.id}, {sent.run.status}", f"key  {key}"]
        return answer(args, "steer", lines, **run_fields(sent.run), **fields, sent=True)


def _require_readable(args: argparse.Namespace) -> None:
    if args.plan is not None:
        raise UsageRefused(f"give PLAN and TASK, or --agent-id. {NOT_SENT}", hint="orchestrate steer --help")
    if args.list or args.drop is not None:
        raise UsageRefused(
            f"--list and --drop are for the messages of a task; an agent outside of a workspace has none. {NOT_SENT}",
            hint="orchestrate agents --all",
        )
    if (args.message is None) == (args.message_file is None):
        raise UsageRefused(f"give one of --message and --message-file. {NOT_SENT}", hint="orchestrate steer --help")


def _refuse_queue(args: argparse.Namespace) -> None:
    if args.queue:
        raise DelegationRefused(
            Code.UNSUPPORTED,
            f"--queue needs a workspace, whose engine sends the message later; nobody would here. {NOT_SENT}",
            hint="Take --wait-idle in its place, which waits and sends; `orchestrate help steer` shows the options.",
        )


def _checked(args: argparse.Namespace, settings: Settings, key: str) -> tuple[Target, Message]:
    target = target_of(args, settings)
    file = None if args.message_file in (None, _STDIN) else Path(args.message_file)
    message = Message(
        verb="steer",
        key=key,
        agent_id=AgentId(args.agent_id),
        prompt=read_prompt(text=args.message, file=file, kind=target.kind, option="--message-file"),
        model=args.model,
        runtime=target.kind,
        waits_idle=args.wait_idle,
        waits=args.wait,
    )
    refuse_faults(message)
    return target, message


async def _sent(
    calls: GatedCalls, *, message: Message, files: DelegationFiles, target: Target, known: dict[str, object]
) -> Sent | None:
    """What was sent; None where a run of the agent goes on and nobody wants to wait for its end."""
    try:
        return await send(calls, message=message, files=files, target=target, known=known)
    except DelegationRefused as error:
        if error.code is not Code.AGENT_BUSY:
            raise
        known |= error.fields
    except Refused as error:
        if error.code != BUSY:
            raise
    return None


def _left_to_the_caller(
    args: argparse.Namespace, message: Message, fields: dict[str, object], known: dict[str, object]
) -> int:
    """The agent is at work: the message was not sent, and this is how it will be."""
    do = _typed_again(args, flags=("wait",) if args.wait else ())
    command = None if do is None else f"{do} --wait-idle --yes"
    lines = [
        f"{_OUTCOME}: a run of {message.agent_id} goes on. {NOT_SENT} The message is yours still.",
        f"do  {command or 'the same command with --wait-idle'}",
    ]
    return answer(args, "steer", lines, **fields, runId=known.get("runId"), sent=False, sendWith=command)


def _typed_again(args: argparse.Namespace, *, flags: tuple[str, ...]) -> str | None:
    """The command again; None where its message came from stdin."""
    return None if args.message_file == _STDIN else typed_again("steer", args, options=_REPEATED, flags=flags)
