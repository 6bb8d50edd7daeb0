"""``orchestrate steer PLAN TASK``: a word with the agent of a task, kept durably and sent once its run has ended.

With ``--agent-id`` it is for an agent outside of a workspace (``cli.delegation.steering``).
"""

import argparse
import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

from orchestrate.cli import output
from orchestrate.cli.asking import Asked, ask, asked_workspace
from orchestrate.cli.confirming import ask as ask_person, is_somebody_there
from orchestrate.cli.delegation.target import add_runtime
from orchestrate.cli.requesting import new_request_id, this_person
from orchestrate.cli.settings import Settings
from orchestrate.cli.task_names import with_task_names
from orchestrate.cli.usage import UsageRefused
from orchestrate.core.turns import undelivered
from orchestrate.errors import InputRefused, Refused
from orchestrate.model.inbox_requests import DropRequest, InboxAnswer, SteerRequest
from orchestrate.model.names import RequestId, TaskName, is_request_id
from orchestrate.model.rows import TaskRow
from orchestrate.store.loading import workspace_folder
from orchestrate.store.messages import LARGEST_MESSAGE_BYTES, MessageFiles
from orchestrate.text.terminal import escape_for_terminal

_NOT_DONE = "Nothing was kept and nothing is sent."
_STDIN = "-"
#: What only a message to an agent outside of a workspace has.
_OF_AGENTS = ("--model", "--wait-idle", "--wait", "--idempotency-key", "--runtime", "--dry-run")
_HELP = "orchestrate steer --help shows how a message is given"


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument(
        "plan", metavar="PLAN", nargs="?", help="plan.json or its folder; . where the folder has one plan"
    )
    parser.add_argument("task", metavar="TASK", nargs="?", help="name of the task")
    parser.add_argument("--message", metavar="M", help="what the agent is told")
    parser.add_argument("--message-file", metavar="FILE", help="the same, from a file; - is stdin")
    parser.add_argument(
        "--queue", action="store_true", help="keep it until the agent's run has ended (always so in a workspace)"
    )
    parser.add_argument("--list", action="store_true", help="the messages of the task, and what became of them")
    parser.add_argument("--drop", metavar="ID", help="take a message back that has not left")
    agent = parser.add_argument_group("an agent outside of a workspace")
    agent.add_argument("--agent-id", metavar="A", help="the agent, in the place of PLAN and TASK")
    agent.add_argument("--model", metavar="ID", help="model of its run (default: the agent's)")
    agent.add_argument("--wait-idle", action="store_true", help="where a run of the agent goes on, wait for its end")
    agent.add_argument("--wait", action="store_true", help="come back when the new run is over")
    agent.add_argument("--idempotency-key", metavar="K", help="one key is one run (default: a new one)")
    add_runtime(parser)
    parser.add_argument("--human", action="store_true", help="lines for people, as always for a task")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, as always for an agent")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Queue a message, list the messages, or take one back."""
    if args.agent_id is not None:
        from orchestrate.cli.delegation.steering import run_for_agent

        return run_for_agent(args, settings)
    _require_task(args)
    orders = (args.message is not None, args.message_file is not None, args.list, args.drop is not None)
    if sum(orders) != 1:
        raise UsageRefused(f"give one of --message, --message-file, --list and --drop. {_NOT_DONE}", hint=_HELP)
    asked = asked_workspace(args.plan)
    task = asked.task(args.task)
    if args.list:
        _list(args, asked.rows.get(task), task)
    elif args.drop is not None:
        _tell(args, asked, _dropped(asked, task, args.drop, settings))
    else:
        _tell(args, asked, _queued(asked, task, _text(args), args, settings))
    return 0


def _require_task(args: argparse.Namespace) -> None:
    """A message in a workspace is for a task of it, and the run of that says where its agents are."""
    if args.task is None:
        words = "TASK" if args.plan is not None else "PLAN, TASK"
        refusal = UsageRefused(f"missing: {words}, or --agent-id. {_NOT_DONE}", hint="orchestrate steer --help")
        raise with_task_names(refusal, words=[args.plan or "."])
    given = [option for option in _OF_AGENTS if getattr(args, option.strip("-").replace("-", "_")) not in (None, False)]
    if given:
        raise UsageRefused(f"{given[0]} goes with --agent-id. {_NOT_DONE}", hint="orchestrate steer --help")


def _text(args: argparse.Namespace) -> bytes:
    """The message; refused where no agent could read it."""
    try:
        text = _given(args).encode()
    except UnicodeError as error:
        raise InputRefused(f"the message is no text in UTF-8. {_NOT_DONE}", hint="save it as UTF-8") from error
    if not text.strip():
        raise InputRefused(f"the message is empty. {_NOT_DONE}", hint="say what the agent should know")
    if b"\x00" in text:
        raise InputRefused(f"the message holds a NUL. {_NOT_DONE}", hint="take it out")
    if len(text) > LARGEST_MESSAGE_BYTES:
        raise InputRefused(
            f"the message is larger than {LARGEST_MESSAGE_BYTES:,} bytes. {_NOT_DONE}",
            hint="put it on a branch, and say where",
        )
    return text


def _given(args: argparse.Namespace) -> str:
    if args.message is not None:
        return str(args.message)
    try:
        if args.message_file == _STDIN:
            return sys.stdin.buffer.read(LARGEST_MESSAGE_BYTES + 1).decode()
        with Path(args.message_file).open("rb") as file:
            return file.read(LARGEST_MESSAGE_BYTES + 1).decode()
    except OSError as error:
        reason = (error.strerror or "no reason").lower()
        told = f"--message-file: {args.message_file} cannot be read: {reason}. {_NOT_DONE}"
        raise InputRefused(told, hint="name a file of text, or - for stdin") from error


def _queued(asked: Asked, task: TaskName, text: bytes, args: argparse.Namespace, settings: Settings) -> InboxAnswer:
    """The text first, then the request that names it: whoever hears of it finds it on the disk."""
    if not args.yes and is_somebody_there(settings):
        ask_person(f"Send this to the agent of {task}? Its run costs money.", not_done=_NOT_DONE)
    request_id = new_request_id()
    files = MessageFiles(workspace_folder(asked.location.folder))
    files.put(request_id, text)
    digest = hashlib.sha256(text).hexdigest()
    try:
        return ask(asked, SteerRequest(request_id, this_person(), task=task, digest=digest), settings)
    except Refused:
        files.remove(request_id)
        raise


def _dropped(asked: Asked, task: TaskName, message: str, settings: Settings) -> InboxAnswer:
    if not is_request_id(message):
        hint = f"orchestrate steer {asked.location.argument} {task} --list"
        raise InputRefused("--drop: this is no id of a message. Nothing was changed.", hint=hint)
    request = DropRequest(new_request_id(), this_person(), task=task, message=RequestId(message))
    return ask(asked, request, settings)


def _list(args: argparse.Namespace, row: TaskRow | None, task: TaskName) -> None:
    messages = [] if row is None else list(_listed(row))
    if args.json:
        output.put_json(output.success("steer", task=task, messages=messages))
        return
    lines = [
        f"{item['messageId']}  {item['state']}" + (f"  {item['runId']}" if "runId" in item else "") for item in messages
    ]
    output.put(escape_for_terminal(line) for line in lines or [f"nobody had a message for {task}."])


def _listed(row: TaskRow) -> Iterable[dict[str, object]]:
    """Every message of the task, the first one first."""
    at_work = {message.run_id for message in row.queue if message.run_id is not None}
    for run in row.runs:
        state = "with the agent" if run.id in at_work else "answered"
        yield {"messageId": run.message, "state": state, "runId": run.id, "at": run.at}
    for message in undelivered(row):
        state = "waits" if message.sent_at is None else "being sent"
        yield {"messageId": message.id, "state": state, "by": message.by, "at": message.at}


def _tell(args: argparse.Namespace, asked: Asked, answer: InboxAnswer) -> None:
    lives = asked.holder() is not None
    if args.json:
        output.put_json(output.success("steer", requestId=answer.id, **answer.details, engineRunning=lives))
        return
    message = answer.details.get("messageId")
    if args.drop is not None:
        lines = [f"message {message} was taken back; it is not sent."]
    else:
        lines = [
            f"revert_to_followup: message {message} is kept, and sent once the run of {args.task} has ended.",
            *([] if lives else [f"No engine runs: orchestrate run {asked.location.argument} sends it."]),
        ]
    output.put(escape_for_terminal(line) for line in lines)
