"""Writing to a stream that may be gone, full, or stopped: nothing of that is the run's concern."""

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

    def write(self, text: str) -> None:
        """Write and flush; a reader that went away is no fault."""
        if not text:
            return
        with suppress(OSError, ValueError):
            self._stream.write(text.encode(self._encoding, "replace").decode(self._encoding))
            self._stream.flush()

    async def write_beside(self, text: str) -> None:
        """The same from a thread: a stopped terminal keeps only that thread waiting."""
        await anyio.to_thread.run_sync(self.write, text, limiter=self._thread, abandon_on_cancel=True)
