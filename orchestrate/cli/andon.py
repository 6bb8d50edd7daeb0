"""``orchestrate andon raise|clear PLAN``: stop all launches of a tree, and let them go on."""

import argparse

from orchestrate.cli import output
from orchestrate.cli.asking import Asked, ask, asked_workspace
from orchestrate.cli.requesting import new_request_id, this_person
from orchestrate.cli.runtime import repository_address
from orchestrate.cli.settings import Settings
from orchestrate.errors import InputRefused
from orchestrate.model.andon_format import LONGEST_TEXT
from orchestrate.model.inbox_requests import AndonClearRequest, AndonRaiseRequest, InboxAnswer, InboxRequest
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.repo.git import Git
from orchestrate.repo.site import Site, site_of
from orchestrate.system import run_event_loop
from orchestrate.text.terminal import escape_for_terminal

_TREE = "the whole tree"
_HERE = "this workspace only, for its state is not kept on git"


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("action", choices=("raise", "clear"), help="stop all launches, or let them go on")
    parser.add_argument("plan", metavar="PLAN", help="plan.json or its folder; . where the folder has one plan")
    parser.add_argument("--reason", metavar="TEXT", help="raise: why; everybody sees it")
    parser.add_argument("--note", metavar="TEXT", help="clear: what was done about it")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Ask for it; whoever runs the workspace tells the tree."""
    request = _request(args)
    asked = asked_workspace(args.plan)
    scope = _scope(asked, settings)
    answer = ask(asked, request, settings, shows_state=scope == _TREE)
    _tell(args, answer, scope)
    return 0


def _request(args: argparse.Namespace) -> InboxRequest:
    who = this_person()
    if args.action == "clear":
        if args.reason is not None:
            raise InputRefused("--reason: goes with `orchestrate andon raise` only", hint="use --note TEXT")
        return AndonClearRequest(new_request_id(), who, note=_cut(args.note) or None)
    if args.note is not None:
        raise InputRefused("--note: goes with `orchestrate andon clear` only", hint="use --reason TEXT")
    reason = _cut(args.reason)
    if not reason:
        raise InputRefused("andon raise needs a reason, for those who will see it.", hint="add --reason TEXT")
    return AndonRaiseRequest(new_request_id(), who, reason=reason)


def _scope(asked: Asked, settings: Settings) -> str:
    """How far it reaches."""
    folder = asked.location.folder.resolve()
    url = repository_address(asked.plan, folder=folder, kind=RuntimeKind.LOCAL)

    async def find() -> object:
        return await site_of(Git(settings.environ), folder, repo_url=url)

    is_shown = asked.plan.sync_state_to_git and isinstance(run_event_loop(find), Site)
    return _TREE if is_shown else _HERE


def _tell(args: argparse.Namespace, answer: InboxAnswer, scope: str) -> None:
    if args.json:
        reach = "tree" if scope == _TREE else "workspace"
        output.put_json(output.success("andon", requestId=answer.id, scope=reach, **answer.details))
        return
    if answer.details.get("raised"):
        told = f"the andon is raised for {scope}: {answer.details.get('reason')}. Agents that run go on."
    elif "raisedAt" in answer.details:
        told = f"the andon is cleared for {scope}; launching goes on."
    else:
        told = "the andon was not raised; nothing was changed."
    output.put([escape_for_terminal(told)])


def _cut(text: str | None) -> str:
    return (text or "").strip()[:LONGEST_TEXT]
