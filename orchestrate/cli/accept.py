"""``orchestrate accept PLAN TASK --branch B``: a person stands for a task, and those that wait for it go on."""

import argparse
from functools import partial

import anyio

from orchestrate.cli import output
from orchestrate.cli.asking import Asked, add_plan_and_task, ask, asked_workspace
from orchestrate.cli.messages import listed, message_lines
from orchestrate.cli.requesting import new_request_id, this_person
from orchestrate.cli.runtime import repository_address
from orchestrate.cli.settings import Settings
from orchestrate.errors import InputRefused, Refused
from orchestrate.model.faults import quoted
from orchestrate.model.inbox_format import LONGEST_TEXT
from orchestrate.model.inbox_requests import AcceptRequest, InboxAnswer
from orchestrate.model.names import is_valid_ref
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.repo.git import BranchAbsent, BranchUnknown, Git
from orchestrate.text.terminal import escape_for_terminal

#: Tasks that a line names.
_NAMED = 5
_LONGEST_BRANCH = 200


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    add_plan_and_task(parser)
    parser.add_argument("--branch", metavar="B", required=True, help="the branch of the remote on which it is done")
    parser.add_argument("--note", metavar="TEXT", help="what was done, for the agents and people after you")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Hand the task off by hand."""
    asked = asked_workspace(args.plan)
    task = asked.task(args.task)
    repo_url = repository_address(asked.plan, folder=asked.location.folder.resolve(), kind=RuntimeKind.LOCAL)
    doubt = _checked_branch(args.branch, repo_url, Git(settings.environ))
    if doubt is not None and not args.quiet:
        output.say(message_lines("attention", f"the branch could not be checked from here: {doubt}"))
    request = AcceptRequest(
        new_request_id(), by=this_person(), task=task, branch=args.branch, note=_checked_note(args.note)
    )
    _tell(args, asked, ask(asked, request, settings))
    return 0


def _checked_branch(branch: str, repo_url: str, git: Git) -> str | None:
    """Refuse what is no branch, and one that the remote positively lacks; why nobody can tell, where that is so."""
    if not is_valid_ref(branch) or len(branch) > _LONGEST_BRANCH:
        raise InputRefused(f"--branch: {quoted(branch)} is no name of a branch.", hint="write it as git branch does")
    match anyio.run(partial(git.look_up_branch, repo_url, branch)):
        case BranchAbsent():
            raise Refused(
                f"{branch} is not on the remote. Nothing was changed.",
                code="branch_not_found",
                hint=f"git push origin {branch}, then type the same command again",
            )
        case BranchUnknown(reason=reason):
            return reason
        case _:
            return None


def _checked_note(note: str | None) -> str | None:
    if note is not None and len(note) > LONGEST_TEXT:
        raise InputRefused(f"--note is longer than {LONGEST_TEXT} characters.", hint="write it into the repository")
    return note or None


def _tell(args: argparse.Namespace, asked: Asked, answer: InboxAnswer) -> None:
    holder = asked.holder()
    if args.json:
        fields = {**answer.details, "requestId": answer.id, "engineRunning": holder is not None}
        output.put_json(output.success("accept", **fields))
        return
    released = answer.details.get("released")
    names = [str(name) for name in released] if isinstance(released, list) else []
    lines = [f"{args.task} handed off on {args.branch}, accepted by {answer.details.get('by', 'you')}."]
    if names:
        verb = "starts" if len(names) == 1 else "start"
        when = "now" if holder is not None else f"with: orchestrate run {asked.location.argument}"
        lines.append(f"{listed(names, at_most=_NAMED)} {verb} {when}")
    output.put(escape_for_terminal(each) for each in lines)
