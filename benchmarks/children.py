"""What the programs about crashes share: a server, plans of the ``null`` runner, and engines in forked processes.

An engine runs in a fork of this program, which has everything imported and no event loop yet: a real process that is
really killed, without half a second of imports each time.
"""

import json
import os
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from orchestrate.api import run_plan
from orchestrate.cloud.client import CloudClient
from orchestrate.model.wire import METADATA_ATTEMPT, METADATA_TASK, METADATA_WORKSPACE
from orchestrate.server.serve import ensure_server, stop_server
from orchestrate.store.workspace import WorkspaceStore
from orchestrate.system import run_event_loop

KILLED = -signal.SIGKILL


@dataclass(frozen=True)
class Bench:
    """A folder with a server of its own and a repository."""

    folder: Path
    url: str
    key: str

    @property
    def repository(self) -> Path:
        """What the plans are about."""
        return self.folder / "repository.git"

    def workspace(self, name: str, tasks: list[dict[str, object]], **fields: object) -> Path:
        """The plan of a new workspace."""
        plan = {
            "goal": "measure",
            "rootSlug": name,
            "baseBranch": "main",
            "repoUrl": str(self.repository),
            "runtime": {"kind": "local", "agent": {"name": "null"}},
            "tasks": tasks,
            **fields,
        }
        path = self.folder / name / "plan.json"
        path.parent.mkdir()
        path.write_text(json.dumps(plan))
        return path

    def agents(self) -> Counter[tuple[str, str, str]]:
        """How many agents the server has for each attempt of each task of each workspace."""

        async def count() -> Counter[tuple[str, str, str]]:
            found: Counter[tuple[str, str, str]] = Counter()
            async with CloudClient(base_url=self.url, api_key=self.key) as client:
                async for agent in client.list_agents(include_archived=True):
                    tags = agent.metadata or {}
                    found[tags[METADATA_WORKSPACE], tags[METADATA_TASK], tags[METADATA_ATTEMPT]] += 1
            return found

        return anyio.run(count)


@contextmanager
def bench() -> Iterator[Bench]:
    """A server for this program alone, ended with it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_STATE_HOME"] = str(folder / "state")
        server = folder / "state" / "orchestrate" / "server"
        _make_repository(folder)
        endpoint = ensure_server(server, environment=dict(os.environ))
        try:
            yield Bench(folder, endpoint.url, endpoint.token)
        finally:
            stop_server(server)


def a_task(name: str, *, seconds: float = 0.0, cents: float | None = None, **fields: object) -> dict[str, object]:
    """A worker whose agent takes so long and reports this cost."""
    orders: dict[str, object] = {"seconds": seconds}
    if cents is not None:
        orders["usage"] = {"cost": {"chargedCents": cents}}
    return {"name": name, "type": "worker", "scopedGoal": f"null-runner: {json.dumps(orders)}", **fields}


def run_engine(path: Path) -> int:
    """What a child does: run the plan to its exit code."""
    return run_event_loop(lambda: run_plan(path)).exit_code


def die_after(record: int) -> None:
    """Have this process killed as soon as that journal record is safe, before anything that follows from it."""
    append = WorkspaceStore.append

    async def append_and_die(self: WorkspaceStore, records: list) -> None:  # type: ignore[type-arg]  # any records
        await append(self, records)
        if records[-1].seq >= record:
            os.kill(os.getpid(), signal.SIGKILL)

    WorkspaceStore.append = append_and_die  # type: ignore[method-assign,assignment]  # in this child only


def fork(work: Callable[[], int], *, stderr: Path | None = None) -> int:
    """Begin this work in a child; answers its pid."""
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        if stderr is not None:
            os.dup2(os.open(stderr, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
        code = work()
    finally:
        os._exit(code)


def end_of(pid: int) -> int:
    """The child's exit code, negative for the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def timed(work: Callable[[], int]) -> tuple[int, float]:
    """The exit code of a child that does this, and how long it took."""
    began = time.perf_counter()
    return end_of(fork(work)), time.perf_counter() - began


def state_of(path: Path) -> dict:  # type: ignore[type-arg]  # a document
    """The workspace's ``state.json``."""
    document: dict = json.loads((path.parent / "state.json").read_bytes())  # type: ignore[type-arg]  # a document
    return document


def journal_of(path: Path) -> list[dict]:  # type: ignore[type-arg]  # documents
    """The records of the workspace's journal that are whole."""
    lines = (path.parent / "journal.jsonl").read_bytes().splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


def _make_repository(folder: Path) -> None:
    git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    subprocess.run([*git, "init", "-q", "-b", "main", str(folder / "work")], check=True)
    subprocess.run([*git, "-C", str(folder / "work"), "commit", "-q", "--allow-empty", "-m", "start"], check=True)
    subprocess.run([*git, "clone", "-q", "--bare", str(folder / "work"), str(folder / "repository.git")], check=True)
