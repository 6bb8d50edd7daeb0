"""1,000 instant tasks: the engine beside a bare httpx program that makes the same three calls a task.

Run: ``python benchmarks/throughput.py [--tasks 1000] [--in-flight 64] [--rounds 5] [--bare-loop uvloop]``. Both programs
talk to the same local server with the ``null`` runner; each runs in a process of its own, in turn. The engine runs on the
event loop that ``python -m orchestrate run`` uses, the bare program on the same one, or on ``asyncio``'s own if asked.
Prints a line a run and the ratios: of the rates, and of the programs' CPU time, which says more on a machine that others
use.

Nothing is deleted before the last run: for minutes ext4 steps over the inodes of deleted files one by one, so that
clearing up after one run makes every file of the next ten times as dear.
"""

import argparse
import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from functools import partial
from pathlib import Path

import anyio
import httpx

from orchestrate.api import run_plan
from orchestrate.server.serve import ensure_server, stop_server
from orchestrate.system import run_event_loop

#: Streams that share one client of the bare program.
STREAMS_A_CLIENT = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bare-loop", choices=["uvloop", "asyncio"], default="uvloop")
    parser.add_argument("--part", choices=["bare", "engine"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part == "bare":
        run = run_event_loop if arguments.bare_loop == "uvloop" else anyio.run
        run(partial(bare, arguments.tasks, arguments.in_flight))
    elif arguments.part == "engine":
        engine(arguments.tasks, arguments.in_flight, folder=arguments.folder)
    else:
        compare(arguments)


def compare(arguments: argparse.Namespace) -> None:
    """Both programs in turn, each in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = folder / "state" / "orchestrate" / "server"
        endpoint = ensure_server(server, environment=dict(os.environ))
        own = {"XDG_STATE_HOME": str(folder / "state"), "BENCH_URL": endpoint.url, "BENCH_KEY": endpoint.token}
        try:
            rounds = [
                {part: run_part(part, arguments, own, folder / f"{number}-{part}") for part in ("bare", "engine")}
                for number in range(arguments.rounds)
            ]
        finally:
            stop_server(server)
    for figure, invert in (("tasks_a_second", False), ("cpu_ms_a_task", True)):
        ratios = [each["engine"][figure] / each["bare"][figure] for each in rounds]
        ratios = [round(1 / ratio if invert else ratio, 2) for ratio in ratios]
        print(f"{figure}, engine to bare (more is better): median {statistics.median(ratios):.2f} of {ratios}")


def run_part(part: str, arguments: argparse.Namespace, own: dict[str, str], folder: Path) -> dict[str, float]:
    """The figures of one run."""
    folder.mkdir()
    options = {"part": part, "tasks": arguments.tasks, "in-flight": arguments.in_flight, "folder": folder}
    options["bare-loop"] = arguments.bare_loop
    command = [sys.executable, __file__, *(f"--{name}={value}" for name, value in options.items())]
    done = subprocess.run(command, env={**os.environ, **own}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr[-4000:])
    line = done.stdout.strip().splitlines()[-1]
    print(line, flush=True)
    figures: dict[str, float] = json.loads(line)
    return figures


async def bare(tasks: int, in_flight: int) -> None:
    """Create, stream to the end, get: nothing else."""
    url, headers = os.environ["BENCH_URL"], {"Authorization": f"Bearer {os.environ['BENCH_KEY']}"}
    calls = httpx.AsyncClient(base_url=url, headers=headers, limits=httpx.Limits(max_connections=8))
    streams = [httpx.AsyncClient(base_url=url, headers=headers) for _ in range(max(1, in_flight // STREAMS_A_CLIENT))]
    slots = asyncio.Semaphore(in_flight)

    async def one(number: int) -> None:
        async with slots:
            body = {
                "prompt": {"text": f"task {number}"},
                "agentId": f"bc-{uuid.uuid4()}",
                "localAgent": {"runner": "null"},
            }
            created = (await calls.post("/v1/agents", json=body, headers={"Idempotency-Key": str(uuid.uuid4())})).json()
            run = f"/v1/agents/{created['agent']['id']}/runs/{created['run']['id']}"
            async with streams[number % len(streams)].stream("GET", f"{run}/stream") as response:
                async for _ in response.aiter_bytes():
                    pass
            assert (await calls.get(run)).json()["status"] == "FINISHED"

    began = time.perf_counter()
    await asyncio.gather(*(one(number) for number in range(tasks)))
    report("bare", tasks, time.perf_counter() - began)


def engine(tasks: int, in_flight: int, *, folder: Path) -> None:
    """The same tasks as a plan."""
    repository = folder / "repository.git"
    make_repository(repository)
    plan = {
        "goal": "measure",
        "rootSlug": "throughput",
        "baseBranch": "main",
        "repoUrl": str(repository),
        "runtime": {"kind": "local", "agent": {"name": "null"}},
        "limits": {"maxConcurrent": in_flight},
        "tasks": [{"name": f"task-{number}", "type": "worker", "scopedGoal": "nothing"} for number in range(tasks)],
    }
    path = folder / "workspace" / "plan.json"
    path.parent.mkdir()
    path.write_text(json.dumps(plan))
    began = time.perf_counter()
    outcome = run_event_loop(lambda: run_plan(path))
    seconds = time.perf_counter() - began
    assert outcome.exit_code == 0, outcome
    written = sum(file.stat().st_size for file in path.parent.rglob("*") if file.is_file())
    report("engine", tasks, seconds, written=written)


def make_repository(path: Path) -> None:
    git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    work = path.with_name("work")
    subprocess.run([*git, "init", "-q", "-b", "main", str(work)], check=True)
    subprocess.run([*git, "-C", str(work), "commit", "-q", "--allow-empty", "-m", "start"], check=True)
    subprocess.run([*git, "clone", "-q", "--bare", str(work), str(path)], check=True)


def report(part: str, tasks: int, seconds: float, **more: float) -> None:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    figures = {
        "part": part,
        "tasks": tasks,
        "seconds": round(seconds, 3),
        "tasks_a_second": round(tasks / seconds, 1),
        "cpu_ms_a_task": round((usage.ru_utime + usage.ru_stime) * 1000 / tasks, 2),
        "peak_mb": round(usage.ru_maxrss / 1024, 1),
        "machine_load": round(os.getloadavg()[0], 1),
        **more,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
