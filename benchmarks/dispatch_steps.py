"""The moments between a task's end at the server and the creation of its dependant's run, taken inside the engine.

Used by ``dispatch.py --steps``. The engine is not changed: its methods are wrapped where a step begins or ends.
"""

import functools
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from orchestrate.cloud.stream import FrameReader
from orchestrate.engine.launch import Launcher
from orchestrate.engine.reply import ReplyTaker
from orchestrate.engine.requests import RequestWriter
from orchestrate.engine.watch import Watcher
from orchestrate.store.workspace import WorkspaceStore

#: Steps in their order, each named by what has happened at its end; the first three are of the upstream.
UPSTREAM = ("result frame", "confirmed", "reply saved")
DEPENDANT = ("decided", "rendered", "written", "created")

_watched: ContextVar[str] = ContextVar("watched")


class Moments:
    """When what happened to each task, on the wall clock, which engine and server share."""

    def __init__(self) -> None:
        self._at: defaultdict[str, dict[str, float]] = defaultdict(dict)
        mark, note_row = self._wrap, lambda _self, effect_or_row, *_, **__: _row_of(effect_or_row).name
        mark(Watcher, "_read", task_of=_remember)
        mark(ReplyTaker, "take", task_of=note_row, after="reply saved")
        mark(WorkspaceStore, "save_reply", task_of=lambda _self, task, *_, **__: task, before="confirmed")
        mark(Launcher, "launch", task_of=note_row, before="decided")
        mark(RequestWriter, "render", task_of=note_row, after="rendered")
        mark(WorkspaceStore, "write_request", task_of=lambda _self, task, *_, **__: task, after="written")
        self._mark_result_frames()

    def of(self, task: str) -> Mapping[str, float]:
        """The moments of one task."""
        return self._at[task]

    def _wrap(
        self,
        owner: type,
        name: str,
        *,
        task_of: Callable[..., str],
        before: str | None = None,
        after: str | None = None,
    ) -> None:
        original = getattr(owner, name)

        @functools.wraps(original)
        async def wrapped(*arguments: Any, **options: Any) -> Any:
            task = task_of(*arguments, **options)
            if before is not None:
                self._at[task][before] = time.time()
            try:
                return await original(*arguments, **options)
            finally:
                if after is not None:
                    self._at[task][after] = time.time()

        setattr(owner, name, wrapped)

    def _mark_result_frames(self) -> None:
        original = FrameReader.__anext__

        async def wrapped(reader: FrameReader) -> Any:
            frame = await original(reader)
            if frame.event == "result":
                self._at[_watched.get()]["result frame"] = time.time()
            return frame

        FrameReader.__anext__ = wrapped  # type: ignore[method-assign]


def _row_of(effect_or_row: Any) -> Any:
    """The row of an effect, of a watch, or the row itself."""
    return getattr(effect_or_row, "row", effect_or_row)


def _remember(_watcher: Watcher, watch: Any, *_: Any) -> str:
    _watched.set(watch.row.name)
    return str(watch.row.name)
