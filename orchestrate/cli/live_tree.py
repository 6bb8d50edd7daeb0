"""``orchestrate tree --live --root SLUG``: a tree by the service's word alone, from what its agents were launched with."""

import argparse
from collections.abc import Mapping
from functools import partial

from orchestrate.cli import output
from orchestrate.cli.runtime import known_runtime, named_runtime
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.screens.live_tree import live_tree_screen
from orchestrate.cli.services import reach_service
from orchestrate.cli.settings import Settings
from orchestrate.cli.sightings import sighting_of
from orchestrate.cli.surroundings import environment_of
from orchestrate.cli.terminal import stdout_look
from orchestrate.core.lineage import Roots, Sighting, members, merged
from orchestrate.errors import InputRefused
from orchestrate.model.faults import quoted
from orchestrate.model.names import is_kebab_case
from orchestrate.system import run_event_loop


def show_live_tree(args: argparse.Namespace, settings: Settings) -> int:
    """Ask for all agents, and print those of the tree; exit code 0 whatever it shows."""
    if not is_kebab_case(args.root):
        raise InputRefused(f"--root: {quoted(args.root)} is no rootSlug. Nothing was looked at.")
    environment = environment_of(settings)
    named = named_runtime(args.runtime, variable=environment.runtime)
    runtime = known_runtime(named, has_key=environment.api_key is not None)

    async def listed() -> list[Sighting]:
        service = await reach_service(runtime.kind, environment)
        async with service.client() as client:
            seen = [sighting_of(agent) async for agent in client.list_agents(include_archived=True)]
        return members(merged(seen), Roots(slug=args.root))

    found = run_event_loop(partial(listed))
    if args.json:
        output.put_json(output.success("tree", rootSlug=args.root, agents=[_object(each) for each in found]))
        return 0
    look = stdout_look(settings, args, argument="")
    output.put(rendered(live_tree_screen(args.root, found, is_whole=args.all), look))
    return 0


def _object(each: Sighting) -> dict[str, object]:
    told: Mapping[str, object] = {
        "task": each.task,
        "agentId": each.agent_id,
        "runId": each.run_id,
        "rootSlug": each.root,
        "workspaceId": each.workspace,
        "parentAgentId": each.parent,
        "depth": each.depth,
        "url": each.url,
    }
    return {**{key: value for key, value in told.items() if value not in (None, "")}, "mayRun": each.may_run}
