"""The workspace's own facts and the lines for the operator as they stand in files, and back."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from orchestrate.model.dumping import add_extra, dump
from orchestrate.model.fields import Fields, shown
from orchestrate.model.grant_format import decode_own_grant, own_grant_document
from orchestrate.model.grants import OwnGrant
from orchestrate.model.names import RequestId, Timestamp, WorkspaceId
from orchestrate.model.rows import Andon, Attention, Unpublished, Workspace
from orchestrate.model.usage_format import decode_spent


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of its workspace; a state of another tool has no ``workspace_id``."""

    workspace_id: WorkspaceId | None
    root_slug: str
    andon: Andon | None
    slack_kickoff_ref: Mapping[str, object] | None
    handled_requests: tuple[RequestId, ...]
    spent: float
    unpublished: Unpublished | None
    grant: OwnGrant | None
    extra: Mapping[str, object]

    def named(self, workspace_id: WorkspaceId) -> Workspace:
        """The workspace under this id."""
        return Workspace(
            workspace_id,
            self.root_slug,
            self.andon,
            self.slack_kickoff_ref,
            self.handled_requests,
            self.spent,
            self.unpublished,
            self.grant,
            self.extra,
        )


def workspace_document(workspace: Workspace) -> dict[str, object]:
    """The workspace's own fields, as in ``state.json``."""
    document: dict[str, object] = {"workspaceId": workspace.workspace_id, "rootSlug": workspace.root_slug}
    if workspace.andon is not None:
        document["andon"] = andon_document(workspace.andon)
    if workspace.slack_kickoff_ref is not None:
        document["slackKickoffRef"] = workspace.slack_kickoff_ref
    if workspace.handled_requests:
        document["handledRequests"] = workspace.handled_requests
    if workspace.spent:
        document["spent"] = {"cents": workspace.spent}
    if workspace.unpublished is not None:
        document["unpublished"] = unpublished_document(workspace.unpublished)
    if workspace.grant is not None:
        document["grant"] = own_grant_document(workspace.grant)
    add_extra(document, workspace.extra)
    return document


def decode_header(fields: Fields) -> Header:
    """The workspace's own fields; all that is left in ``fields`` becomes ``extra``."""
    workspace_id = fields.text("workspaceId")
    if workspace_id is not None and not _is_uuid(workspace_id):
        fields.refuse("workspaceId", f"{shown(workspace_id)} is no UUID")
    return Header(
        workspace_id=None if workspace_id is None else WorkspaceId(workspace_id),
        root_slug=fields.essential_text("rootSlug"),
        andon=fields.inner("andon", _andon),
        slack_kickoff_ref=fields.mapping("slackKickoffRef"),
        handled_requests=fields.names("handledRequests", RequestId),
        spent=fields.inner("spent", decode_spent) or 0.0,
        unpublished=fields.inner("unpublished", _unpublished),
        grant=fields.inner("grant", decode_own_grant),
        extra=fields.rest(),
    )


def decode_workspace(document: Mapping[str, object], *, where: str) -> Workspace:
    """The workspace of a record, which always has its id."""
    fields = Fields(document, where=where)
    header = decode_header(fields)
    if header.workspace_id is None:
        fields.refuse("workspaceId", "missing")
    return header.named(header.workspace_id)


def encode_attention(item: Attention) -> bytes:
    """One line for the operator as a JSON object."""
    return dump({"at": item.at, "message": item.message})


def decode_attention(items: object) -> tuple[Attention, ...]:
    """The lines for the operator; what is none is passed over."""
    if not isinstance(items, list):
        return ()
    lines = [{"message": item} if isinstance(item, str) else item for item in items]
    return tuple(
        Attention(at=Timestamp(str(line.get("at") or "")), message=str(line["message"]))
        for line in lines
        if isinstance(line, dict) and "message" in line
    )


def andon_document(andon: Andon) -> dict[str, object]:
    """The andon, as in ``state.json``."""
    document: dict[str, object] = {
        "raisedAt": andon.raised_at,
        "raisedBy": andon.raised_by,
        "reason": andon.reason,
        "cleared": andon.cleared,
        "clearedAt": andon.cleared_at,
        "clearedBy": andon.cleared_by,
        "clearNote": andon.clear_note,
        "lastCheckedAt": andon.last_checked_at,
    }
    return {key: value for key, value in document.items() if value is not None}


def _andon(fields: Fields) -> Andon:
    return Andon(
        raised_at=fields.named("raisedAt", Timestamp),
        raised_by=fields.text("raisedBy"),
        reason=fields.text("reason"),
        cleared=fields.flag("cleared") or False,
        cleared_at=fields.named("clearedAt", Timestamp),
        cleared_by=fields.text("clearedBy"),
        clear_note=fields.text("clearNote"),
        last_checked_at=fields.named("lastCheckedAt", Timestamp),
    )


def unpublished_document(unpublished: Unpublished) -> dict[str, object]:
    """Why others see an old state, as in ``state.json``."""
    return {
        "since": unpublished.since,
        "failures": unpublished.failures,
        "ref": unpublished.ref,
        "reason": unpublished.reason,
    }


def _unpublished(fields: Fields) -> Unpublished:
    return Unpublished(
        since=fields.named("since", Timestamp) or Timestamp(""),
        failures=fields.whole_number("failures") or 0,
        ref=fields.text("ref") or "",
        reason=fields.text("reason") or "",
    )


def _is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True
