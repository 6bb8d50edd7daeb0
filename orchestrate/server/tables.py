"""The server's tables: how they came to be, and how their rows become records."""

import sqlite3
from typing import Any

import orjson

from orchestrate.model.names import AgentId, RunId, Timestamp
from orchestrate.model.vocabulary import RunStatus
from orchestrate.server.records import AgentRecord, RunRecord

_FIRST_TABLES = """
CREATE TABLE agents (
    id TEXT PRIMARY KEY, lineage TEXT NOT NULL, runner TEXT NOT NULL, created_at TEXT NOT NULL,
    latest_run_id TEXT NOT NULL, profile BLOB NOT NULL, request BLOB NOT NULL, placement BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, agent_id TEXT NOT NULL, runner TEXT NOT NULL,
    status TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, started_at TEXT, duration_ms REAL,
    reply TEXT, error_message TEXT, error_code TEXT, branch TEXT, repo_url TEXT,
    stdout_bytes INTEGER NOT NULL, stderr_bytes INTEGER NOT NULL, cancel_requested INTEGER NOT NULL
);
CREATE INDEX runs_of_agent ON runs (agent_id, number);
CREATE INDEX runs_alive ON runs (number) WHERE status IN ('CREATING', 'RUNNING');
CREATE TABLE answers (
    scope TEXT NOT NULL, key TEXT NOT NULL, digest BLOB NOT NULL, answer BLOB NOT NULL, PRIMARY KEY (scope, key)
) WITHOUT ROWID;
"""
#: Lists of agents, archiving, follow-up runs, usage, and removal; until then an agent had one run.
_FOLLOW_UPS = """
ALTER TABLE agents ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN branches BLOB NOT NULL DEFAULT x'5b5d';
ALTER TABLE agents ADD COLUMN archived_at TEXT;
ALTER TABLE agents ADD COLUMN touched_at TEXT;
ALTER TABLE runs ADD COLUMN request BLOB;
ALTER TABLE runs ADD COLUMN usage BLOB;
ALTER TABLE answers ADD COLUMN agent_id TEXT NOT NULL DEFAULT '';
UPDATE agents SET number = coalesce((SELECT min(number) FROM runs WHERE agent_id = agents.id), 0);
UPDATE agents SET branches = coalesce((
    SELECT json_array(json_patch(json_object('repoUrl', repo_url), json_object('branch', branch)))
    FROM runs WHERE agent_id = agents.id AND repo_url IS NOT NULL ORDER BY number DESC LIMIT 1), x'5b5d');
UPDATE answers SET agent_id = coalesce(json_extract(CAST(answer AS TEXT), '$.agent.id'), '');
CREATE INDEX agents_in_order ON agents (number);
CREATE INDEX answers_of_agent ON answers (agent_id);
"""
_STEPS = (_FIRST_TABLES, _FOLLOW_UPS)

#: How many steps a database of this version has taken.
SCHEMA_VERSION = len(_STEPS)

AGENT_COLUMNS = (
    "id, lineage, runner, created_at, latest_run_id, profile, request, placement, branches, archived_at, touched_at,"
    " number"
)
_RUN_COLUMNS = (
    "id, agent_id, runner, status, created_at, updated_at, started_at, duration_ms, reply, error_message, error_code,"
    " branch, repo_url, stdout_bytes, stderr_bytes, cancel_requested, request, usage, number"
)
#: Every run knows its agent's branches.
SELECT_RUN = f"SELECT {_RUN_COLUMNS}, (SELECT branches FROM agents WHERE id = agent_id) FROM runs"  # noqa: S608  ours
INSERT_RUN = f"INSERT INTO runs ({_RUN_COLUMNS}) VALUES (?{', ?' * 17}, NULL)"  # noqa: S608  column names of ours
UPDATE_RUN = (
    "UPDATE runs SET status = ?, updated_at = ?, started_at = ?, duration_ms = ?, reply = ?, error_message = ?,"
    " error_code = ?, branch = ?, repo_url = ?, stdout_bytes = ?, stderr_bytes = ?, cancel_requested = ?, usage = ?"
    " WHERE id = ?"
)
ALIVE = "status IN ('CREATING', 'RUNNING')"


def migrate(connection: sqlite3.Connection, *, version: int) -> None:
    """Take the steps that are missing, each whole or not at all."""
    for number, step in enumerate(_STEPS[version:], start=version + 1):
        connection.executescript(f"BEGIN IMMEDIATE; {step} PRAGMA user_version = {number}; COMMIT;")


def agent_values(agent: AgentRecord) -> tuple[object, ...]:
    """What is inserted of an agent; its number is drawn then."""
    return (
        agent.id,
        agent.lineage,
        agent.runner,
        agent.created_at,
        agent.latest_run_id,
        orjson.dumps(agent.profile),
        agent.request,
        orjson.dumps(agent.placement),
        orjson.dumps(agent.branches),
        agent.archived_at,
        agent.touched_at,
    )


def agent_of(row: Any) -> AgentRecord:
    """The record of a row of AGENT_COLUMNS."""
    return AgentRecord(
        id=AgentId(row[0]),
        lineage=row[1],
        runner=row[2],
        created_at=Timestamp(row[3]),
        latest_run_id=RunId(row[4]),
        profile=orjson.loads(row[5]),
        request=row[6],
        placement=orjson.loads(row[7]),
        branches=tuple(orjson.loads(row[8])),
        archived_at=row[9],
        touched_at=row[10],
        number=row[11],
    )


def run_values(run: RunRecord) -> tuple[object, ...]:
    """What is inserted of a run; its number is drawn then."""
    return (
        run.id,
        run.agent_id,
        run.runner,
        run.status.value,
        run.created_at,
        run.updated_at,
        *_changing_values(run),
        run.request,
        _packed(run.usage),
    )


def changed_run_values(run: RunRecord) -> tuple[object, ...]:
    """What UPDATE_RUN replaces."""
    return (run.status.value, run.updated_at, *_changing_values(run), _packed(run.usage), run.id)


def run_of(row: Any) -> RunRecord:
    """The record of a row of SELECT_RUN."""
    return RunRecord(
        id=RunId(row[0]),
        agent_id=AgentId(row[1]),
        runner=row[2],
        status=RunStatus(row[3]),
        created_at=Timestamp(row[4]),
        updated_at=Timestamp(row[5]),
        started_at=row[6],
        duration_ms=row[7],
        reply=row[8],
        error_message=row[9],
        error_code=row[10],
        branch=row[11],
        repo_url=row[12],
        stdout_bytes=row[13],
        stderr_bytes=row[14],
        cancel_requested=bool(row[15]),
        request=row[16],
        usage=orjson.loads(row[17]) if row[17] is not None else None,
        number=row[18],
        branches=tuple(orjson.loads(row[19])) if row[19] is not None else (),
    )


def _changing_values(run: RunRecord) -> tuple[object, ...]:
    return (
        run.started_at,
        run.duration_ms,
        run.reply,
        run.error_message,
        run.error_code,
        run.branch,
        run.repo_url,
        run.stdout_bytes,
        run.stderr_bytes,
        int(run.cancel_requested),
    )


def _packed(value: object) -> bytes | None:
    return None if value is None else orjson.dumps(value)
