"""What a transition costs the store, in a plan of 100 tasks and of 10,000: it must not grow with the plan.

    python benchmarks/store.py

Each transition is one record with one changed row, appended durably; snapshots are written as the policy asks while
a clock of our own advances by a millisecond a transition. Times are medians, CPU is that of the process.

Then the files of attempts: a request and a reply a task, from one caller at a time and from 64 at once.
"""

import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio
import orjson

from orchestrate.model.names import AgentId, EngineId, TaskName, Timestamp, WorkspaceId
from orchestrate.model.records import Record
from orchestrate.model.row_format import decode_row, encode_row
from orchestrate.model.rows import TaskRow, Workspace
from orchestrate.model.vocabulary import TaskType
from orchestrate.store.loading import read_workspace
from orchestrate.store.workspace import WorkspaceStore

_Result = TypeVar("_Result")

TRANSITIONS = 4_000
WORKSPACE = Workspace(WorkspaceId("7f1d2c1e-5a0b-4a2f-9d0e-3b1c5a7e9f10"), "bench")
MOMENT = Timestamp("2026-03-04T14:31:36.123Z")


@dataclass(frozen=True)
class Figures:
    """Of one plan size; a transition without its share of the snapshots, and with it."""

    tasks: int
    append_us: float
    append_cpu_us: float
    journal_bytes: float
    snapshots: int
    all_cpu_us: float
    load_ms: float


def row(number: int) -> TaskRow:
    return TaskRow(
        name=TaskName(f"task-{number}"),
        type=TaskType.WORKER,
        branch=f"cursor/task-{number}-77d0",
        starting_ref="main",
        agent_id=AgentId("bc-5b1f8f0a-0d1c-4b8e-9a57-3d8f0a7c2e11"),
        started_at=MOMENT,
        attempts=1,
    )


def record(seq: int, *rows: TaskRow, workspace: Workspace | None = None) -> Record:
    return Record(seq, EngineId("bench"), MOMENT, {"type": "RunEnded", "id": f"e{seq}"}, rows, workspace)


async def measure(path: Path, tasks: int) -> Figures:
    rows = [row(number) for number in range(tasks)]
    store = await WorkspaceStore.open(path, root_slug="bench", engine_id=EngineId("bench"), now=0.0)
    await store.append([record(1, *rows, workspace=WORKSPACE)])
    await store.write_snapshot()
    journal, state = path / "journal.jsonl", path / "state.json"
    before, snapshots, written = journal.stat().st_size, 0, state.stat().st_ino
    append_cpu, walls = 0.0, []
    start_cpu = time.process_time()
    for number in range(TRANSITIONS):
        changed = record(number + 2, replace(rows[number % tasks], attempts=number))
        cpu, wall = time.process_time(), time.perf_counter()
        await store.append([changed])
        append_cpu += time.process_time() - cpu
        walls.append(time.perf_counter() - wall)
        await store.write_snapshot_if_due(number / 1000)
        now_written = state.stat().st_ino
        snapshots, written = snapshots + (now_written != written), now_written
    all_cpu = time.process_time() - start_cpu
    await store.write_snapshot()
    await store.close()
    load = time.perf_counter()
    read_workspace(path)
    return Figures(
        tasks=tasks,
        append_us=statistics.median(walls) * 1e6,
        append_cpu_us=append_cpu / TRANSITIONS * 1e6,
        journal_bytes=(journal.stat().st_size - before) / TRANSITIONS,
        snapshots=snapshots,
        all_cpu_us=all_cpu / TRANSITIONS * 1e6,
        load_ms=(time.perf_counter() - load) * 1e3,
    )


async def measure_attempts(path: Path, *, callers: int, tasks: int = 1_000) -> str:
    """One line about a workspace in which so many callers save requests and replies at once."""
    store = await WorkspaceStore.open(path, root_slug="bench", engine_id=EngineId("bench"), now=0.0)
    names, waits = iter([TaskName(f"task-{number}") for number in range(tasks)]), []

    async def save_on() -> None:
        for name in names:
            began = time.perf_counter()
            await store.write_request(name, 1, b"r" * 4_000)
            middle = time.perf_counter()
            await store.save_reply(name, 1, raw=b"a" * 1_500, handoff=b"h" * 1_700)
            waits.append((middle - began, time.perf_counter() - middle))

    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(callers):
            group.start_soon(save_on)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    await store.close()
    request, reply = (statistics.median(each) * 1e3 for each in zip(*waits, strict=True))
    user, system = (after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime)
    switches = after.ru_nvcsw - before.ru_nvcsw
    return (
        f"{callers:>7} {seconds / tasks * 1e3:>8.2f} ms {request:>8.2f} ms {reply:>8.2f} ms"
        f" {user / tasks * 1e3:>8.2f} ms {system / tasks * 1e3:>8.2f} ms {switches / tasks:>10.1f}"
    )


def measure_rows() -> tuple[float, float]:
    """Microseconds to encode a row, and to decode it."""
    subject = row(7)
    encoded = encode_row(subject)
    document, start = orjson.loads(encoded), time.perf_counter()
    for _ in range(20_000):
        encode_row(subject)
    middle = time.perf_counter()
    for _ in range(20_000):
        decode_row(document, where="row")
    return (middle - start) / 0.02, (time.perf_counter() - middle) / 0.02


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or [100, 10_000]
    encode, decode = measure_rows()
    print(f"a row: encode {encode:.1f} us, decode {decode:.1f} us")
    print(f"{'tasks':>6} {'append':>10} {'its CPU':>10} {'journal':>10} {'snapshots':>10} {'CPU with':>10} {'load':>9}")
    figures = []
    for size in sizes:
        each = in_new_folder(partial(measure, tasks=size))
        figures.append(each)
        print(
            f"{each.tasks:>6} {each.append_us:>7.0f} us {each.append_cpu_us:>7.0f} us {each.journal_bytes:>8.0f} B"
            f" {each.snapshots:>10} {each.all_cpu_us:>7.0f} us {each.load_ms:>6.0f} ms"
        )
    first, last = figures[0], figures[-1]
    print(
        f"ratio of {last.tasks} to {first.tasks} tasks: append {last.append_us / first.append_us:.2f},"
        f" its CPU {last.append_cpu_us / first.append_cpu_us:.2f},"
        f" bytes {last.journal_bytes / first.journal_bytes:.2f}"
    )
    print(f"{'callers':>7} {'a task':>11} {'request':>11} {'reply':>11} {'user':>11} {'system':>11} {'switches':>10}")
    for callers in (1, 64):
        print(in_new_folder(partial(measure_attempts, callers=callers)))


def in_new_folder(measured: Callable[[Path], Awaitable[_Result]]) -> _Result:
    """What was measured in a folder that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(dir=Path.cwd(), prefix=".bench-"))
    try:
        return anyio.run(measured, folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
