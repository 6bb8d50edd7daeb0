"""The reply of a run that is finished and has none yet: what the service tells of a run may lag behind its status."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

from orchestrate.errors import ServiceError
from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import Run
from orchestrate.ports import Clock

#: Pauses before each further look, in seconds; after the last one an empty reply is believed.
_PAUSES = (0.5, 1.5, 3.0)


async def with_reply(run: Run, told: Run | None, *, look: Callable[[], Awaitable[Run]], clock: Clock) -> Run:
    """A run that is over, with its reply if there is any: its own, the one the stream told, or what further looks find."""
    if run.status != RunStatus.FINISHED or _speaks(run):
        return run
    if told is not None and _speaks(told):
        return run.model_copy(update={"result": told.result, "git": run.git or told.git})
    for pause in _PAUSES:
        await clock.sleep(pause)
        with suppress(ServiceError):
            again = await look()
            if _speaks(again):
                return again
    return run


def _speaks(run: Run) -> bool:
    return run.status == RunStatus.FINISHED and bool(run.result and run.result.strip())
