"""The tombstone in a workspace, as verbs meet it: whoever killed a run is asked for before it goes on."""

from pathlib import Path

from orchestrate.errors import InputRefused
from orchestrate.model.stops import Stop
from orchestrate.store.loading import workspace_folder
from orchestrate.store.tombstone import read_stop, remove_stop


def require_not_stopped(folder: Path, *, plan: str) -> None:
    """Refuse to run a plan that somebody stopped for good."""
    stop = read_stop(workspace_folder(folder))
    if stop is not None:
        raise InputRefused(
            f"{told(stop)}. Nothing was launched.",
            hint=f"orchestrate run {plan} --revive goes on with what waits; orchestrate respawn {plan} TASK tries one anew",
        )


def revived(folder: Path) -> str | None:
    """Take the tombstone away; in words whose it was, None if there was none."""
    place = workspace_folder(folder)
    stop = read_stop(place)
    if stop is None:
        return None
    remove_stop(place)
    return f"{told(stop)}; it goes on now"


def told(stop: Stop) -> str:
    """Who stopped it, and when."""
    when = f" at {stop.at}" if stop.at else ""
    return f"{stop.by} stopped this run{when}"
