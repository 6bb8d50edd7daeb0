"""kill -9 at every journal record of a plan of 30 tasks, and at random instants: nothing twice, nothing lost.

Run: ``python benchmarks/crash.py [--records N] [--instants 200] [--seed 1]``. Each case is a workspace of its own on the
local server: an engine is killed with SIGKILL, right behind a record that is safe or at any instant, and a second one
runs the plan to its end. ``--records N`` takes N of the records, evenly spread; by default all of them. Ends with 1 if
an attempt has two agents, a handoff is missing, or a workspace ends otherwise than one that nobody killed.
"""

import argparse
import os
import random
import signal
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from children import (
    KILLED,
    Bench,
    a_task,
    bench,
    die_after,
    end_of,
    fork,
    journal_of,
    run_engine,
    state_of,
    timed,
)

TASKS = 30
#: What of a row must be the same whether its engine was killed or not.
_SAME = ("name", "status", "branch", "startingRef", "attempts", "handoffStatus", "resultStatus", "verification", "note")


@dataclass
class Findings:
    """What went wrong, and how long each resume took."""

    wrong: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    killed: int = 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, help="how many of the records (all)")
    parser.add_argument("--instants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chosen = random.Random(arguments.seed)
    with bench() as own:
        calm, seconds = calm_run(own)
        wanted, found = final(calm), Findings()
        records = spread(len(journal_of(calm)), arguments.records)
        for number in records:
            die_at_record(own, number, wanted=wanted, found=found)
        for number in range(arguments.instants):
            die_at_instant(own, number, chosen.uniform(0, seconds), wanted=wanted, found=found)
        doubled = {key: count for key, count in own.agents().items() if count > 1}
    found.wrong += [f"{count} agents for {key}" for key, count in doubled.items()]
    report(found, records=len(records), instants=arguments.instants, calm=seconds)
    return 1 if found.wrong else 0


def calm_run(own: Bench) -> tuple[Path, float]:
    """A workspace that nobody disturbs, and how long it takes."""
    path = own.workspace("calm", plan())
    code, seconds = timed(lambda: run_engine(path))
    assert code == 0, f"the calm run ended with {code}"
    return path, seconds


def plan() -> list[dict[str, object]]:
    """Three layers of ten; each task waits for two of the layer before."""
    tasks = []
    for number in range(TASKS):
        layer, place = divmod(number, 10)
        below = [f"t{(layer - 1) * 10 + (place + step) % 10}" for step in (0, 3)] if layer else []
        tasks.append(a_task(f"t{number}", seconds=0.05 * (place % 3), dependsOn=below))
    return tasks


def spread(total: int, wanted: int | None) -> list[int]:
    """So many numbers from 1 to ``total``, evenly spread."""
    if wanted is None or wanted >= total:
        return list(range(1, total + 1))
    return sorted({round(1 + place * (total - 1) / max(1, wanted - 1)) for place in range(wanted)})


def die_at_record(own: Bench, number: int, *, wanted: list[tuple[object, ...]], found: Findings) -> None:
    path = own.workspace(f"record-{number}", plan())

    def live() -> int:
        die_after(number)
        return run_engine(path)

    end = end_of(fork(live))
    if end not in (KILLED, 0):
        found.wrong.append(f"record {number}: the first engine ended with {end}")
    resume(path, f"record {number}", was_killed=end == KILLED, wanted=wanted, found=found)


def die_at_instant(
    own: Bench, number: int, seconds: float, *, wanted: list[tuple[object, ...]], found: Findings
) -> None:
    path = own.workspace(f"instant-{number}", plan())
    pid = fork(lambda: run_engine(path))
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)
    resume(path, f"{seconds:.3f} s", was_killed=end_of(pid) == KILLED, wanted=wanted, found=found)


def resume(path: Path, where: str, *, was_killed: bool, wanted: list[tuple[object, ...]], found: Findings) -> None:
    """The second engine, and what it left."""
    code, seconds = timed(lambda: run_engine(path))
    found.killed += was_killed
    found.seconds.append(seconds)
    if code != 0:
        found.wrong.append(f"{where}: resumed, and ended with {code}")
    elif final(path) != wanted:
        found.wrong.append(f"{where}: another end: {set(final(path)) ^ set(wanted)}")
    lost = [row["name"] for row in state_of(path)["tasks"] if not (path.parent / str(row["handoffPath"])).is_file()]
    found.wrong += [f"{where}: the handoff of {name} is lost" for name in lost]


def final(path: Path) -> list[tuple[object, ...]]:
    """What must be the same in the end; the workspace's own name apart."""
    slug = path.parent.name
    rows = state_of(path)["tasks"]
    return sorted(tuple(str(row.get(name)).replace(slug, "SLUG") for name in _SAME) for row in rows)


def report(found: Findings, *, records: int, instants: int, calm: float) -> None:
    for line in found.wrong[:20]:
        print(line, file=sys.stderr)
    seconds = sorted(found.seconds)
    print(f"{records} records and {instants} instants, {found.killed} engines killed in {TASKS} tasks each")
    print(f"wrong: {len(found.wrong)} (agents twice, handoffs lost, or another end)")
    print(
        f"seconds of a resumed run to its end: median {statistics.median(seconds):.2f},"
        f" longest {seconds[-1]:.2f}; an undisturbed run takes {calm:.2f}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
