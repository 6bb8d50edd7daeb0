"""Bringing the local server back in the middle of a run.

Agents outlive their server, and a server that is started again has the same address and token and goes on with them. So
a run that finds its server gone starts it again; until then its calls go unanswered, which is nobody's error.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import anyio.to_thread

from orchestrate.errors import OrchestrateError
from orchestrate.ports import Clock
from orchestrate.server.discovery import is_alive, read_server_file
from orchestrate.server.serve import ensure_server

#: How soon a dead server is noticed; a look costs two small reads.
LOOK_SECONDS = 1.0
#: Pause after a start that failed.
_AFTER_FAILURE_SECONDS = 30.0


async def keep_server(
    folder: Path, *, url: str, environment: Mapping[str, str], clock: Clock, tell: Callable[[str], None]
) -> None:
    """Start the server of that folder whenever its process is gone, until cancelled; ``tell`` hears of it."""
    while True:
        await clock.sleep(LOOK_SECONDS)
        if _is_there(folder):
            continue
        start = partial(ensure_server, folder, environment=environment)
        try:
            endpoint = await anyio.to_thread.run_sync(start, abandon_on_cancel=True)
        except (OrchestrateError, OSError) as error:
            tell(f"the local server is gone and could not be started again: {error}; agents go on.")
            await clock.sleep(_AFTER_FAILURE_SECONDS)
            continue
        tell("the local server was gone; it was started again, agents went on meanwhile.")
        if endpoint.url != url:
            tell(f"it listens at {endpoint.url} now, not at {url}; leave with Ctrl-C and type the same command again.")
            return


def _is_there(folder: Path) -> bool:
    """Whether the process of the server lives; one that is slow to answer is left alone."""
    server = read_server_file(folder)
    return server is not None and is_alive(server)
