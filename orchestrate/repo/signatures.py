"""Who a published state is from: lines at the end of its commit's message."""

import re
from dataclasses import dataclass

SUBJECT = "orchestrate: state of "
_LINE = re.compile(r"^Orchestrate-(Workspace|Engine|Started): (\S{1,100})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Signature:
    """An engine of a workspace."""

    workspace: str
    engine: str
    #: When it took the workspace.
    started: str

    def message(self, slug: str) -> str:
        """The message of a commit with a state of this engine."""
        return (
            f"{SUBJECT}{slug}\n\nOrchestrate-Workspace: {self.workspace}\n"
            f"Orchestrate-Engine: {self.engine}\nOrchestrate-Started: {self.started}\n"
        )

    def is_older_than(self, other: "Signature | None") -> bool:
        """True if the other is an engine that took the same workspace later."""
        if other is None or other.workspace != self.workspace or other.engine == self.engine:
            return False
        return other.started > self.started


def signature_in(message: str) -> Signature | None:
    """Whose state a commit has; None for a commit of somebody else."""
    found = dict(_LINE.findall(message))
    if len(found) != 3:  # noqa: PLR2004  the three lines that every one of ours has
        return None
    return Signature(found["Workspace"], found["Engine"], found["Started"])
