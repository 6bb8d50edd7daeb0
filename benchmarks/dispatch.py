"""Dispatch: from the end of a task's last upstream to the launch request of the task, both on the server's clock.

Run: ``python benchmarks/dispatch.py [--tasks 200] [--running 100]``. A random graph on the local server with the
``null`` runner, tasks of 0.5 to 5 s. Prints p50, p99 and the largest in milliseconds.
"""

import argparse
import asyncio
import json
import os
import random
import sqlite3
import tempfile
from pathlib import Path

from throughput import make_repository

from orchestrate.api import run_plan
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.server.serve import ensure_server, stop_server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--running", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        state = Path(folder) / "orchestrate" / "server"
        ensure_server(state, environment=dict(os.environ))
        try:
            report(measure(Path(folder), arguments))
        finally:
            stop_server(state)


def measure(folder: Path, arguments: argparse.Namespace) -> list[float]:
    """Milliseconds of each dispatch."""
    make_repository(folder / "repository.git")
    tasks = random_graph(arguments.tasks, random.Random(arguments.seed))
    plan = {
        "goal": "measure",
        "rootSlug": "dispatch",
        "baseBranch": "main",
        "repoUrl": str(folder / "repository.git"),
        "runtime": {"kind": "local", "agent": {"name": "null"}},
        "limits": {"maxConcurrent": arguments.running},
        "tasks": tasks,
    }
    path = folder / "workspace" / "plan.json"
    path.parent.mkdir()
    path.write_text(json.dumps(plan))
    outcome = asyncio.run(run_plan(path))
    assert outcome.exit_code == 0, outcome
    return dispatch_times(folder / "orchestrate" / "server" / "server.db", tasks)


def random_graph(count: int, draw: random.Random) -> list[dict[str, object]]:
    """Tasks of 0.5 to 5 s; two in three wait for one to three earlier ones."""
    tasks: list[dict[str, object]] = []
    for number in range(count):
        seconds = round(draw.uniform(0.5, 5), 3)
        upstream = draw.sample(range(number), min(number, draw.choice((0, 1, 1, 2, 2, 3))))
        goal = f'null-runner: {{"seconds": {seconds}}}'
        depends_on = [f"task-{each}" for each in upstream]
        tasks.append({"name": f"task-{number}", "type": "worker", "scopedGoal": goal, "dependsOn": depends_on})
    return tasks


def dispatch_times(database: Path, tasks: list[dict[str, object]]) -> list[float]:
    """From the server's records: creation of each run, less the end of its last upstream."""
    began, ended = moments(database)
    times = []
    for task in tasks:
        upstream = task["dependsOn"]
        if upstream:
            times.append((began[task["name"]] - max(ended[name] for name in upstream)) * 1000)
    return times


def moments(database: Path) -> tuple[dict[str, float], dict[str, float]]:
    """Of each task: when its run was created, and when it ended, in seconds."""
    query = "SELECT agents.request, runs.created_at, runs.updated_at FROM runs JOIN agents ON agents.id = runs.agent_id"
    began, ended = {}, {}
    with sqlite3.connect(database) as connection:
        for request, created_at, updated_at in connection.execute(query):
            task = json.loads(request)["metadata"]["orchestrateTask"]
            began[task], ended[task] = epoch_seconds(created_at), epoch_seconds(updated_at)
    return began, ended


def report(times: list[float]) -> None:
    times.sort()
    p50, p99 = times[len(times) // 2], times[int(len(times) * 0.99)]
    print(
        json.dumps(
            {"dispatches": len(times), "p50_ms": round(p50, 1), "p99_ms": round(p99, 1), "max_ms": round(times[-1], 1)}
        )
    )


if __name__ == "__main__":
    main()
