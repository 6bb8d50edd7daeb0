"""A row as it stands in files, and back. Field names on disk are camelCase and live here only.

A row is encoded once: the same bytes go into its journal record and into the snapshot.
"""

from orchestrate.model.dumping import add_extra, dump
from orchestrate.model.fields import Fields, shown
from orchestrate.model.grant_format import decode_share, shares_document
from orchestrate.model.message_format import decode_message, decode_run, queue_document, runs_document
from orchestrate.model.names import AgentId, IdempotencyKey, RunId, TaskName, Timestamp, is_kebab_case
from orchestrate.model.rows import (
    Acceptance,
    Cancel,
    Finding,
    Launch,
    Measured,
    OnRemote,
    PathFinding,
    PathsCheck,
    TaskRow,
    Verdict,
)
from orchestrate.model.usage_format import decode_usage, usage_document
from orchestrate.model.vocabulary import (
    FailureMode,
    FindingKind,
    HandoffStatus,
    LaunchDelay,
    MeasurementOutcome,
    PathRule,
    TaskStatus,
    TaskType,
    Verification,
)


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
    add_extra(document, row.extra)
    return dump(document)


def decode_row(document: object, *, where: str) -> TaskRow:
    """The row of a JSON object; a missing or odd field reads as unknown, but name and status must be sound."""
    fields = Fields(document, where=where)
    name = fields.essential_text("name")
    if not is_kebab_case(name):
        fields.refuse("name", f"{shown(name)} is no task name (lower-case words joined by hyphens)")
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
        head_sha=fields.text("headSha"),
        on_remote=fields.inner("onRemote", _on_remote),
        reported_branch=fields.text("reportedBranch"),
        starting_sha=fields.text("startingSha"),
        findings=fields.inner_list("findings", _row_finding),
        measured=fields.inner_list("measured", _measured),
        self_report=fields.word("selfReport", Verification),
        verdicts=fields.inner_list("verdicts", _verdict),
        ref_from=fields.named("refFrom", TaskName),
        not_before=fields.named("notBefore", Timestamp),
        cancel=fields.inner("cancel", _cancel),
        stalled_since=fields.named("stalledSince", Timestamp),
        accepted=fields.inner("accepted", _acceptance),
        paths_check=fields.inner("pathsCheck", _paths_check),
        archived_at=fields.named("archivedAt", Timestamp),
        url=fields.text("url"),
        charges=fields.inner("usage", decode_usage) or (),
        shares=fields.inner_list("shares", decode_share),
        queue=fields.inner_list("queue", decode_message),
        runs=fields.inner_list("runs", decode_run),
        extra=fields.rest(),
    )


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
    if row.accepted is not None:
        document["accepted"] = {"by": row.accepted.by, "at": row.accepted.at}
    if row.paths_check is not None:
        document["pathsCheck"] = _paths_check_document(row.paths_check)
    if row.charges:
        document["usage"] = usage_document(row.charges)
    if row.queue:
        document["queue"] = queue_document(row.queue)
    if row.runs:
        document["runs"] = runs_document(row.runs)
    if row.on_remote is not None:
        document["onRemote"] = _on_remote_document(row.on_remote)
    if row.measured:
        document["measured"] = [_measured_document(measured) for measured in row.measured]
    if row.findings:
        document["findings"] = [{"kind": finding.kind, "message": finding.message} for finding in row.findings]
    ours = (
        ("handoffStatus", row.handoff_status),
        ("shares", shares_document(row.shares) or None),
        ("pushed", row.pushed),
        ("headSha", row.head_sha),
        ("reportedBranch", row.reported_branch),
        ("startingSha", row.starting_sha),
        ("selfReport", row.self_report),
        ("refFrom", row.ref_from),
        ("notBefore", row.not_before),
        ("stalledSince", row.stalled_since),
        ("archivedAt", row.archived_at),
        ("url", row.url),
    )
    document.update((key, value) for key, value in ours if value is not None)


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


def _on_remote_document(seen: OnRemote) -> dict[str, object]:
    if seen.is_there is None:
        return {"at": seen.at, "unknown": seen.unknown or "it was not said why"}
    return {"at": seen.at, "there": seen.is_there}


def _measured_document(measured: Measured) -> dict[str, object]:
    optional = (("sha", measured.sha), ("value", measured.value), ("drift", measured.drift))
    document: dict[str, object] = {"name": measured.name, "outcome": measured.outcome, "at": measured.at}
    document["detail"] = measured.detail
    return {**document, **{key: value for key, value in optional if value is not None}}


def _paths_check_document(check: PathsCheck) -> dict[str, object]:
    if check.unknown is not None:
        return {"at": check.at, "unknown": check.unknown}
    findings = [finding_document(each) for each in check.findings]
    return {"at": check.at, "notKept": findings, "total": check.total}


def finding_document(finding: PathFinding) -> dict[str, object]:
    """A file that was not to be changed, as a JSON object."""
    document: dict[str, object] = {"path": finding.path, "rule": finding.rule}
    return document if finding.pattern is None else {**document, "pattern": finding.pattern}


def _task_type(fields: Fields) -> TaskType:
    """The type; where a foreign row has none it is a worker until the plan says otherwise."""
    return fields.essential_word("type", TaskType) if fields.has("type") else TaskType.WORKER


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


def _on_remote(fields: Fields) -> OnRemote | None:
    at, is_there, unknown = fields.named("at", Timestamp), fields.flag("there"), fields.text("unknown")
    return None if at is None or (is_there is None and unknown is None) else OnRemote(at, is_there, unknown)


def _row_finding(fields: Fields) -> Finding | None:
    kind, message = fields.word("kind", FindingKind), fields.text("message")
    return None if kind is None or message is None else Finding(kind, message)


def _measured(fields: Fields) -> Measured | None:
    name, outcome = fields.text("name"), fields.word("outcome", MeasurementOutcome)
    at, detail, drift = fields.named("at", Timestamp), fields.text("detail"), fields.value("drift")
    if name is None or outcome is None or at is None or detail is None:
        return None
    number = float(drift) if isinstance(drift, int | float) and not isinstance(drift, bool) else None
    return Measured(name, outcome, at, detail, fields.text("sha"), fields.text("value"), number)


def _cancel(fields: Fields) -> Cancel | None:
    by, at = fields.text("by"), fields.named("at", Timestamp)
    return None if by is None or at is None else Cancel(by=by, at=at)


def _acceptance(fields: Fields) -> Acceptance | None:
    by, at = fields.text("by"), fields.named("at", Timestamp)
    return None if by is None or at is None else Acceptance(by=by, at=at)


def _paths_check(fields: Fields) -> PathsCheck | None:
    at, unknown = fields.named("at", Timestamp), fields.text("unknown")
    if at is None:
        return None
    findings = fields.inner_list("notKept", _finding)
    return PathsCheck(at, findings, total=fields.whole_number("total") or len(findings), unknown=unknown)


def _finding(fields: Fields) -> PathFinding | None:
    path, rule = fields.text("path"), fields.word("rule", PathRule)
    return None if path is None or rule is None else PathFinding(path, rule, fields.text("pattern"))
