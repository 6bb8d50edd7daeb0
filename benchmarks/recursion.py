"""Planners below planners on the local server: ``python benchmarks/recursion.py [deep|wide|full]``.

``deep`` is a run of 40 agents, the innermost three levels below the root: 5 planners, 30 pages, 5 merges. ``wide`` is 8
subplanners at once in 8 slots, each with 3 workers; planners take no slot of that server, so that this shows that the
tree ends, not how capacity is shared. ``full`` is the same on a server that takes 8 agents and counts planners among
them, as the cloud does; the root engine is told that planners take slots, as it is in the cloud. Agents are the program of ``examples/recursion``: real clones, commits, pushes, and
an engine of its own for each planner.
"""

import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import anyio
from children import end_of, fork, run_engine

from orchestrate.cli import unattended
from orchestrate.cli.example import make_example
from orchestrate.cli.running import Prepared, Request
from orchestrate.cli.surroundings import Environment
from orchestrate.cloud.client import CloudClient
from orchestrate.model.wire import METADATA_DEPTH, METADATA_PARENT, METADATA_TASK, Agent
from orchestrate.server.serve import ensure_server, stop_server

PAGES = {"land": 8, "water": 8, "sky": 7, "camp": 7}
CHAPTERS = 8
PAGES_OF_A_CHAPTER = 2


def main() -> None:
    """Both runs, or the one that is named; a line of figures each."""
    runs = {"deep": deep, "wide": wide, "full": wide}
    for name in sys.argv[1:] or runs:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_STATE_HOME"] = f"{folder}/state"
            server = Path(folder) / "state/orchestrate/server"
            faults = {"ORCHESTRATE_SERVER_FAULTS": json.dumps({"capacity": {"agents": CHAPTERS}})}
            is_full = name == "full"
            endpoint = ensure_server(server, environment={**os.environ, **(faults if is_full else {})})
            try:
                plan = workspace(Path(folder), tasks=runs[name]())
                began = time.perf_counter()
                run = run_as_in_the_cloud if is_full else run_engine
                code = end_of(fork(lambda plan=plan, run=run: run(plan), stderr=Path(folder) / "stderr"))
                seconds = time.perf_counter() - began
                tell(name, plan.parent, agents_of(endpoint.url, endpoint.token), code=code, seconds=seconds)
            finally:
                stop_server(server)


def run_as_in_the_cloud(path: Path) -> int:
    """What a child does: run the plan with an engine that knows that planners take slots."""
    prepare = unattended.prepared_or_refused

    def prepared(request: Request, environment: Environment) -> Prepared:
        ready = prepare(request, environment)
        return replace(ready, settings=replace(ready.settings, planners_take_slots=True))

    unattended.prepared_or_refused = prepared  # in this child only
    return run_engine(path)


def deep() -> list[dict[str, object]]:
    """One subplanner with four more below it."""
    return [chapter("guide", "".join(f"- {part}\n{pages(count, indent='  ')}" for part, count in PAGES.items()))]


def wide() -> list[dict[str, object]]:
    """Eight subplanners beside each other: two pages and a merge below each."""
    return [chapter(f"part-{number}", pages(PAGES_OF_A_CHAPTER)) for number in range(CHAPTERS)]


def chapter(name: str, outline: str) -> dict[str, object]:
    """A subplanner for an outline."""
    goal = f"Write the chapter `{name}`, which has these parts:\n\n{outline}"
    return {"name": name, "type": "subplanner", "scopedGoal": goal}


def pages(count: int, *, indent: str = "") -> str:
    """So many lines of an outline."""
    return "".join(f"{indent}- page-{number}\n" for number in range(count))


def workspace(folder: Path, *, tasks: list[dict[str, object]]) -> Path:
    """The example with these tasks."""
    project = make_example(folder, name="recursion", python=sys.executable, environment=os.environ)
    path = project / ".orchestrate/guide/plan.json"
    plan = {**json.loads(path.read_text()), "tasks": tasks, "limits": {"maxConcurrent": CHAPTERS}}
    path.write_text(json.dumps(plan))
    return path


def agents_of(url: str, token: str) -> list[Agent]:
    """Every agent of the server."""

    async def listed() -> list[Agent]:
        async with CloudClient(base_url=url, api_key=token) as client:
            return [agent async for agent in client.list_agents()]

    return anyio.run(listed)


def tell(name: str, folder: Path, agents: list[Agent], *, code: int, seconds: float) -> None:
    """What came of it."""
    tags = [agent.metadata or {} for agent in agents]
    ids = {agent.id for agent in agents}
    depths = dict(sorted(Counter(tag[METADATA_DEPTH] for tag in tags).items()))
    has_parent = sum(
        tag.get(METADATA_PARENT) in ids if tag[METADATA_DEPTH] != "1" else METADATA_PARENT not in tag for tag in tags
    )
    told = sum(told_in(folder))
    leaves = sum(tag[METADATA_TASK].startswith(("page-", "merge-")) for tag in tags)
    print(
        f"{name}: exit {code}, {seconds:.0f} s, {len(agents)} agents at depths {depths}, "
        f"lineage known of {has_parent}, handoffs of leaves told at the root {told} of {leaves}"
    )


def told_in(folder: Path) -> Iterator[int]:
    """How many leaves each handoff of the root plan tells of."""
    for path in (folder / "handoffs").glob("*.md"):
        text = path.read_text()
        yield text.count(": Wrote `") + text.count(": Merged ")


if __name__ == "__main__":
    main()
