"""Agents, runs and idempotency keys in SQLite, so that they outlive the server.

Statements are tiny and run on the event loop: a commit in WAL mode with ``synchronous=NORMAL`` is one write without a
sync, and survives the death of the process. Checkpoints do sync; they run in a thread on a connection of their own.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from orchestrate.errors import InputRefused, WorkspaceDamaged
from orchestrate.model.names import AgentId, RunId, Timestamp
from orchestrate.server.records import AgentRecord, RunRecord
from orchestrate.server.tables import (
    AGENT_COLUMNS,
    ALIVE,
    INSERT_RUN,
    SCHEMA_VERSION,
    SELECT_RUN,
    UPDATE_RUN,
    agent_of,
    agent_values,
    changed_run_values,
    migrate,
    run_of,
    run_values,
)

_NO_CURSOR = 2**62


@dataclass(frozen=True, slots=True)
class AgentFilter:
    """Which agents a list is of."""

    #: Only this agent and its descendants; None for all.
    below: AgentId | None = None
    pr_url: str | None = None
    includes_archived: bool = False


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The answer to a request that carried an idempotency key."""

    scope: str
    key: str
    digest: bytes
    answer: bytes
    #: Whom the request was about; the answer is kept as long as the agent.
    agent_id: AgentId


class Database:
    """The server's tables; one connection, used by one thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.touch(mode=0o600)
            self._connection = _connect(path)
            self._connection.execute("PRAGMA wal_autocheckpoint=0")
            self._migrate()
        except (OSError, sqlite3.OperationalError) as error:
            raise _unusable(path, error) from error

    def close(self) -> None:
        """Fold the log into the file and let go of it; a log that cannot be folded in now is left for the next server."""
        with closing(self._connection), suppress(sqlite3.OperationalError):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

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
        """Insert a new agent; its number is drawn here."""
        self._connection.execute(
            f"INSERT INTO agents ({AGENT_COLUMNS})"  # noqa: S608  column names of ours
            f" VALUES (?{', ?' * 10}, (SELECT coalesce(max(number), 0) + 1 FROM agents))",
            agent_values(agent),
        )

    def agent(self, agent_id: str) -> AgentRecord | None:
        """The agent of that id."""
        row = self._one(f"SELECT {AGENT_COLUMNS} FROM agents WHERE id = ?", agent_id)  # noqa: S608  ours
        return None if row is None else agent_of(row)

    def agents(self, which: AgentFilter, *, limit: int, before: int | None) -> list[AgentRecord]:
        """Agents, newest first, those numbered below ``before``."""
        rows = self._connection.execute(
            f"SELECT {AGENT_COLUMNS} FROM agents WHERE number < ? AND (? OR archived_at IS NULL)"  # noqa: S608  ours
            " AND (?3 IS NULL OR instr(lineage, ?3))"
            " AND (?4 IS NULL OR json_extract(CAST(profile AS TEXT), '$.repos[0].prUrl') = ?4)"
            " ORDER BY number DESC LIMIT ?5",
            (
                before if before is not None else _NO_CURSOR,
                which.includes_archived,
                _step(which.below),
                which.pr_url,
                limit,
            ),
        )
        return [agent_of(row) for row in rows]

    def repositories(self, *, below: AgentId | None) -> list[str]:
        """The repositories that agents were given, in the order of the alphabet."""
        rows = self._connection.execute(
            "SELECT DISTINCT json_extract(CAST(profile AS TEXT), '$.repos[0].url') AS url FROM agents"
            " WHERE url IS NOT NULL AND (?1 IS NULL OR instr(lineage, ?1)) ORDER BY url",
            (_step(below),),
        )
        return [row[0] for row in rows]

    def resting_agents(self, *, since: Timestamp) -> list[AgentRecord]:
        """Agents without a living run that nothing has happened to since then."""
        rows = self._connection.execute(
            f"SELECT {AGENT_COLUMNS} FROM agents WHERE created_at < ?1"  # noqa: S608  column names of ours
            " AND coalesce(touched_at, '') < ?1"
            f" AND NOT EXISTS (SELECT 1 FROM runs WHERE agent_id = agents.id AND ({ALIVE} OR updated_at >= ?1))",
            (since,),
        )
        return [agent_of(row) for row in rows]

    def count_open_agents(self) -> int:
        """How many agents are not archived."""
        count: int = self._one("SELECT count(*) FROM agents WHERE archived_at IS NULL")[0]
        return count

    def mark_archived(self, agent_id: AgentId, *, archived_at: Timestamp | None, at: Timestamp) -> None:
        """Note that the agent was archived, or unarchived where ``archived_at`` is None."""
        self._connection.execute(
            "UPDATE agents SET archived_at = ?, touched_at = ? WHERE id = ?", (archived_at, at, agent_id)
        )

    def set_latest_run(self, agent_id: AgentId, run_id: RunId) -> None:
        """Note which run is the agent's latest."""
        self._connection.execute("UPDATE agents SET latest_run_id = ? WHERE id = ?", (run_id, agent_id))

    def set_branches(self, run: RunRecord) -> None:
        """Note the agent's branches, as its run has them."""
        self._connection.execute(
            "UPDATE agents SET branches = ? WHERE id = ?", (orjson.dumps(run.branches), run.agent_id)
        )

    def remove_agent(self, agent_id: AgentId) -> None:
        """Forget the agent, its runs, and the answers to requests about it."""
        for statement in (
            "DELETE FROM answers WHERE agent_id = ?",
            "DELETE FROM runs WHERE agent_id = ?",
            "DELETE FROM agents WHERE id = ?",
        ):
            self._connection.execute(statement, (agent_id,))

    def has_agent(self, agent_id: str) -> bool:
        """Whether that id is taken."""
        return self._one("SELECT 1 FROM agents WHERE id = ?", agent_id) is not None

    def lineage(self, agent_id: str) -> str | None:
        """The agent's lineage; None without such an agent."""
        row = self._one("SELECT lineage FROM agents WHERE id = ?", agent_id)
        return None if row is None else row[0]

    def add_run(self, run: RunRecord) -> None:
        """Insert a new run; its number is drawn here."""
        self._connection.execute(INSERT_RUN, run_values(run))

    def update_run(self, run: RunRecord) -> None:
        """Replace what may change of a run."""
        self._connection.execute(UPDATE_RUN, changed_run_values(run))

    def run(self, run_id: str) -> RunRecord | None:
        """The run of that id."""
        row = self._one(f"{SELECT_RUN} WHERE id = ?", run_id)
        return None if row is None else run_of(row)

    def runs_of(self, agent_id: str, *, limit: int, before: int | None) -> list[RunRecord]:
        """Runs of an agent, newest first, those numbered below ``before``."""
        rows = self._connection.execute(
            f"{SELECT_RUN} WHERE agent_id = ? AND number < ? ORDER BY number DESC LIMIT ?",
            (agent_id, before if before is not None else _NO_CURSOR, limit),
        )
        return [run_of(row) for row in rows]

    def alive_runs(self) -> list[RunRecord]:
        """Runs that have not ended."""
        return [run_of(row) for row in self._connection.execute(f"{SELECT_RUN} WHERE {ALIVE} ORDER BY number")]

    def add_answer(self, kept: KeptAnswer) -> None:
        """Keep an answer."""
        self._connection.execute(
            "INSERT INTO answers (scope, key, digest, answer, agent_id) VALUES (?, ?, ?, ?, ?)",
            (kept.scope, kept.key, kept.digest, kept.answer, kept.agent_id),
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
        migrate(self._connection, version=version)


def count_alive_runs(path: Path) -> int:
    """How many runs have not ended, read beside a server that may be writing."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM runs WHERE {ALIVE}").fetchone()[0])  # noqa: S608  ours


def _connect(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, isolation_level=None, timeout=10, cached_statements=64)
        connection.execute("PRAGMA journal_mode=WAL")
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        raise WorkspaceDamaged(f"{path}: {error}", hint="move the file away to start afresh") from error
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _unusable(path: Path, error: Exception) -> InputRefused:
    """For a disk that is full, a folder that is gone: the file itself may be whole, and must not be moved away."""
    return InputRefused(f"{path} cannot be used: {error}", hint="free some space and check its rights, then try again")


def _step(agent_id: AgentId | None) -> str | None:
    """The agent as it stands in the lineage of every agent below it, and in its own."""
    return None if agent_id is None else f"/{agent_id}/"
