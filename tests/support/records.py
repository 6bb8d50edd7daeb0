"""Rows and records with sound defaults; a test names only what it is about."""

from typing import Any

from orchestrate.model.names import EngineId, TaskName, Timestamp, WorkspaceId
from orchestrate.model.records import Record
from orchestrate.model.rows import Attention, TaskRow, Workspace
from orchestrate.model.vocabulary import TaskType

MOMENT = Timestamp("2026-03-04T14:31:36.123Z")
NOW = 1772634696.123
ENGINE = EngineId("engine-1")
ROOT_SLUG = "checkout-export"
WORKSPACE = Workspace(WorkspaceId("7f1d2c1e-5a0b-4a2f-9d0e-3b1c5a7e9f10"), ROOT_SLUG)


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
