"""How long checking a plan takes: ``python benchmarks/plan_check.py``.

Six plans: 10,000 tasks in layers, a chain of 5,000, each also with many faults, a wide plan whose tasks share paths,
and one cycle of 5,000. Each is given as text, so that lines are found too. The claim is two seconds at most.
"""

import json
import sys
import time
from collections.abc import Callable

from orchestrate.errors import PlanRefused
from orchestrate.model.checking import parse_plan

CLAIM_SECONDS = 2.0
_PLAN = {"goal": "g", "rootSlug": "benchmark", "baseBranch": "main", "repoUrl": "https://git.example.org/a/b"}


def layered(count: int) -> list[dict[str, object]]:
    """Layers of 100 tasks, each of which waits for five of the layer before."""
    return [
        _task(index, [f"task-{index - 100 - place}" for place in range(5) if index - 100 - place >= 0])
        for index in range(count)
    ]


def chain(count: int) -> list[dict[str, object]]:
    return [_task(index, [f"task-{index - 1}"] if index else []) for index in range(count)]


def cycle(count: int) -> list[dict[str, object]]:
    return [_task(index, [f"task-{(index - 1) % count}"]) for index in range(count)]


def faulty(tasks: list[dict[str, object]]) -> list[dict[str, object]]:
    """Three faults in every task: an unknown field, a wrong type and an unknown dependency."""
    return [{**task, "depends_on": [], "maxAttempts": "2", "dependsOn": [f"tsk-{task['name']}"]} for task in tasks]


def wide(count: int) -> list[dict[str, object]]:
    return [{**_task(index, []), "pathsAllowed": ["src/**"]} for index in range(count)]


def _task(index: int, dependencies: list[str]) -> dict[str, object]:
    return {
        "name": f"task-{index}",
        "type": "worker",
        "scopedGoal": f"Part {index} does what the issue asks for, and its tests are green. " * 3,
        "pathsAllowed": [f"src/part_{index}/**", f"tests/part_{index}/*.py"],
        "acceptance": ["The suite is green.", "The documentation says what changed."],
        "dependsOn": dependencies,
        "maxAttempts": 2,
    }


def measure(name: str, make: Callable[[], list[dict[str, object]]]) -> bool:
    text = json.dumps({**_PLAN, "tasks": make()}, indent=2)
    started = time.perf_counter()
    try:
        _, found = parse_plan(text)
        outcome = f"good, {len(found)} warnings"
    except PlanRefused as refused:
        outcome = f"{len(refused.faults)} faults"
    seconds = time.perf_counter() - started
    print(f"{name:32} {len(text) / 1e6:6.1f} MB  {seconds:6.2f} s  {outcome}")
    return seconds < CLAIM_SECONDS


def main() -> int:
    kept = [
        measure("10,000 tasks in layers", lambda: layered(10_000)),
        measure("chain of 5,000", lambda: chain(5_000)),
        measure("10,000 tasks, 3 faults each", lambda: faulty(layered(10_000))),
        measure("chain of 5,000, 3 faults each", lambda: faulty(chain(5_000))),
        measure("10,000 tasks, the same paths", lambda: wide(10_000)),
        measure("cycle of 5,000", lambda: cycle(5_000)),
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
