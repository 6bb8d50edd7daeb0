"""What verbs that ask something of a run have in common: where they ask, whom, and which service may be called for it."""

import argparse
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from orchestrate.cli.locating import PlanLocation, locate
from orchestrate.cli.plan_file import read_plan_file
from orchestrate.cli.requesting import Place, send_request
from orchestrate.cli.runtime import choose_runtime, named_runtime, repository_address
from orchestrate.cli.services import reach_service
from orchestrate.cli.settings import Settings
from orchestrate.cli.surroundings import environment_of
from orchestrate.cli.task_argument import known_task
from orchestrate.cli.wiring import Service
from orchestrate.errors import Refused
from orchestrate.model.checking import parse_plan
from orchestrate.model.inbox_requests import InboxAnswer, InboxRequest
from orchestrate.model.names import TaskName
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.store.loading import read_workspace, workspace_folder
from orchestrate.store.lock import Holder, living_holder
from orchestrate.system import SystemClock


@dataclass(frozen=True, slots=True)
class Asked:
    """A workspace as the verb finds it: its plan, and what is known of each task."""

    location: PlanLocation
    plan: Plan
    rows: Mapping[TaskName, TaskRow]

    def task(self, word: str) -> TaskName:
        """The task that is meant; a refusal with the nearest name."""
        return known_task(word, [*self.plan.tasks_by_name, *self.rows], plan=self.location.argument)

    def holder(self) -> Holder | None:
        """The engine that runs this workspace now."""
        return living_holder(workspace_folder(self.location.folder), now=SystemClock().now())


def add_plan_and_task(parser: argparse.ArgumentParser) -> None:
    """The arguments PLAN and TASK."""
    parser.add_argument("plan", metavar="PLAN", help="plan.json or its folder; . where the folder has one plan")
    parser.add_argument("task", metavar="TASK", help="name of the task")


def add_runtime(parser: argparse.ArgumentParser) -> None:
    """Where the agents of a run are that was started with ``--runtime``."""
    kinds = [kind.value for kind in RuntimeKind]
    parser.add_argument("--runtime", choices=kinds, help="where the agents are, if neither plan nor variable says so")


def asked_workspace(plan_argument: str | None) -> Asked:
    """The workspace of this PLAN; refused where plan or state cannot be read."""
    location = locate(plan_argument)
    plan, _ = parse_plan(read_plan_file(location.path), local=True)
    return Asked(location, plan, read_workspace(location.folder, root_slug=plan.root_slug).rows)


def ask(
    asked: Asked,
    request: InboxRequest,
    settings: Settings,
    *,
    reach: Callable[[], Awaitable[Service]] | None = None,
    shows_state: bool = False,
) -> InboxAnswer:
    """What came of the request; Refused if it was not carried out."""
    answer = send_request(replace(place_of(asked, settings, reach=reach), shows_state=shows_state), request)
    if not answer.is_done:
        raise Refused(answer.message, code=answer.code, hint=answer.hint)
    return answer


def place_of(asked: Asked, settings: Settings, *, reach: Callable[[], Awaitable[Service]] | None = None) -> Place:
    """Where a request goes, and what an engine of ours needs there."""
    repo_url = repository_address(asked.plan, folder=asked.location.folder.resolve(), kind=RuntimeKind.LOCAL)
    return Place(asked.location, asked.plan, repo_url, settings.environ, reach)


def reach(asked: Asked, args: argparse.Namespace, settings: Settings) -> Callable[[], Awaitable[Service]]:
    """How to reach the service at which this workspace's agents are."""
    environment = environment_of(settings)
    named = named_runtime(args.runtime, variable=environment.runtime)
    runtime = choose_runtime(named, plan=asked.plan, has_key=environment.api_key is not None)
    return partial(reach_service, runtime.kind, environment)
