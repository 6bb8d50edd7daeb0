"""Writing to a stream that may be gone, full, or stopped: nothing of that is the run's concern."""

from collections import deque
from contextlib import suppress
from typing import TextIO

import anyio
import anyio.to_thread


class Writer:
    """Writes text to one stream, in order, and never fails."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._encoding = getattr(stream, "encoding", None) or "utf-8"
        self._thread = anyio.CapacityLimiter(1)
        #: What no thread has begun to write; a caller that was cancelled leaves it to the next write.
        self._waiting: deque[str] = deque()

    def write(self, text: str) -> None:
        """Write and flush; a reader that went away is no fault."""
        self._waiting.append(text)
        self._write_waiting()

    async def write_beside(self, text: str) -> None:
        """The same from a thread: a stopped terminal keeps only that thread waiting."""
        self._waiting.append(text)
        await anyio.to_thread.run_sync(self._write_waiting, limiter=self._thread, abandon_on_cancel=True)

    def _write_waiting(self) -> None:
        while self._waiting:
            with suppress(IndexError, OSError, ValueError):  # IndexError: another thread took it
                text = self._waiting.popleft()
                if text:
                    self._stream.write(text.encode(self._encoding, "replace").decode(self._encoding))
                    self._stream.flush()
