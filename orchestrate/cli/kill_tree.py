"""``orchestrate kill-tree``: end a whole tree of planners, from its workspace, from another clone or by the service alone."""

import argparse
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial

from orchestrate.cli.asking import add_runtime, asked_workspace, reach
from orchestrate.cli.crawl import repository as repository_at, require_place
from orchestrate.cli.kill import whole_target
from orchestrate.cli.kill_census import Target
from orchestrate.cli.killing import kill
from orchestrate.cli.runtime import known_runtime, named_runtime
from orchestrate.cli.services import reach_service
from orchestrate.cli.settings import Settings
from orchestrate.cli.surroundings import environment_of
from orchestrate.cli.usage import UsageRefused
from orchestrate.core.lineage import Roots
from orchestrate.errors import InputRefused
from orchestrate.model.faults import quoted
from orchestrate.model.names import AgentId, is_agent_id
from orchestrate.repo.git import Git
from orchestrate.repo.pushed import PushedFiles
from orchestrate.system import run_event_loop

_BY_PLAN, _BY_REPOSITORY = 1, 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("tree", metavar="PLAN | REPO BRANCH SLUG", nargs="+", help="a workspace, or where a tree began")
    parser.add_argument("--agent-id", metavar="ID", help="only this agent and those that parent links show below it")
    add_runtime(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """List the victims, ask, end them and prove it."""
    top = _agent_id(args.agent_id)
    if len(args.tree) == _BY_PLAN:
        asked = asked_workspace(args.tree[0])
        target, reached = whole_target(asked), reach(asked, args, settings)
    elif len(args.tree) == _BY_REPOSITORY:
        target, environment = _target_of(*args.tree), environment_of(settings)
        named = named_runtime(args.runtime, variable=environment.runtime)
        runtime = known_runtime(named, has_key=environment.api_key is not None)
        reached = partial(reach_service, runtime.kind, environment)
    else:
        raise UsageRefused(
            "kill-tree takes PLAN, or REPO BRANCH SLUG. Nothing was done.", hint="orchestrate kill-tree --help"
        )
    if top is not None:
        target = replace(target, top=top, title=f"{top} and all below it")
    return run_event_loop(partial(kill, target, reached, settings, args, operation="kill-tree"))


def _target_of(repository: str, branch: str, slug: str) -> Target:
    """The tree that began there, by what was pushed; where no state can be read, by the service's list alone."""
    require_place(repository, branch, slug, not_done="Nothing was stopped.")

    def opened(git: Git) -> AbstractAsyncContextManager[PushedFiles]:
        return repository_at(git, repository, fetches=True)

    return Target(
        title=f"{slug} of {repository}",
        roots=Roots(slug=slug),
        repository=repository,
        branch=branch,
        opened=opened,
    )


def _agent_id(word: str | None) -> AgentId | None:
    if word is not None and not is_agent_id(word):
        raise InputRefused(f"--agent-id: {quoted(word)} is no agent id. Nothing was stopped.", hint="bc- and a UUID")
    return None if word is None else AgentId(word)
