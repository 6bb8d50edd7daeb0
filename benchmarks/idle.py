"""What waiting costs: an engine that watches 100 running agents, and the server that runs them, for a minute.

Run: ``python benchmarks/idle.py [--agents 100] [--seconds 60]``. The agents are the ``null`` runner's, which only wait.
CPU is user and system time of ``python -m orchestrate run --plain``, and of the local server, from ``/proc``.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from throughput import make_repository

from orchestrate.server.serve import ensure_server, stop_server

#: Longer than any measurement; the agents end with their server.
HOURS = 12
#: What comes with the start (frames, snapshots) is over by then.
SETTLED_SECONDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_STATE_HOME"] = str(folder)
        server = folder / "orchestrate" / "server"
        ensure_server(server, environment=dict(os.environ))
        make_repository(folder / "repository.git")
        engine = subprocess.Popen(
            [sys.executable, "-m", "orchestrate", "run", str(make_plan(folder, arguments.agents)), "--plain"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_until_all_run(folder / "plan.json", arguments.agents)
            measure({"engine": engine.pid, "server": server_pid(server)}, arguments)
        finally:
            engine.send_signal(signal.SIGINT)
            engine.wait(timeout=30)
            stop_server(server)


def make_plan(folder: Path, agents: int) -> Path:
    """Tasks that all run at once, for hours."""
    goal = f"null-runner: {json.dumps({'seconds': HOURS * 3600})}"
    plan = {
        "goal": "measure",
        "rootSlug": "idle",
        "baseBranch": "main",
        "repoUrl": str(folder / "repository.git"),
        "runtime": {"kind": "local", "agent": {"name": "null"}},
        "limits": {"maxConcurrent": agents},
        "tasks": [{"name": f"task-{number}", "type": "worker", "scopedGoal": goal} for number in range(agents)],
    }
    path = folder / "plan.json"
    path.write_text(json.dumps(plan))
    return path


def wait_until_all_run(plan: Path, agents: int) -> None:
    """Until every row has its run, and what that caused is over."""
    state = plan.with_name("state.json")
    while not state.exists() or state.read_text().count('"runId":"run-') < agents:
        time.sleep(0.5)
    time.sleep(SETTLED_SECONDS)


def measure(processes: dict[str, int], arguments: argparse.Namespace) -> None:
    """Print each process's CPU over the time."""
    before = {name: cpu_seconds(pid) for name, pid in processes.items()}
    time.sleep(arguments.seconds)
    for name, pid in processes.items():
        used = cpu_seconds(pid) - before[name]
        share = used / arguments.seconds * 100
        print(f"{name}, {arguments.agents} agents, {arguments.seconds:.0f} s: {used:.2f} s of CPU ({share:.2f} %)")


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def server_pid(server: Path) -> int:
    """Whose ``server.json`` it is."""
    return int(json.loads((server / "server.json").read_text())["pid"])


if __name__ == "__main__":
    main()
