"""Work on texts: small ones at once, large ones in a thread, so that the loop never waits for megabytes."""

from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread

#: Texts up to this many characters are worked on at once: a hop to a thread would cost more.
_QUICKLY_DONE = 16_384

_Result = TypeVar("_Result")


async def off_loop_if_large(work: Callable[[], _Result], *, size: int) -> _Result:
    """The work's result; ``size`` is the length of the text that it is about."""
    return work() if size <= _QUICKLY_DONE else await anyio.to_thread.run_sync(work)
