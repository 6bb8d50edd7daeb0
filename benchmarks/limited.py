"""A limited service: how long 60 agents of 2 seconds take beside the time that its limits allow at best.

Run: ``python benchmarks/limited.py [--agents 60] [--seconds 2] [--places 8] [--per-minute 1200] [--rounds 3]``. A local
server keeps limits like the cloud's, sixty times faster: 1,200 calls a minute for each class of calls, in buckets that
hold 20, and so many agents at work. The engine talks to it as to the cloud, knows nothing of its limits, and may have all
tasks running. The bound is the larger of agents / calls a second and agents x seconds / places; measured is from the
first launch to the last handoff.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import datetime
from pathlib import Path

from orchestrate.api import run_plan
from orchestrate.server.discovery import Endpoint, answers, read_server_file
from orchestrate.system import run_event_loop

#: Nobody listens there, and nobody has to: these agents clone nothing.
REPOSITORY = "https://git.example.invalid/team/shop.git"
CLASSES = ("create", "follow-up", "cancel", "get", "stream", "list", "archive")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--places", type=int, default=8)
    parser.add_argument("--per-minute", type=float, default=1200.0)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    ratios = [one_round(arguments) for _ in range(arguments.rounds)]
    print(f"measured / bound: median {statistics.median(ratios):.2f} of {ratios}")


def one_round(arguments: argparse.Namespace) -> float:
    """The ratio of one run, told on the way."""
    limit = {"perMinute": arguments.per_minute, "burst": 20}
    faults = {"limits": dict.fromkeys(CLASSES, limit), "capacity": {"agents": arguments.places}}
    bound = max(arguments.agents * 60 / arguments.per_minute, arguments.agents * arguments.seconds / arguments.places)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = write_plan(folder, arguments)
        environment = {**os.environ, "ORCHESTRATE_SERVER_FAULTS": json.dumps(faults)}
        command = [
            sys.executable,
            "-m",
            "orchestrate.server",
            "--state-dir",
            str(folder / "server"),
            "--runner",
            "null",
        ]
        server = subprocess.Popen(command, env=environment)
        try:
            endpoint = started(folder / "server")
            os.environ |= {"CURSOR_BACKEND_URL": endpoint.url, "CURSOR_API_KEY": endpoint.token}
            outcome = run_event_loop(lambda: run_plan(plan, runtime="cloud", max_concurrent=arguments.agents))
        finally:
            server.terminate()
            server.wait()
        rows = outcome.rows
        begun = min(moment(row.launch.at) for row in rows)
        took = max(moment(row.finished_at) for row in rows) - begun
        figures = {
            "exit": outcome.exit_code,
            "seconds": round(took, 2),
            "bound": bound,
            "ratio": round(took / bound, 2),
            "failed": sum(row.status != "handed-off" for row in rows),
            "attempts": dict(Counter(row.attempts for row in rows)),
            "answers_429": refusals(folder / "server" / "server.log"),
            "machine_load": round(os.getloadavg()[0], 1),
        }
    print(json.dumps(figures), flush=True)
    return float(figures["ratio"])


def write_plan(folder: Path, arguments: argparse.Namespace) -> Path:
    """Tasks that wait for nothing, each an agent that waits for so long."""
    reply = "## Status\nsuccess\n\n## Branch\n(no branch)\n"
    goal = "null-runner: " + json.dumps({"seconds": arguments.seconds, "reply": reply})
    tasks = [{"name": f"task-{number}", "type": "worker", "scopedGoal": goal} for number in range(arguments.agents)]
    path = folder / "workspace" / "plan.json"
    path.parent.mkdir()
    document = {"goal": "measure", "rootSlug": "limited", "baseBranch": "main", "syncStateToGit": False, "tasks": tasks}
    path.write_text(json.dumps({**document, "repoUrl": REPOSITORY}))
    return path


def started(folder: Path) -> Endpoint:
    """Where the server listens, once it does."""
    for _ in range(600):
        file = read_server_file(folder)
        if file is not None and answers(file):
            return file.endpoint
        time.sleep(0.05)
    sys.exit("the server did not start")


def refusals(log: Path) -> dict[str, int]:
    """How often the server said that it was too much, by class and reason."""
    lines = [json.loads(line) for line in log.read_text().splitlines() if "refused on purpose" in line]
    return dict(Counter(f"{line['call']}, {line['why']}" for line in lines))


def moment(text: str | None) -> float:
    assert text is not None
    return datetime.fromisoformat(text).timestamp()


if __name__ == "__main__":
    main()
