"""The tombstone in a workspace, as verbs meet it: whoever killed a run is asked for before it goes on."""

from contextlib import suppress
from pathlib import Path

from orchestrate.errors import InputRefused, Refused, ServiceError
from orchestrate.model.stops import Stop
from orchestrate.repo.tombstones import GitTombstone
from orchestrate.store.loading import workspace_folder
from orchestrate.store.tombstone import read_stop, remove_stop


def require_not_stopped(folder: Path, *, plan: str) -> None:
    """Refuse to run a plan that somebody stopped for good."""
    stop = read_stop(workspace_folder(folder))
    if stop is not None:
        raise _refusal(told(stop), plan)


async def require_not_stopped_elsewhere(tombstone: GitTombstone, *, plan: str) -> None:
    """The same for a kill from another machine; a remote that cannot be asked stops nobody."""
    with suppress(ServiceError):
        stop = await tombstone.look()
        if stop is not None:
            raise _refusal(f"{told(stop)}, from elsewhere ({tombstone.ref})", plan)


async def revived_elsewhere(tombstone: GitTombstone) -> str | None:
    """Take that tombstone away too; Refused where it stays there, for the engine would obey it."""
    try:
        stop = await tombstone.remove()
    except ServiceError as error:
        raise Refused(
            f"the tombstone on {tombstone.ref} could not be taken away: {error.message}",
            code="still_stopped",
            hint="check the git credentials of this machine",
        ) from error
    return None if stop is None else f"{told(stop)}, from elsewhere ({tombstone.ref}); it goes on now"


def revived(folder: Path) -> str | None:
    """Take the tombstone away; in words whose it was, None if there was none."""
    place = workspace_folder(folder)
    stop = read_stop(place)
    if stop is None:
        return None
    remove_stop(place)
    return f"{told(stop)}; it goes on now"


def _refusal(words: str, plan: str) -> InputRefused:
    return InputRefused(
        f"{words}. Nothing was launched.",
        hint=f"orchestrate run {plan} --revive goes on with what waits; orchestrate respawn {plan} TASK tries one anew",
    )


def told(stop: Stop) -> str:
    """Who stopped it, and when."""
    when = f" at {stop.at}" if stop.at else ""
    return f"{stop.by} stopped this run{when}"
