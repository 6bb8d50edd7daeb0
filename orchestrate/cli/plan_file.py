"""Reading the file of a plan."""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrate.errors import InputRefused
from orchestrate.model.vocabulary import RuntimeKind

if TYPE_CHECKING:
    from orchestrate.model.plan import Plan
    from orchestrate.ports import PlanFile
    from orchestrate.store.plan_file import Examine

#: A plan of 10,000 tasks has some 5 MB; beyond this it is a mistake.
LARGEST_PLAN_BYTES = 256 * 1024 * 1024


_HINT = "name a plan.json, or its folder"


def read_plan_file(path: Path, *, hint: str = _HINT) -> bytes:
    """The bytes of the file; InputRefused for one that cannot be read, or is too large to be a plan."""
    try:
        with os.fdopen(_opened(path), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputRefused(f"{path} cannot be read: it is no file.", hint=hint)
            return sized(file.read(LARGEST_PLAN_BYTES + 1), path)
    except OSError as error:
        reason = (error.strerror or "no reason").lower()
        raise InputRefused(f"{path} cannot be read: {reason}.", hint=hint) from error


def watched_plan_file(
    path: Path, source: bytes, *, plan: "Plan", kind: RuntimeKind, examine: "Examine | None" = None
) -> "PlanFile":
    """The same file for an engine that takes in what changes while it runs; ``plan`` is what it says now."""
    from orchestrate.model.checking import parse_plan
    from orchestrate.store.plan_file import WatchedPlanFile

    is_local = kind is RuntimeKind.LOCAL

    def parse(text: bytes) -> "Plan":
        return parse_plan(text, local=is_local)[0]

    return WatchedPlanFile(path, source, plan=plan, read=read_plan_file, parse=parse, examine=examine)


def sized(source: bytes, path: Path) -> bytes:
    """The same bytes, if they may be a plan."""
    if len(source) > LARGEST_PLAN_BYTES:
        raise InputRefused(f"{path} is larger than {LARGEST_PLAN_BYTES // 2**20} MiB; that is no plan.")
    return source


@dataclass(frozen=True, slots=True)
class PlanPlaces:
    """Where the values of a good plan stand in its file; looked up only when a message needs it."""

    source: bytes = field(repr=False)
    name: str = "plan.json"

    def line_of(self, *location: str | int) -> str:
        """``plan.json:5``."""
        from orchestrate.model.plan_positions import Lines, offsets_of

        text = self.source.decode("utf-8-sig", errors="replace")
        return f"{self.name}:{Lines(text).at(offsets_of(text, [location])[location])}"

    def at(self, *location: str | int) -> str:
        """``plan.json:41 tasks[3].startingRef``."""
        from orchestrate.model.faults import path_of

        return f"{self.line_of(*location)} {path_of(location)}"


def _opened(path: Path) -> int:
    """A descriptor, at once: opening a pipe would wait until somebody writes there."""
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
