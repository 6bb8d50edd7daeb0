"""Dispatch: from the end of a task's last upstream to the launch request of the task, both on the server's clock.

Run: ``python benchmarks/dispatch.py [--tasks 200] [--running 100] [--steps]``. A random graph on the local server with
the ``null`` runner, tasks of 0.5 to 5 s, on the event loop that ``python -m orchestrate run`` uses. Prints p50, p99 and
the largest in milliseconds; with ``--steps`` also p50 and p90 of each step on the way.
"""

import argparse
import json
import os
import random
import sqlite3
import tempfile
from itertools import pairwise
from pathlib import Path

from dispatch_steps import DEPENDANT, UPSTREAM, Moments
from throughput import make_repository

from orchestrate.api import run_plan
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.server.serve import ensure_server, stop_server
from orchestrate.system import run_event_loop


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--running", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", action="store_true")
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
    inside = Moments() if arguments.steps else None
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
    outcome = run_event_loop(lambda: run_plan(path))
    assert outcome.exit_code == 0, outcome
    began, ended = moments(folder / "orchestrate" / "server" / "server.db")
    if inside is not None:
        report_steps(tasks, began=began, ended=ended, inside=inside)
    return [(began[task] - ended[last]) * 1000 for task, last in last_upstreams(tasks, ended)]


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


def last_upstreams(tasks: list[dict[str, object]], ended: dict[str, float]) -> list[tuple[str, str]]:
    """Each task that waits for others, with the one of them that ended last."""
    return [(task["name"], max(task["dependsOn"], key=lambda name: ended[name])) for task in tasks if task["dependsOn"]]


def moments(database: Path) -> tuple[dict[str, float], dict[str, float]]:
    """Of each task: when its run was created, and when it ended, in seconds."""
    query = "SELECT agents.request, runs.created_at, runs.updated_at FROM runs JOIN agents ON agents.id = runs.agent_id"
    began, ended = {}, {}
    with sqlite3.connect(database) as connection:
        for request, created_at, updated_at in connection.execute(query):
            task = json.loads(request)["metadata"]["orchestrateTask"]
            began[task], ended[task] = epoch_seconds(created_at), epoch_seconds(updated_at)
    return began, ended


def report_steps(
    tasks: list[dict[str, object]], *, began: dict[str, float], ended: dict[str, float], inside: Moments
) -> None:
    """How long each step took; the request is written while the decision is on its way to the disk."""
    steps: dict[str, list[float]] = {name: [] for name in (*UPSTREAM, *DEPENDANT)}
    for task, upstream in last_upstreams(tasks, ended):
        line = [ended[upstream], *(inside.of(upstream).get(name, ended[upstream]) for name in UPSTREAM)]
        line += [inside.of(task)[name] for name in DEPENDANT[:-1]] + [began[task]]
        for name, (earlier, later) in zip(steps, pairwise(line), strict=True):
            steps[name].append((later - earlier) * 1000)
    for name, times in steps.items():
        times.sort()
        print(f"{name:<13} p50 {times[len(times) // 2]:6.2f} ms   p90 {times[int(len(times) * 0.9)]:6.2f} ms")


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
