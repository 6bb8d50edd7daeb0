"""Rows and records with sound defaults; a test names only what it is about."""

from typing import Any

from orchestrate.model.grants import Grant, Share, Used
from orchestrate.model.messages import FollowUpRun, QueuedMessage
from orchestrate.model.names import (
    AgentId,
    EngineId,
    IdempotencyKey,
    RequestId,
    RunId,
    TaskName,
    Timestamp,
    WorkspaceId,
)
from orchestrate.model.records import Record
from orchestrate.model.rows import (
    Acceptance,
    Attention,
    Cancel,
    Charge,
    Finding,
    Launch,
    Measured,
    OnRemote,
    PathFinding,
    PathsCheck,
    TaskRow,
    Verdict,
    Workspace,
)
from orchestrate.model.vocabulary import (
    FailureMode,
    FindingKind,
    HandoffStatus,
    LaunchDelay,
    MeasurementOutcome,
    MessageDelay,
    PathRule,
    TaskStatus,
    TaskType,
    Verification,
)

MOMENT = Timestamp("2026-03-04T14:31:36.123Z")
NOW = 1772634696.123
ENGINE = EngineId("engine-1")
ROOT_SLUG = "checkout-export"
WORKSPACE = Workspace(WorkspaceId("7f1d2c1e-5a0b-4a2f-9d0e-3b1c5a7e9f10"), ROOT_SLUG)

#: A row in which every field says something.
FULL_ROW = TaskRow(
    name=TaskName("merge-all"),
    type=TaskType.SUBPLANNER,
    branch="cursor/merge-all-77d0",
    starting_ref="cursor/a-1",
    depends_on=(TaskName("a"), TaskName("b")),
    status=TaskStatus.HANDED_OFF,
    agent_id=AgentId("bc-1"),
    run_id=RunId("run-1"),
    parent_agent_id=AgentId("bc-0"),
    result_status="finished",
    handoff_path="handoffs/merge-all.md",
    started_at=MOMENT,
    finished_at=MOMENT,
    last_update=MOMENT,
    note="größer als gedacht",
    attempts=2,
    slack_ts="17.5",
    pr_number=812,
    failure_mode=FailureMode.CAP_HIT,
    verification=Verification.UNIT_TEST_VERIFIED,
    launch=Launch(
        AgentId("bc-1"), IdempotencyKey("k"), 2, MOMENT, note="adopted", delays=3, delay=LaunchDelay.CAPACITY
    ),
    handoff_status=HandoffStatus.PARTIAL,
    pushed=False,
    head_sha="5ea1ab",
    on_remote=OnRemote(MOMENT, is_there=True),
    reported_branch="cursor/other-1",
    starting_sha="0abc",
    findings=(Finding(FindingKind.NOTHING_PUSHED, "it says success but pushed nothing."),),
    measured=(
        Measured("size", MeasurementOutcome.VALUE_MISMATCH, MOMENT, "claimed 1, measured 2", "5ea1ab", "2", 1.0),
        Measured("todos", MeasurementOutcome.NOT_RUN, MOMENT, "there is no bwrap"),
    ),
    self_report=Verification.TYPE_CHECK_ONLY,
    verdicts=(
        Verdict(TaskName("v"), None, None, MOMENT),
        Verdict(TaskName("w"), Verification.NOT_VERIFIED, "abc", MOMENT),
    ),
    ref_from=TaskName("a"),
    not_before=MOMENT,
    cancel=Cancel(by="operator", at=MOMENT),
    stalled_since=MOMENT,
    accepted=Acceptance(by="ana@build-host", at=MOMENT),
    paths_check=PathsCheck(
        MOMENT,
        (PathFinding("docs/a.md", PathRule.FORBIDDEN, "docs/**"), PathFinding("b", PathRule.NOT_ALLOWED)),
        total=3,
    ),
    archived_at=MOMENT,
    url="https://example.com/agents/bc-1",
    queue=(
        QueuedMessage(
            RequestId("11111111-1111-4111-8111-111111111111"),
            IdempotencyKey("key"),
            "0" * 64,
            "ana",
            MOMENT,
            RunId("run-1"),
            RunId("run-2"),
            MOMENT,
            TaskStatus.HANDED_OFF,
            MOMENT,
            MessageDelay.BUSY,
            2,
            3,
            500.0,
        ),
    ),
    runs=(FollowUpRun(RunId("run-2"), RequestId("11111111-1111-4111-8111-111111111111"), 1, MOMENT, RunId("run-1")),),
    shares=(
        Share(1, AgentId("bc-0"), Grant(agents=8, cents=400.0, levels=1, reserve=100.0), Used(3, 120.5)),
        Share(2, AgentId("bc-1"), Grant(agents=8)),
    ),
    charges=(
        Charge(1, AgentId("bc-0"), TaskType.SUBPLANNER, 500.0),
        Charge(2, AgentId("bc-1"), TaskType.SUBPLANNER, 500.0, cents=92.5, tokens=120_000, follow_ups=92.5),
    ),
    extra={"adHoc": True, "lanes": [{"id": 1}]},
)


def row(name: str = "build", **fields: Any) -> TaskRow:
    return TaskRow(
        name=TaskName(name), type=TaskType.WORKER, branch=f"orch/{ROOT_SLUG}/{name}", starting_ref="main", **fields
    )


def record(seq: int, *rows: TaskRow, **fields: Any) -> Record:
    return Record(
        **{"seq": seq, "engine": ENGINE, "at": MOMENT, "event": {"type": "RunEnded", "id": f"e{seq}"}, "rows": rows}
        | fields
    )


def first_record(*rows: TaskRow, **fields: Any) -> Record:
    return record(1, *rows, workspace=WORKSPACE, **fields)


def attention(message: str) -> Attention:
    return Attention(at=MOMENT, message=message)
