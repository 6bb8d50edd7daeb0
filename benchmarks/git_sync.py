"""State on git: a run in a user's busy clone, with the state pushed and without, in turn.

Run: ``python benchmarks/git_sync.py [--tasks 170] [--running 100]``. Each task is three transitions or more: intended,
running, handed off. The clone has files that are staged, changed and untracked, and hooks that fail. Prints the dispatch
of both runs in milliseconds, the pushes and the shortest time between two of them (the last one, at the end of the engine,
does not wait), and whether every file and index entry outside the workspace is as it was.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile
from itertools import pairwise
from pathlib import Path

from dispatch import last_upstreams, moments, random_graph
from throughput import make_repository

from orchestrate.api import run_plan
from orchestrate.server.serve import ensure_server, stop_server
from orchestrate.system import run_event_loop

WORKSPACE = ".orchestrate/dispatch"
BRANCH = "orch-state/dispatch"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=170)
    parser.add_argument("--running", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for is_synced in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_STATE_HOME"] = folder
            state = Path(folder) / "orchestrate" / "server"
            ensure_server(state, environment=dict(os.environ))
            try:
                print(json.dumps(measure(Path(folder), arguments, is_synced=is_synced)))
            finally:
                stop_server(state)


def measure(folder: Path, arguments: argparse.Namespace, *, is_synced: bool) -> dict[str, object]:
    """One run, and what became of the clone."""
    remote, clone = folder / "repository.git", folder / "clone"
    make_repository(remote)
    git(remote, "config", "core.logAllRefUpdates", "always")
    subprocess.run(["git", "clone", "-q", str(remote), str(clone)], check=True)
    make_busy(clone)
    tasks = random_graph(arguments.tasks, random.Random(arguments.seed))
    path = write_plan(clone, remote, tasks, running=arguments.running, is_synced=is_synced)
    before = everything_else(clone)
    outcome = run_event_loop(lambda: run_plan(path))
    assert outcome.exit_code == 0, outcome
    began, ended = moments(folder / "orchestrate" / "server" / "server.db")
    times = sorted((began[task] - ended[last]) * 1000 for task, last in last_upstreams(tasks, ended))
    pushes = moments_of_pushes(remote) if is_synced else []
    gaps = [later - earlier for earlier, later in pairwise(pushes)]
    return {
        "synced": is_synced,
        "records": len((path.parent / "journal.jsonl").read_bytes().splitlines()),
        "p50_ms": round(times[len(times) // 2], 1),
        "p99_ms": round(times[int(len(times) * 0.99)], 1),
        "max_ms": round(times[-1], 1),
        "pushes": len(pushes),
        "shortest_gap_s": min(gaps[:-1], default=None),
        "untouched": everything_else(clone) == before,
    }


def make_busy(clone: Path) -> None:
    """Files in every state that a user leaves them in, and hooks that fail."""
    (clone / "staged.txt").write_text("staged\n")
    git(clone, "add", "staged.txt")
    (clone / "staged.txt").write_text("changed after that\n")
    (clone / "untracked.txt").write_text("untracked\n")
    for name in ("pre-commit", "pre-push", "commit-msg", "post-index-change", "reference-transaction"):
        hook = clone / ".git" / "hooks" / name
        hook.write_text("#!/bin/sh\nexit 1\n")
        hook.chmod(0o755)


def write_plan(clone: Path, remote: Path, tasks: list[dict[str, object]], *, running: int, is_synced: bool) -> Path:
    plan = {
        "goal": "measure",
        "rootSlug": "dispatch",
        "baseBranch": "main",
        "repoUrl": str(remote),
        "syncStateToGit": is_synced,
        "runtime": {"kind": "local", "agent": {"name": "null"}},
        "limits": {"maxConcurrent": running},
        "tasks": tasks,
    }
    path = clone / WORKSPACE / "plan.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(plan))
    return path


def everything_else(clone: Path) -> object:
    """Files, index entries and head outside the workspace."""
    files = (each for each in clone.rglob("*") if each.is_file() and ".git" not in each.parts)
    contents = {str(each): each.read_bytes() for each in files if not each.is_relative_to(clone / WORKSPACE)}
    return contents, git(clone, "ls-files", "--stage"), git(clone, "rev-parse", "HEAD")


def moments_of_pushes(remote: Path) -> list[int]:
    """Seconds, oldest first, as the remote has noted them."""
    noted = git(remote, "reflog", "show", "--date=unix", "--format=%gd", f"refs/heads/{BRANCH}")
    return sorted(int(line.partition("{")[2].rstrip("}")) for line in noted.splitlines())


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout


if __name__ == "__main__":
    main()
