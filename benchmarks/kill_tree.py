"""Killing a tree of 200 agents whose planners launch on and on, on the real local server.

Run: ``python benchmarks/kill_tree.py [--agents 200] [--rounds 10]``. The agents are those of the ``null`` runner, three
levels deep, each with the metadata of a real launch; a planner's engine is a task here that launches another agent every
second or so until its planner's run is over. ``orchestrate kill-tree PLAN --yes`` runs as a process of its own. Prints a
line a round: seconds until everybody was confirmed, who was alive five seconds after it, and what was launched after it.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import anyio
from anyio.abc import TaskGroup

from orchestrate.cloud.client import CloudClient
from orchestrate.errors import ServiceError
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.vocabulary import AgentStatus
from orchestrate.model.wire import METADATA_DEPTH, METADATA_PARENT, METADATA_ROOT, METADATA_TASK, METADATA_WORKSPACE
from orchestrate.server.serve import ensure_server, stop_server
from orchestrate.system import run_event_loop

DEEPEST = 3
#: Agents are looked at so long after the kill.
AFTER_SECONDS = 5.0
SLUG = "tree"


@dataclass
class Planner:
    """An agent that may launch others."""

    id: AgentId
    run_id: RunId
    depth: int
    workspace: str = field(default_factory=lambda: str(uuid.uuid4()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    results = []
    for number in range(arguments.rounds):
        with tempfile.TemporaryDirectory() as name:
            results.append(run_event_loop(partial(one_round, arguments.agents, Path(name), seed=number)))
            print(json.dumps({"round": number, **results[-1]}), flush=True)
    seconds = sorted(each["seconds"] for each in results)
    alive, late = sum(each["alive"] for each in results), sum(each["launched_after"] for each in results)
    print(f"{len(results)} rounds: alive {alive}, launched after {late}, seconds {seconds[0]} to {seconds[-1]}")
    sys.exit(1 if alive or late else 0)


async def one_round(agents: int, folder: Path, *, seed: int) -> dict[str, float]:
    """A tree that grows, its kill, and what was left."""
    server = folder / "state" / "orchestrate" / "server"
    endpoint = await anyio.to_thread.run_sync(partial(ensure_server, server, environment=dict(os.environ)))
    chance = random.Random(seed)
    try:
        async with (
            CloudClient(base_url=endpoint.url, api_key=endpoint.token) as client,
            anyio.create_task_group() as tasks,
        ):
            plan, root = write_workspace(folder / "workspace")
            await grow(client, tasks, root, agents, chance)
            killed = await kill(plan, folder)
            ended = await everybody(client)
            await anyio.sleep(AFTER_SECONDS)
            after = await everybody(client)
            tasks.cancel_scope.cancel()
        alive = [name for name, status in after.items() if status is AgentStatus.ACTIVE]
        return {**killed, "agents": len(after), "alive": len(alive), "launched_after": len(set(after) - set(ended))}
    finally:
        stop_server(server)


async def grow(client: CloudClient, tasks: TaskGroup, root: str, agents: int, chance: random.Random) -> None:
    """Eight planners, planners below them, and workers; every planner launches on."""
    planners: list[Planner] = []
    for number in range(agents):
        parent = None if number < 8 else chance.choice([each for each in planners if each.depth < DEEPEST])
        planner = await launch(client, parent, root)
        planners.append(planner)
    for planner in planners:
        if planner.depth < DEEPEST:
            tasks.start_soon(launch_on_and_on, client, tasks, planner, root, random.Random(chance.random()))


async def launch(client: CloudClient, parent: Planner | None, root: str) -> Planner:
    """One agent that ends only when it is cancelled."""
    agent_id, depth = AgentId(f"bc-{uuid.uuid4()}"), 1 if parent is None else parent.depth + 1
    metadata = {
        METADATA_WORKSPACE: root if parent is None else parent.workspace,
        METADATA_ROOT: SLUG if parent is None else f"below-{parent.id}",
        METADATA_TASK: "work",
        METADATA_DEPTH: str(depth),
        METADATA_PARENT: "" if parent is None else parent.id,
    }
    body = {
        "agentId": agent_id,
        "prompt": {"text": 'null-runner: {"seconds": 3600}'},
        "localAgent": {"runner": "null"},
        "metadata": {key: value for key, value in metadata.items() if value},
    }
    created = await client.create_agent(json.dumps(body).encode(), key=str(uuid.uuid4()))
    return Planner(agent_id, RunId(created.run.id), depth)


async def launch_on_and_on(
    client: CloudClient, tasks: TaskGroup, planner: Planner, root: str, chance: random.Random
) -> None:
    """What an engine in the planner's machine does until that is gone."""
    while True:
        await anyio.sleep(chance.uniform(0.5, 4))
        try:
            if (await client.get_run(planner.id, planner.run_id)).status.is_terminal:
                return
            child = await launch(client, planner, root)
        except ServiceError:
            continue
        if child.depth < DEEPEST:
            tasks.start_soon(launch_on_and_on, client, tasks, child, root, random.Random(chance.random()))


async def kill(plan: Path, folder: Path) -> dict[str, float]:
    """The verb in a process of its own."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "orchestrate", "kill-tree", str(plan), "--yes", "--json"]
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    done = await anyio.run_process(command, env=environment, check=False)
    told = json.loads(done.stdout)
    assert done.returncode == 0, told
    return {
        "seconds": round(time.perf_counter() - began, 2),
        "cancelled": told["cancelled"],
        "looks": told["looks"],
        "machine_load": round(os.getloadavg()[0], 1),
    }


async def everybody(client: CloudClient) -> dict[str, AgentStatus]:
    """All agents of the server and how they stand."""
    return {agent.id: agent.status async for agent in client.list_agents(include_archived=True)}


def write_workspace(folder: Path) -> tuple[Path, str]:
    """A workspace whose state names nothing but itself: the service's list has to tell the rest."""
    folder.mkdir()
    workspace_id = str(uuid.uuid4())
    plan = {
        "goal": "measure",
        "rootSlug": SLUG,
        "baseBranch": "main",
        "repoUrl": "https://git.example.org/team/shop.git",
        "runtime": {"kind": "local", "agent": {"name": "null"}},
        "tasks": [{"name": "work", "type": "subplanner", "scopedGoal": "nothing"}],
    }
    (folder / "plan.json").write_text(json.dumps(plan))
    state = {"schemaVersion": 1, "workspaceId": workspace_id, "rootSlug": SLUG, "tasks": []}
    (folder / "state.json").write_text(json.dumps(state))
    return folder / "plan.json", workspace_id


if __name__ == "__main__":
    main()
