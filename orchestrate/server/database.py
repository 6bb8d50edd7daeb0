"""Agents, runs and idempotency keys in SQLite, so that they outlive the server.

Statements are tiny and run on the event loop: a commit in WAL mode with ``synchronous=NORMAL`` is one write without a
sync, and survives the death of the process. Checkpoints do sync; they run in a thread on a connection of their own.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import orjson

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.names import AgentId, RunId, Timestamp
from orchestrate.model.vocabulary import RunStatus
from orchestrate.server.records import AgentRecord, RunRecord

SCHEMA_VERSION = 1

_SCHEMA = """
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
_AGENT = "id, lineage, runner, created_at, latest_run_id, profile, request, placement"
_RUN = (
    "id, agent_id, runner, status, created_at, updated_at, started_at, duration_ms, reply, error_message, error_code,"
    " branch, repo_url, stdout_bytes, stderr_bytes, cancel_requested, number"
)
_ALIVE = "status IN ('CREATING', 'RUNNING')"


class Database:
    """The server's tables; one connection, used by one thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.touch(mode=0o600)
        self._connection = _connect(path)
        self._connection.execute("PRAGMA wal_autocheckpoint=0")
        self._migrate()

    def close(self) -> None:
        """Fold the log into the file and let go of it."""
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    def checkpoint(self) -> None:
        """Fold the log into the file as far as nobody reads it; syncs, so for a worker thread."""
        with closing(_connect(self._path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def add_agent(self, agent: AgentRecord) -> None:
        """Insert a new agent."""
        self._connection.execute(
            f"INSERT INTO agents ({_AGENT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608  column names of ours
            (
                agent.id,
                agent.lineage,
                agent.runner,
                agent.created_at,
                agent.latest_run_id,
                orjson.dumps(agent.profile),
                agent.request,
                orjson.dumps(agent.placement),
            ),
        )

    def agent(self, agent_id: str) -> AgentRecord | None:
        """The agent of that id."""
        row = self._one(f"SELECT {_AGENT} FROM agents WHERE id = ?", agent_id)  # noqa: S608  column names of ours
        return None if row is None else _agent_of(row)

    def has_agent(self, agent_id: str) -> bool:
        """Whether that id is taken."""
        return self._one("SELECT 1 FROM agents WHERE id = ?", agent_id) is not None

    def lineage(self, agent_id: str) -> str | None:
        """The agent's lineage; None without such an agent."""
        row = self._one("SELECT lineage FROM agents WHERE id = ?", agent_id)
        return None if row is None else row[0]

    def add_run(self, run: RunRecord) -> None:
        """Insert a new run; its number is drawn here."""
        self._connection.execute(
            f"INSERT INTO runs ({_RUN}) VALUES (?{', ?' * 15}, NULL)",  # noqa: S608  column names of ours
            _run_values(run),
        )

    def update_run(self, run: RunRecord) -> None:
        """Replace what may change of a run."""
        self._connection.execute(
            "UPDATE runs SET status = ?, updated_at = ?, started_at = ?, duration_ms = ?, reply = ?, error_message = ?,"
            " error_code = ?, branch = ?, repo_url = ?, stdout_bytes = ?, stderr_bytes = ?, cancel_requested = ?"
            " WHERE id = ?",
            (run.status.value, run.updated_at, *_run_values(run)[6:], run.id),
        )

    def run(self, run_id: str) -> RunRecord | None:
        """The run of that id."""
        row = self._one(f"SELECT {_RUN} FROM runs WHERE id = ?", run_id)  # noqa: S608  column names of ours
        return None if row is None else _run_of(row)

    def runs_of(self, agent_id: str, *, limit: int, before: int | None) -> list[RunRecord]:
        """Runs of an agent, newest first, those numbered below ``before``."""
        rows = self._connection.execute(
            f"SELECT {_RUN} FROM runs WHERE agent_id = ? AND number < ?"  # noqa: S608  column names of ours
            " ORDER BY number DESC LIMIT ?",
            (agent_id, before if before is not None else 2**62, limit),
        )
        return [_run_of(row) for row in rows]

    def alive_runs(self) -> list[RunRecord]:
        """Runs that have not ended."""
        sql = f"SELECT {_RUN} FROM runs WHERE {_ALIVE} ORDER BY number"  # noqa: S608  column names of ours
        return [_run_of(row) for row in self._connection.execute(sql)]

    def add_answer(self, *, scope: str, key: str, digest: bytes, answer: bytes) -> None:
        """Keep the answer to a request that carried an idempotency key."""
        self._connection.execute(
            "INSERT INTO answers (scope, key, digest, answer) VALUES (?, ?, ?, ?)", (scope, key, digest, answer)
        )

    def answer(self, *, scope: str, key: str) -> tuple[bytes, bytes] | None:
        """Digest of the request and answer kept under that key."""
        row = self._one("SELECT digest, answer FROM answers WHERE scope = ? AND key = ?", scope, key)
        return None if row is None else (row[0], row[1])

    def _one(self, sql: str, *values: object) -> Any:
        return self._connection.execute(sql, values).fetchone()

    def _migrate(self) -> None:
        version = self._one("PRAGMA user_version")[0]
        if version > SCHEMA_VERSION:
            raise WorkspaceDamaged(
                f"{self._path}: written by a newer version (schema {version}, this one knows {SCHEMA_VERSION})",
                hint="use the newer version, or another state folder",
            )
        if version == 0:
            self._connection.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")


def count_alive_runs(path: Path) -> int:
    """How many runs have not ended, read beside a server that may be writing."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM runs WHERE {_ALIVE}").fetchone()[0])  # noqa: S608  ours


def _connect(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, isolation_level=None, timeout=10, cached_statements=64)
        connection.execute("PRAGMA journal_mode=WAL")
    except sqlite3.DatabaseError as error:
        raise WorkspaceDamaged(f"{path}: {error}", hint="move the file away to start afresh") from error
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _agent_of(row: Any) -> AgentRecord:
    return AgentRecord(
        id=AgentId(row[0]),
        lineage=row[1],
        runner=row[2],
        created_at=Timestamp(row[3]),
        latest_run_id=RunId(row[4]),
        profile=orjson.loads(row[5]),
        request=row[6],
        placement=orjson.loads(row[7]),
    )


def _run_values(run: RunRecord) -> tuple[object, ...]:
    return (
        run.id,
        run.agent_id,
        run.runner,
        run.status.value,
        run.created_at,
        run.updated_at,
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


def _run_of(row: Any) -> RunRecord:
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
        number=row[16],
    )
