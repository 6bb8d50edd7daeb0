"""The PLAN argument: a file, a folder, or nothing where the current folder leaves no doubt."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from orchestrate.errors import InputRefused
from orchestrate.model.faults import quoted

PLAN = "plan.json"
STATE = "state.json"
#: Where workspaces lie by custom.
CUSTOM = ".orchestrate"
_HINT = "name a plan.json, or the folder that holds it"
#: How many plans a message names.
_NAMED = 8


@dataclass(frozen=True, slots=True)
class PlanLocation:
    """Where the plan and its workspace are, from the folder in which the command was typed."""

    #: May be missing where the verb can do without it.
    path: Path
    #: The workspace.
    folder: Path
    #: PLAN as the reader types it again, quoted for a shell.
    argument: str

    def shown(self, name: str) -> str:
        """The path of one of the workspace's files as the reader can use it."""
        return str(self.folder / name)


def locate(argument: str | None, *, current: Path | None = None, needs_plan: bool = True) -> PlanLocation:
    """The plan that is meant; InputRefused says what is there instead.

    Without ``needs_plan`` a folder with nothing but a ``state.json`` will do.
    """
    base = Path() if current is None else current
    named = "." if argument is None else argument
    _require_sound(named)
    path = base / named
    try:
        if path.is_dir():
            return _in_folder(path, argument=named, needs_plan=needs_plan)
        path.stat()
    except FileNotFoundError as error:
        raise InputRefused(f"{quoted(named)} does not exist.", hint=_HINT) from error
    except OSError as error:
        reason = (error.strerror or "no reason").lower()
        raise InputRefused(f"{quoted(named)} cannot be reached: {reason}.", hint=_HINT) from error
    return PlanLocation(path, path.parent, shlex.quote(named))


def locate_plan(argument: str | None) -> Path:
    """The plan's file alone."""
    return locate(argument).path


def _require_sound(named: str) -> None:
    """A path that the operating system can be asked about."""
    if not named or "\0" in named:
        raise InputRefused("PLAN is empty or holds a NUL.", hint=_HINT)
    if named == "-":
        raise InputRefused("a plan from stdin has no workspace.", hint=_HINT)


def _in_folder(folder: Path, *, argument: str, needs_plan: bool) -> PlanLocation:
    found = [path for path in (folder / PLAN, *_customary(folder)) if path.exists()]
    if not needs_plan and not found and (folder / STATE).exists():
        return PlanLocation(folder / PLAN, folder, shlex.quote(argument))
    if len(found) == 1:
        return PlanLocation(found[0], found[0].parent, shlex.quote(argument))
    place = "this folder" if argument == "." else quoted(argument)
    if not found:
        raise InputRefused(f"there is no plan in {place}.", hint=_HINT)
    if found[0].parent == folder and argument != ".":
        return PlanLocation(found[0], folder, shlex.quote(argument))
    known = [str(path) for path in found[:_NAMED]]
    raise InputRefused(f"{place} holds {len(found)} plans.", known=known, hint="name the one that you mean")


def _customary(folder: Path) -> list[Path]:
    """Plans at their customary place below the folder."""
    return sorted((folder / CUSTOM).glob(f"*/{PLAN}"))
