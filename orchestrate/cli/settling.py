"""Waiting until tasks have ended, as the workspace's files tell it: whoever cancels wants to know that it is done."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

import anyio.to_thread

from orchestrate.model.names import TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.ports import Clock
from orchestrate.store.loading import read_workspace
from orchestrate.system import SystemClock, run_event_loop

_LOOK_SECONDS = 0.2


def wait_until_over(folder: Path, tasks: Iterable[TaskName], *, timeout_seconds: float) -> Mapping[TaskName, TaskRow]:
    """The rows once none of these tasks runs, or as they are when the time is up."""
    return run_event_loop(partial(over, folder, frozenset(tasks), timeout_seconds=timeout_seconds, clock=SystemClock()))


async def over(
    folder: Path, tasks: frozenset[TaskName], *, timeout_seconds: float, clock: Clock
) -> Mapping[TaskName, TaskRow]:
    """The same, inside an event loop."""
    began_at = clock.monotonic()
    while True:
        rows = (await anyio.to_thread.run_sync(read_workspace, folder)).rows
        is_over = not any(name in rows and rows[name].status == TaskStatus.RUNNING for name in tasks)
        if is_over or clock.monotonic() - began_at >= timeout_seconds:
            return rows
        await clock.sleep(_LOOK_SECONDS)
