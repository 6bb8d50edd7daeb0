"""Rows and journal records as they stand in files, and back.

Field names on disk are camelCase and live here only. A row is encoded once: the same bytes go into its journal
record and into the snapshot.
"""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.fields import Fields
from orchestrate.model.names import (
    AgentId,
    EngineId,
    IdempotencyKey,
    RunId,
    TaskName,
    Timestamp,
    WorkspaceId,
    is_kebab_case,
)
from orchestrate.model.rows import Andon, Attention, Cancel, Launch, TaskRow, Verdict, Workspace
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, LaunchDelay, TaskStatus, TaskType, Verification


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the journal: what happened, and what is true since then."""

    #: Rises by one from record to record.
    seq: int
    #: The engine that wrote it.
    engine: EngineId
    at: Timestamp
    #: For people and for the story; replay never looks at it.
    event: Mapping[str, object]
    #: Whole rows as they are from now on.
    rows: tuple[TaskRow, ...] = ()
    workspace: Workspace | None = None
    attention: tuple[Attention, ...] = ()


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of its workspace; a state of another tool has no ``workspace_id``."""

    workspace_id: WorkspaceId | None
    root_slug: str
    andon: Andon | None
    slack_kickoff_ref: Mapping[str, object] | None
    extra: Mapping[str, object]

    def named(self, workspace_id: WorkspaceId) -> Workspace:
        """The workspace under this id."""
        return Workspace(workspace_id, self.root_slug, self.andon, self.slack_kickoff_ref, self.extra)


def dump(document: object) -> bytes:
    """JSON in one line; a lone surrogate becomes a question mark instead of an error."""
    try:
        return orjson.dumps(document)
    except TypeError:
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        return text.encode(errors="replace")


def encode_row(row: TaskRow) -> bytes:
    """One row as a JSON object: every field of the format, ours where set, foreign ones as they came."""
    document: dict[str, object] = {
        "name": row.name,
        "type": row.type,
        "branch": row.branch,
        "startingRef": row.starting_ref,
        "dependsOn": row.depends_on,
        "agentId": row.agent_id,
        "runId": row.run_id,
        "parentAgentId": row.parent_agent_id,
        "status": row.status,
        "resultStatus": row.result_status,
        "handoffPath": row.handoff_path,
        "startedAt": row.started_at,
        "finishedAt": row.finished_at,
        "lastUpdate": row.last_update,
        "note": row.note,
        "attempts": row.attempts,
        "slackTs": row.slack_ts,
        "prNumber": row.pr_number,
        "failureMode": row.failure_mode,
        "verification": row.verification,
    }
    _add_ours(document, row)
    _add_extra(document, row.extra)
    return dump(document)


def decode_row(document: object, *, where: str) -> TaskRow:
    """The row of a JSON object; a missing or odd field reads as unknown, but name and status must be sound."""
    fields = Fields(document, where=where)
    name = fields.essential_text("name")
    if not is_kebab_case(name):
        fields.refuse("name", f'"{name}" is no task name (lower-case words joined by hyphens)')
    fields.drop("trackerRef")
    return TaskRow(
        name=TaskName(name),
        type=_task_type(fields),
        status=fields.essential_word("status", TaskStatus),
        branch=fields.text("branch") or "",
        starting_ref=fields.text("startingRef") or "",
        depends_on=fields.names("dependsOn", TaskName),
        agent_id=fields.named("agentId", AgentId),
        run_id=fields.named("runId", RunId),
        parent_agent_id=fields.named("parentAgentId", AgentId),
        result_status=fields.text("resultStatus"),
        handoff_path=fields.text("handoffPath"),
        started_at=fields.named("startedAt", Timestamp),
        finished_at=fields.named("finishedAt", Timestamp),
        last_update=fields.named("lastUpdate", Timestamp),
        note=fields.text("note"),
        attempts=fields.whole_number("attempts") or 0,
        slack_ts=fields.text("slackTs"),
        pr_number=fields.whole_number("prNumber"),
        failure_mode=fields.word("failureMode", FailureMode),
        verification=fields.word("verification", Verification),
        launch=fields.inner("launch", _launch),
        handoff_status=fields.word("handoffStatus", HandoffStatus),
        pushed=fields.flag("pushed"),
        self_report=fields.word("selfReport", Verification),
        verdicts=fields.inner_list("verdicts", _verdict),
        ref_from=fields.named("refFrom", TaskName),
        not_before=fields.named("notBefore", Timestamp),
        cancel=fields.inner("cancel", _cancel),
        stalled_since=fields.named("stalledSince", Timestamp),
        url=fields.text("url"),
        extra=fields.rest(),
    )


def encode_record(record: Record, rows: Sequence[bytes]) -> bytes:
    """The record as one line with its end; ``rows`` are its rows, encoded before."""
    document: dict[str, object] = {
        "seq": record.seq,
        "engine": record.engine,
        "at": record.at,
        "event": orjson.Fragment(dump(dict(record.event))),
        "rows": [orjson.Fragment(row) for row in rows],
    }
    if record.workspace is not None:
        document["workspace"] = orjson.Fragment(dump(workspace_document(record.workspace)))
    if record.attention:
        document["attention"] = [orjson.Fragment(encode_attention(item)) for item in record.attention]
    return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)


def decode_record(line: bytes, *, where: str) -> Record:
    """The record of a line; ``WorkspaceDamaged`` says what is wrong with it."""
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise WorkspaceDamaged(f"{where}: not JSON") from error
    fields = Fields(document, where=where)
    seq, engine, at = fields.essential_number("seq"), fields.essential_text("engine"), fields.essential_text("at")
    rows = fields.essential_list("rows")
    workspace = fields.mapping("workspace")
    return Record(
        seq=seq,
        engine=EngineId(engine),
        at=Timestamp(at),
        event=fields.mapping("event") or {},
        rows=tuple(decode_row(row, where=f"{where} rows[{place}]") for place, row in enumerate(rows)),
        workspace=None if workspace is None else _decode_workspace(workspace, where=f"{where} workspace"),
        attention=decode_attention(fields.value("attention")),
    )


def workspace_id_in(line: bytes) -> WorkspaceId | None:
    """The workspace that a record names, without a look at its rows; None if it names none or is damaged."""
    try:
        workspace = orjson.loads(line)["workspace"]
        return WorkspaceId(str(workspace["workspaceId"]))
    except (ValueError, KeyError, TypeError):
        return None


def workspace_document(workspace: Workspace) -> dict[str, object]:
    """The workspace's own fields, as in ``state.json``."""
    document: dict[str, object] = {"workspaceId": workspace.workspace_id, "rootSlug": workspace.root_slug}
    if workspace.andon is not None:
        document["andon"] = _andon_document(workspace.andon)
    if workspace.slack_kickoff_ref is not None:
        document["slackKickoffRef"] = workspace.slack_kickoff_ref
    _add_extra(document, workspace.extra)
    return document


def decode_header(fields: Fields) -> Header:
    """The workspace's own fields; all that is left in ``fields`` becomes ``extra``."""
    workspace_id = fields.text("workspaceId")
    if workspace_id is not None and not _is_uuid(workspace_id):
        fields.refuse("workspaceId", f'"{workspace_id}" is no UUID')
    return Header(
        workspace_id=None if workspace_id is None else WorkspaceId(workspace_id),
        root_slug=fields.essential_text("rootSlug"),
        andon=fields.inner("andon", _andon),
        slack_kickoff_ref=fields.mapping("slackKickoffRef"),
        extra=fields.rest(),
    )


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


def _task_type(fields: Fields) -> TaskType:
    """The type; where a foreign row has none it is a worker until the plan says otherwise."""
    return fields.essential_word("type", TaskType) if fields.has("type") else TaskType.WORKER


def _add_ours(document: dict[str, object], row: TaskRow) -> None:
    """The optional fields, where they say something."""
    if row.launch is not None:
        document["launch"] = _launch_document(row.launch)
    if row.verdicts:
        document["verdicts"] = [
            {"by": verdict.by, "value": verdict.value, "sha": verdict.sha, "at": verdict.at} for verdict in row.verdicts
        ]
    if row.cancel is not None:
        document["cancel"] = {"by": row.cancel.by, "at": row.cancel.at}
    ours = (
        ("handoffStatus", row.handoff_status),
        ("pushed", row.pushed),
        ("selfReport", row.self_report),
        ("refFrom", row.ref_from),
        ("notBefore", row.not_before),
        ("stalledSince", row.stalled_since),
        ("url", row.url),
    )
    document.update((key, value) for key, value in ours if value is not None)


def _add_extra(document: dict[str, object], extra: Mapping[str, object]) -> None:
    """Foreign fields; a value that we could not read stands under its name until we know a better one."""
    for key, value in extra.items():
        if document.get(key) is None:
            document[key] = value


def _launch_document(launch: Launch) -> dict[str, object]:
    document: dict[str, object] = {
        "agentId": launch.agent_id,
        "idempotencyKey": launch.idempotency_key,
        "attempt": launch.attempt,
        "at": launch.at,
    }
    if launch.note is not None:
        document["note"] = launch.note
    if launch.delays:
        document["delays"] = launch.delays
    if launch.delay is not None:
        document["delay"] = launch.delay
    return document


def _launch(fields: Fields) -> Launch | None:
    agent_id, key = fields.named("agentId", AgentId), fields.named("idempotencyKey", IdempotencyKey)
    attempt, at = fields.whole_number("attempt"), fields.named("at", Timestamp)
    if agent_id is None or key is None or attempt is None or at is None:
        return None
    delays, delay = fields.whole_number("delays") or 0, fields.word("delay", LaunchDelay)
    return Launch(agent_id, key, attempt, at, note=fields.text("note"), delays=delays, delay=delay)


def _verdict(fields: Fields) -> Verdict | None:
    by, at = fields.named("by", TaskName), fields.named("at", Timestamp)
    if by is None or at is None:
        return None
    return Verdict(by=by, value=fields.word("value", Verification), sha=fields.text("sha"), at=at)


def _cancel(fields: Fields) -> Cancel | None:
    by, at = fields.text("by"), fields.named("at", Timestamp)
    return None if by is None or at is None else Cancel(by=by, at=at)


def _andon_document(andon: Andon) -> dict[str, object]:
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


def _decode_workspace(document: Mapping[str, object], *, where: str) -> Workspace:
    fields = Fields(document, where=where)
    header = decode_header(fields)
    if header.workspace_id is None:
        fields.refuse("workspaceId", "missing")
    return header.named(header.workspace_id)


def _is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True
