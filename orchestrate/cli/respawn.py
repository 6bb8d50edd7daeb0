"""``orchestrate respawn PLAN TASK``: try tasks anew that are over, beside a running engine or before the next one."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import anyio

from orchestrate.cli import output
from orchestrate.cli.asking import Asked, ask, asked_workspace
from orchestrate.cli.confirming import ask as ask_person, is_somebody_there
from orchestrate.cli.messages import listed, message_lines
from orchestrate.cli.requesting import new_request_id, this_person
from orchestrate.cli.runtime import repository_address
from orchestrate.cli.settings import Settings
from orchestrate.cli.stopped import revived, revived_elsewhere
from orchestrate.errors import ServiceError
from orchestrate.model.inbox_requests import InboxAnswer, RespawnRequest
from orchestrate.model.names import TaskName, is_valid_ref
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import RuntimeKind, TaskType
from orchestrate.repo.git import BranchThere, Git
from orchestrate.repo.site import NoSite, site_of
from orchestrate.repo.tombstones import GitTombstone
from orchestrate.store.loading import read_workspace
from orchestrate.text.terminal import escape_for_terminal

#: Tasks that a line names.
_NAMED = 5
NOT_DONE = "Nothing was changed."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", help="plan.json or its folder; . where the folder has one plan")
    parser.add_argument("tasks", metavar="TASK", nargs="+", help="name of a task that is over")
    parser.add_argument("--again", action="store_true", help="also a task that handed off")
    parser.add_argument("--source", action="store_true", help="and the task whose branch it works on or checks")
    parser.add_argument("--cascade", action="store_true", help="and those that ran on its former branch")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Ask for it, once the person at the terminal says yes."""
    asked = asked_workspace(args.plan)
    names = tuple(dict.fromkeys(asked.task(word) for word in args.tasks))
    confirm(f"Try {listed(names, at_most=_NAMED)} anew?", args, settings)
    answer = respawn(asked, names, settings, again=args.again, source=args.source, cascade=args.cascade)
    tell(args, asked, answer, operation="respawn")
    return 0


def confirm(question: str, args: argparse.Namespace, settings: Settings) -> None:
    """Ask once where a person is; without a terminal the call itself is the order."""
    if not args.yes and is_somebody_there(settings):
        ask_person(question, not_done=NOT_DONE)


def respawn(
    asked: Asked,
    names: Sequence[TaskName],
    settings: Settings,
    *,
    again: bool = False,
    source: bool = False,
    cascade: bool = False,
) -> InboxAnswer:
    """What came of the request; a tombstone is taken away once it was carried out."""
    request = RespawnRequest(
        new_request_id(),
        this_person(),
        tasks=tuple(names),
        again=again,
        source=source,
        cascade=cascade,
        starting_refs=_own_branches(asked, names, Git(settings.environ)),
    )
    answer = ask(asked, request, settings)
    for words in (revived(asked.location.folder), anyio.run(_revived_on_git, asked, Git(settings.environ))):
        if words is not None:
            output.say(message_lines("note", f"{words}."))
    return answer


def tell(args: argparse.Namespace, asked: Asked, answer: InboxAnswer, *, operation: str) -> None:
    """What waits again, and who goes on with it."""
    is_engine_there = asked.holder() is not None
    if args.json:
        fields = {**answer.details, "requestId": answer.id, "engineRunning": is_engine_there}
        output.put_json(output.success(operation, **fields))
        return
    lines = [_line_of(item) for item in _items(answer.details.get("tasks"))]
    ready = answer.details.get("ready")
    if isinstance(ready, list) and ready:
        when = "now" if is_engine_there else f"with: orchestrate run {asked.location.argument}"
        names = listed([str(name) for name in ready], at_most=_NAMED)
        lines.append(f"{names} {'starts' if len(ready) == 1 else 'start'} {when}")
    elif not is_engine_there:
        lines.append(f"it goes on with: orchestrate run {asked.location.argument}")
    output.put(escape_for_terminal(each) for each in lines)


async def _revived_on_git(asked: Asked, git: Git) -> str | None:
    """The tombstone of a kill from elsewhere is taken away as well; what was asked for is done in any case."""
    folder = asked.location.folder.resolve()
    workspace = read_workspace(folder).workspace
    if workspace is None or not asked.plan.sync_state_to_git:
        return None
    url = repository_address(asked.plan, folder=folder, kind=RuntimeKind.LOCAL)
    site = await site_of(git, folder, repo_url=url)
    if isinstance(site, NoSite):
        return None
    tombstone = GitTombstone(git, site, slug=asked.plan.root_slug, workspace=workspace.workspace_id)
    try:
        return await revived_elsewhere(tombstone)
    except ServiceError as error:
        return error.message


def _own_branches(asked: Asked, names: Iterable[TaskName], git: Git) -> Mapping[TaskName, str]:
    """The branches of planners that have pushed: there they find their plan and what they know of it."""
    rows = [asked.rows[name] for name in names if name in asked.rows]
    planners = [row for row in rows if row.type == TaskType.SUBPLANNER and row.attempts and is_valid_ref(row.branch)]
    if not planners:
        return {}
    repo_url = repository_address(asked.plan, folder=asked.location.folder.resolve(), kind=RuntimeKind.LOCAL)
    return anyio.run(partial(_on_the_remote, planners, repo_url, git))


async def _on_the_remote(rows: Iterable[TaskRow], repo_url: str, git: Git) -> dict[TaskName, str]:
    found = {}
    for row in rows:
        if isinstance(await git.look_up_branch(repo_url, row.branch), BranchThere):
            found[row.name] = row.branch
    return found


def _items(value: object) -> Iterable[Mapping[str, object]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _line_of(item: Mapping[str, object]) -> str:
    return f"{item.get('task')} waits for try {item.get('attempt')}, starting from {item.get('startingRef')}"
