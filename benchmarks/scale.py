"""10,000 tasks: wall, CPU, memory, bytes, and what the finished workspace costs whoever opens it again.

Run: ``python benchmarks/scale.py [--tasks 10000] [--small 100] [--rounds 5] [--keep DIR]``. A random graph on the local
server with the ``null`` runner; every figure is of ``python -m orchestrate`` in a process of its own, output to a file.

CPU an event is the CPU of the run, less that of a run that finds its one task done (imports, reaching the server),
divided by the journal's records; for the small plan it is the median of some rounds.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from throughput import make_repository

from orchestrate.server.serve import ensure_server, stop_server

#: What an engine writes, by figure.
FILES = ("journal.jsonl", "state.json", "requests", "raw", "handoffs")
#: ``ru_oublock`` counts in these, whatever the file system's blocks are.
_BLOCK = 512


@dataclass(frozen=True)
class Call:
    """One finished process."""

    wall: float
    cpu: float
    peak_mb: float
    written_mb: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--small", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="leave the workspaces in this folder")
    arguments = parser.parse_args()
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="scale-"))
    folder.mkdir(exist_ok=True)
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    server = folder / "state" / "orchestrate" / "server"
    ensure_server(server, environment=dict(os.environ))
    try:
        measure(folder, arguments)
    finally:
        stop_server(server)
        if arguments.keep is None:
            shutil.rmtree(folder)


def measure(folder: Path, arguments: argparse.Namespace) -> None:
    """Print each figure as soon as it is there."""
    make_repository(folder / "repository.git")
    one = make_workspace(folder, "one", tasks=1)
    orchestrate("run", one)
    start = statistics.median(orchestrate("run", one).cpu for _ in range(arguments.rounds))
    small = [
        cpu_an_event(workspace, orchestrate("run", workspace), start)
        for workspace in (
            make_workspace(folder, f"small-{number}", tasks=arguments.small) for number in range(arguments.rounds)
        )
    ]
    large = make_workspace(folder, "large", tasks=arguments.tasks)
    print(f"start of a run that finds all done: {start * 1000:.0f} ms of CPU")
    checked = orchestrate("validate", large)
    print(f"validate, {arguments.tasks} tasks: {checked.wall:.2f} s wall, {checked.peak_mb:.0f} MB")
    run = orchestrate("run", large)
    print(f"run, {arguments.tasks} tasks: {run.wall:.1f} s wall, {arguments.tasks / run.wall:.0f} tasks/s")
    print(f"run, {arguments.tasks} tasks: {run.cpu:.1f} s CPU, {run.cpu / arguments.tasks * 1000:.2f} ms a task")
    print(f"run, {arguments.tasks} tasks: {run.peak_mb:.0f} MB peak memory")
    sizes = ", ".join(f"{name} {size_of(large / name) / 1e6:.1f}" for name in FILES)
    print(f"run, {arguments.tasks} tasks: {run.written_mb:.0f} MB written to the disk; files at the end in MB: {sizes}")
    few, many = statistics.median(small) * 1000, cpu_an_event(large, run, start) * 1000
    ratio = f"{many / few:.2f} times"
    print(f"CPU an event: {few:.2f} ms at {arguments.small} tasks, {many:.2f} ms at {arguments.tasks}: {ratio}")
    for verb in ("run", "status"):
        calls = [orchestrate(verb, large) for _ in range(3)]
        wall, cpu = (statistics.median(each) for each in zip(*((call.wall, call.cpu) for call in calls), strict=True))
        what = "resume of the finished workspace" if verb == "run" else "status"
        print(f"{what}, {arguments.tasks} tasks: {wall:.2f} s wall, {cpu:.2f} s CPU, {calls[0].peak_mb:.0f} MB")


def make_workspace(folder: Path, name: str, *, tasks: int) -> Path:
    """A plan whose tasks end at once; two in three wait for one to three earlier ones."""
    draw, workspace = random.Random(1), folder / name
    workspace.mkdir()
    plan = {
        "goal": "measure",
        "rootSlug": name,
        "baseBranch": "main",
        "repoUrl": str(folder / "repository.git"),
        "runtime": {"kind": "local", "agent": {"name": "null"}},
        "limits": {"maxConcurrent": 64},
        "tasks": [
            {
                "name": f"task-{number}",
                "type": "worker",
                "scopedGoal": "nothing",
                "dependsOn": [
                    f"task-{each}" for each in draw.sample(range(number), min(number, draw.choice((0, 1, 1, 2, 2, 3))))
                ],
            }
            for number in range(tasks)
        ],
    }
    (workspace / "plan.json").write_text(json.dumps(plan))
    return workspace


def orchestrate(verb: str, workspace: Path) -> Call:
    """What this verb costs there; it must succeed."""
    plain = ("--plain", "--yes") if verb == "run" else ()
    with (workspace / f"{verb}.out").open("wb") as output:
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "orchestrate", verb, str(workspace / "plan.json"), *plain],
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{verb} ended with {process.returncode}"
    return Call(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, usage.ru_oublock * _BLOCK / 1e6)


def cpu_an_event(workspace: Path, run: Call, start: float) -> float:
    """Seconds of CPU for each record of the journal."""
    with (workspace / "journal.jsonl").open("rb") as journal:
        events = sum(1 for _ in journal)
    return (run.cpu - start) / events


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files below a folder."""
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(each.stat().st_size for each in files)


if __name__ == "__main__":
    main()
