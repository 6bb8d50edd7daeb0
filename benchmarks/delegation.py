"""One key is one agent: 100 ``delegate`` processes at once with 10 keys, at a local server that loses answers and dies.

Run: ``python benchmarks/delegation.py [--processes 100] [--keys 10]``. Every process is ``python -m orchestrate delegate
--runtime local``, with an agent of the ``null`` runner. The server answers some creates and not others, dies twice after
it has created an agent, and refuses some look-ups. Printed are the codes, and how many agents there are at the end.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from throughput import make_repository

from orchestrate.server.serve import stop_server

FAULTS = {
    "rules": [
        {"call": "create", "do": "crash-after", "skip": 1, "times": 1},
        {"call": "create", "do": "no-answer", "skip": 2, "times": 4},
        {"call": "create", "do": "crash-after", "skip": 7, "times": 1},
        {"call": "get", "path": "/v1/agents/", "do": "refuse", "status": 500, "skip": 1, "times": 4},
    ]
}
#: The agents outlive the measurement, so that no key is free again.
AGENT_SECONDS = 600
PATIENCE_SECONDS = 600


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=100)
    parser.add_argument("--keys", type=int, default=10)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {**os.environ, "XDG_STATE_HOME": name, "ORCHESTRATE_SERVER_FAULTS": json.dumps(FAULTS)}
        environment.pop("CURSOR_API_KEY", None)
        make_repository(folder / "repository.git")
        try:
            return measure(folder, environment, arguments)
        finally:
            stop_server(folder / "orchestrate" / "server")


def measure(folder: Path, environment: dict[str, str], arguments: argparse.Namespace) -> int:
    """Start them all, wait for them all, count; 0 if there is one agent a key and one object a process."""
    began = time.perf_counter()
    processes = [
        start(folder, environment, key=f"key-{number % arguments.keys}") for number in range(arguments.processes)
    ]
    answers = [process.communicate(timeout=PATIENCE_SECONDS) for process in processes]
    seconds = time.perf_counter() - began
    objects = [json.loads(out) for out, _ in answers if out.count("\n") == 1]
    codes = Counter("ok" if told["ok"] else told["error"]["code"] for told in objects)
    keys_echoed = sum("idempotencyKey" in told for told in objects)
    listed = agents(folder, environment)
    live = [entry for entry in listed["agents"] if entry["isLive"]]
    by_key = Counter(entry["idempotencyKey"] for entry in live)
    adopted = sum(bool(told.get("adopted")) for told in objects)
    print(f"{arguments.processes} processes, {arguments.keys} keys: {len(live)} agents, {seconds:.0f} s")
    print(f"objects: {len(objects)}, with their key: {keys_echoed}; answers: {dict(codes)}, {adopted} of them adopted")
    is_sound = len(live) <= arguments.keys and set(by_key.values()) <= {1}
    is_sound = is_sound and len(objects) == keys_echoed == arguments.processes
    print("sound" if is_sound else f"NOT SOUND: {by_key}, {[err for _, err in answers if err][:3]}")
    return 0 if is_sound else 1


def agents(folder: Path, environment: dict[str, str]) -> dict:
    """What there is at the end; the server goes on to refuse some look-ups."""
    for _ in range(10):
        told = json.loads(call(folder, environment, "agents", "--all", "--runtime", "local").communicate()[0])
        if told["ok"]:
            return told
    raise SystemExit(f"the agents cannot be counted: {told['error']}")


def start(folder: Path, environment: dict[str, str], *, key: str) -> subprocess.Popen[str]:
    """One process, not waited for."""
    prompt = f"null-runner: {json.dumps({'seconds': AGENT_SECONDS})}"
    words = ("--repo", str(folder / "repository.git"), "--prompt", prompt, "--idempotency-key", key, "--yes")
    return call(
        folder, environment, "delegate", *words, "--max-active", "1000", "--runtime", "local", "--agent", "null"
    )


def call(folder: Path, environment: dict[str, str], *words: str) -> subprocess.Popen[str]:
    """``orchestrate`` with these words."""
    return subprocess.Popen(
        [sys.executable, "-m", "orchestrate", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
