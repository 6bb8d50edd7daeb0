"""``orchestrate tree``: who launched whom, from the files here, from what was pushed, or from the service alone."""

import argparse
from functools import partial

from orchestrate.cli import output
from orchestrate.cli.grown import Grown, grown_tree, object_of, view_of
from orchestrate.cli.locating import locate
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.screens.tree import tree_screen
from orchestrate.cli.settings import Settings
from orchestrate.cli.terminal import stdout_look
from orchestrate.cli.usage import UsageRefused
from orchestrate.system import SystemClock

_NOTHING_LOOKED_AT = "Nothing was looked at."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument("--all", action="store_true", help="every task, also those that are done or only wait")
    parser.add_argument("--deep", action="store_true", help="fetch what planners elsewhere have pushed of their states")
    parser.add_argument("--no-fetch", action="store_true", help="--deep: only what this clone has fetched before")
    parser.add_argument("--live", action="store_true", help="ask the service alone, where states are lost")
    parser.add_argument("--root", metavar="SLUG", help="--live: rootSlug of the plan that the tree began with")
    parser.add_argument("--runtime", choices=("cloud", "local"), help="--live: where the agents are")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the tree; exit code 0 whatever it shows."""
    _check(args)
    if args.live:
        from orchestrate.cli.live_tree import show_live_tree

        return show_live_tree(args, settings)
    location = locate(args.plan, needs_plan=False)
    grown = grown_tree(location, now=SystemClock().now())
    if args.deep:
        grown = _deepened(grown, args, settings)
    if args.json:
        output.put_json(output.success("tree", **object_of(grown)))
        return 0
    look = stdout_look(settings, args, argument=location.argument)
    output.put(rendered(tree_screen(view_of(grown), look, is_whole=args.all), look))
    return 0


def _check(args: argparse.Namespace) -> None:
    """Options that mean nothing together are no small matter: somebody expects what is not done."""
    if args.live and (args.plan is not None or args.deep):
        said = f"--live asks the service alone: it takes no PLAN and no --deep. {_NOTHING_LOOKED_AT}"
        raise UsageRefused(said, hint="orchestrate tree --live --root SLUG")
    if args.live != (args.root is not None):
        raise UsageRefused(
            f"--live and --root go together. {_NOTHING_LOOKED_AT}", hint="orchestrate tree --live --root SLUG"
        )
    if args.no_fetch and not args.deep:
        raise UsageRefused(f"--no-fetch goes with --deep. {_NOTHING_LOOKED_AT}", hint="orchestrate tree --deep .")


def _deepened(grown: Grown, args: argparse.Namespace, settings: Settings) -> Grown:
    from orchestrate.cli.crawling import deepened
    from orchestrate.system import run_event_loop

    return run_event_loop(partial(deepened, grown, settings.environ, fetches=not args.no_fetch))
