"""``orchestrate crawl REPO BRANCH SLUG``: a whole tree of planners as they have pushed it, from any machine."""

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from orchestrate.cli import output
from orchestrate.cli.crawling import FETCH_SECONDS, Crawler
from orchestrate.cli.grown import Grown, object_of, origin_object, view_of
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.screens.tree import tree_screen
from orchestrate.cli.settings import Settings
from orchestrate.cli.terminal import stdout_look
from orchestrate.errors import InputRefused
from orchestrate.model.faults import quoted
from orchestrate.model.names import is_kebab_case, is_valid_ref
from orchestrate.repo.address import address_fault
from orchestrate.repo.git import PROTOCOLS, Git
from orchestrate.repo.origin import local_path
from orchestrate.repo.pushed import PushedFiles, pushed_at, pushed_beside
from orchestrate.system import SystemClock, run_event_loop

_NOT_DONE = "Nothing was looked at."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("repo", metavar="REPO", help="the repository's address, or a folder with a clone of it")
    parser.add_argument("branch", metavar="BRANCH", help="where the tree began; orch-state/SLUG is looked at as well")
    parser.add_argument("slug", metavar="SLUG", help="rootSlug of the plan that it began with")
    parser.add_argument("--no-fetch", action="store_true", help="only what the clone has fetched before")
    parser.add_argument("--all", action="store_true", help="every task, also those that are done or only wait")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the tree; exit code 0 whatever it shows."""
    require_place(args.repo, args.branch, args.slug, not_done=_NOT_DONE)
    grown = run_event_loop(partial(_crawled, args, settings))
    if args.json:
        output.put_json(output.success("crawl", **origin_object(grown), **object_of(grown)))
        return 0
    look = stdout_look(settings, args, argument=args.repo)
    output.put(rendered(tree_screen(view_of(grown), look, is_whole=args.all), look))
    return 0


def require_place(repo: str, branch: str, slug: str, *, not_done: str) -> None:
    """Refuse what names no tree."""
    if not is_valid_ref(branch):
        raise InputRefused(f"BRANCH: {quoted(branch)} is no name of a branch. {not_done}")
    if not is_kebab_case(slug):
        raise InputRefused(f"SLUG: {quoted(slug)} is no rootSlug. {not_done}", hint="fix-dates, for example")
    if not repo or repo.startswith("-") or "\0" in repo:
        raise InputRefused(f"REPO: {quoted(repo)} is no repository. {not_done}")
    path = local_path(repo, top=Path.cwd())
    if path is not None and not path.is_dir():
        raise InputRefused(f"REPO: {quoted(repo)} is no folder. {not_done}", hint="name a clone, or an address")
    fault = address_fault(repo, protocols=PROTOCOLS) if path is None else None
    if fault is not None:
        raise InputRefused(f"REPO: {quoted(repo)} {fault}. {not_done}", hint="name a clone, or an address")


@asynccontextmanager
async def repository(git: Git, repo: str, *, fetches: bool) -> AsyncIterator[PushedFiles]:
    """REPO, which `require_place` has let pass: an address or a folder."""
    path = local_path(repo, top=Path.cwd())
    if path is None:
        if not fetches:
            raise InputRefused(
                f"--no-fetch: {quoted(repo)} is no folder, so there is nothing to read without fetching. {_NOT_DONE}",
                hint="leave out --no-fetch, or name a clone",
            )
        async with pushed_at(git, repo) as pushed:
            yield pushed
        return
    yield await pushed_beside(git, path, fetches=fetches)


async def _crawled(args: argparse.Namespace, settings: Settings) -> Grown:
    git = Git(settings.environ, deadline_seconds=FETCH_SECONDS)
    async with repository(git, args.repo, fetches=not args.no_fetch) as pushed:
        return await Crawler(pushed).root(args.branch, args.slug, now=SystemClock().now())
