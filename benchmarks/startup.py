"""How much the quick verbs cost: user and system CPU of ``--help`` and ``status`` beside that of ``python -c pass``.

Run: ``python benchmarks/startup.py [--rounds 15]``. Medians; the programs take turns, after a round that only warms the
file cache. ``status`` is of a finished workspace of 12 tasks. Then what of the heavy modules each verb loads.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from scale import make_workspace, orchestrate
from throughput import make_repository

from orchestrate.server.serve import ensure_server, stop_server

TASKS = 12
#: A verb that only reads or tells needs none of these.
HEAVY = ("networkx", "httpx", "jinja2", "pydantic", "starlette", "uvicorn", "asyncio")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        calls = programs(finished_workspace(Path(folder)))
        times: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(rounds + 1):
            for name, words in calls.items():
                times[name].append(cpu_of(words))
        bare, *more = (statistics.median(each[1:]) * 1000 for each in times.values())
        print(f"python -c pass: {bare:.0f} ms of CPU")
        for (name, words), cpu in zip(list(calls.items())[1:], more, strict=True):
            print(f"{name}: {cpu:.0f} ms of CPU, {cpu - bare:.0f} ms more; heavy modules: {heavy_modules(words)}")


def programs(workspace: Path) -> dict[str, list[str]]:
    """What is measured, the bare interpreter first."""
    return {
        "pass": ["-c", "pass"],
        "--help": ["-m", "orchestrate", "--help"],
        "status": ["-m", "orchestrate", "status", str(workspace)],
    }


def finished_workspace(folder: Path) -> Path:
    """A workspace as a run with the ``null`` runner leaves it."""
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    server = folder / "state" / "orchestrate" / "server"
    make_repository(folder / "repository.git")
    ensure_server(server, environment=dict(os.environ))
    try:
        workspace = make_workspace(folder, "startup", tasks=TASKS)
        orchestrate("run", workspace)
    finally:
        stop_server(server)
    return workspace


def cpu_of(words: list[str]) -> float:
    """Seconds of user and system CPU of one process."""
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    return usage.ru_utime + usage.ru_stime


def heavy_modules(words: list[str]) -> str:
    """Those of HEAVY that the program loads."""
    command = [sys.executable, "-X", "importtime", *words]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    loaded = {line.rpartition("|")[2].strip() for line in told.splitlines()}
    return ", ".join(name for name in HEAVY if name in loaded) or "none"


if __name__ == "__main__":
    main()
