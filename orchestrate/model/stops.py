"""``stop.json``: the tombstone of a kill. While it is there nothing is launched in its workspace, by any engine."""

from dataclasses import dataclass
from enum import StrEnum

import orjson

from orchestrate.model.dumping import dump
from orchestrate.model.fields import Fields
from orchestrate.model.names import Timestamp, WorkspaceId

#: Whoever made a file that says nothing.
_SOMEBODY = "somebody"
_LONGEST_NAME = 200
_NO_ID = "unnamed"


class StopScope(StrEnum):
    """How far a kill reaches."""

    #: This workspace and every agent below it.
    TREE = "tree"
    #: This workspace's own agents only.
    WORKSPACE = "workspace"


@dataclass(frozen=True, slots=True)
class Stop:
    """Who stopped the workspace, when, and how far that reaches."""

    id: str
    by: str
    at: Timestamp
    scope: StopScope = StopScope.TREE
    #: The workspace that is meant, where the file is read beside those of others; None for whichever is there.
    workspace: WorkspaceId | None = None

    def is_for(self, workspace: WorkspaceId) -> bool:
        """True unless another workspace is meant."""
        return self.workspace in (None, workspace)


def encode_stop(stop: Stop) -> bytes:
    """The file's content."""
    document = {"id": stop.id, "by": stop.by, "at": stop.at, "scope": stop.scope}
    return dump(document if stop.workspace is None else {**document, "workspaceId": stop.workspace}) + b"\n"


def decode_stop(data: bytes) -> Stop:
    """What the file says. That it is there is enough to stop, so what cannot be read is left open, never refused."""
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError:
        document = None
    fields = Fields(document if isinstance(document, dict) else {}, where="stop.json")
    return Stop(
        id=(fields.text("id") or _NO_ID)[:_LONGEST_NAME],
        by=(fields.text("by") or _SOMEBODY)[:_LONGEST_NAME],
        at=fields.named("at", Timestamp) or Timestamp(""),
        scope=fields.word("scope", StopScope) or StopScope.TREE,
        workspace=fields.named("workspaceId", WorkspaceId),
    )
