"""Measurements: ``python benchmarks/measuring.py [COMMANDS] [FILES]``, 20 commands on a commit of 500 files unless told otherwise.

Printed are the time of all commands on their own clean checkouts, with ``bwrap`` where it works and without it, and how
many claims a second are read and compared. The claim: a command costs its checkout and little more.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio

from orchestrate.model.handoff import MeasurementClaim
from orchestrate.ports import BenchCommand
from orchestrate.repo.bench import RemoteBench
from orchestrate.repo.git import Git
from orchestrate.text.comparing import compared

_GIT = ("git", "-c", "user.name=b", "-c", "user.email=b@example.invalid", "-c", "commit.gpgsign=false")
_COMPARISONS = 20_000


def main() -> None:
    commands, files = (int(word) for word in (*sys.argv[1:3], *("20", "500")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        sha = _repository(Path(folder), files=files)
        anyio.run(_measured, folder, sha, commands, os.environ["PATH"], "with bwrap where it works")
        bare = Path(folder) / "bin"
        bare.mkdir()
        for name in ("git", "bash", "cat", "wc", "env"):
            found = next(path for each in os.environ["PATH"].split(":") if (path := Path(each) / name).exists())
            (bare / name).symlink_to(found)
        anyio.run(_measured, folder, sha, commands, str(bare), "without it")
    started = time.perf_counter()
    claim = MeasurementClaim("size", "1,204 KB", "→", "`1,180 KB`")
    for _ in range(_COMPARISONS):
        compared(name="size", tolerance=0.1, measured="1187 KiB", claim=claim)
    print(f"comparisons: {_COMPARISONS / (time.perf_counter() - started):,.0f} a second")


def _repository(folder: Path, *, files: int) -> str:
    subprocess.run([*_GIT, "init", "-q", "-b", "main", folder / "r"], check=True)
    for number in range(files):
        (folder / "r" / f"file-{number}.txt").write_text("a line of text\n" * 100)
    subprocess.run([*_GIT, "-C", folder / "r", "add", "-A"], check=True)
    subprocess.run([*_GIT, "-C", folder / "r", "commit", "-qm", "b"], check=True)
    return subprocess.check_output([*_GIT, "-C", folder / "r", "rev-parse", "HEAD"], text=True).strip()


async def _measured(folder: str, sha: str, commands: int, path: str, how: str) -> None:
    bench = RemoteBench(Git({"PATH": path}), f"{folder}/r", not_bare=None)
    started = time.perf_counter()
    found = await bench.run(branch="main", sha=sha, commands=[BenchCommand("cat file-1.txt | wc -l")] * commands)
    seconds = time.perf_counter() - started
    good = sum(ran.stdout.strip() == "100" for ran in found)
    print(f"{how}: {good} of {commands} commands in {seconds:.2f} s, {seconds / commands * 1000:.0f} ms each")


if __name__ == "__main__":
    main()
