import json
import sqlite3

from orchestrate.server.database import AgentFilter, Database
from orchestrate.server.tables import _FIRST_TABLES, SCHEMA_VERSION


def make_first_version(path):
    """A database as the first version left it: one run an agent, an answer without its agent."""
    connection = sqlite3.connect(path)
    connection.executescript(f"{_FIRST_TABLES} PRAGMA user_version = 1;")
    for number, (repo_url, branch) in enumerate([("u", "b"), ("u", None), (None, None)]):
        agent_id, run_id = f"bc-{number}", f"run-{number}"
        connection.execute(
            "INSERT INTO agents VALUES (?, ?, 'null', '2026', ?, ?, ?, '{}')",
            (agent_id, f"/{agent_id}/", run_id, b"{}", b"{}"),
        )
        connection.execute(
            "INSERT INTO runs (id, agent_id, runner, status, created_at, updated_at, branch, repo_url, stdout_bytes,"
            " stderr_bytes, cancel_requested) VALUES (?, ?, 'null', 'FINISHED', '2026', '2026', ?, ?, 0, 0, 0)",
            (run_id, agent_id, branch, repo_url),
        )
        answer = json.dumps({"agent": {"id": agent_id}}).encode()
        connection.execute("INSERT INTO answers VALUES ('owner', ?, ?, ?)", (f"k{number}", b"d", answer))
    connection.commit()
    connection.close()


def test_a_database_of_the_first_version_is_taken_over(tmp_path):
    make_first_version(tmp_path / "server.db")

    database = Database(tmp_path / "server.db")

    agents = database.agents(AgentFilter(), limit=9, before=None)
    assert [(agent.id, agent.branches) for agent in agents] == [
        ("bc-2", ()),
        ("bc-1", ({"repoUrl": "u"},)),
        ("bc-0", ({"repoUrl": "u", "branch": "b"},)),
    ]
    assert database.run("run-0").branches == agents[-1].branches
    database.remove_agent("bc-0")
    assert database.answer(scope="owner", key="k0") is None
    assert database.answer(scope="owner", key="k1") == (b"d", b'{"agent": {"id": "bc-1"}}')
    database.close()


def test_a_database_is_taken_over_once(tmp_path):
    for _ in range(2):
        Database(tmp_path / "server.db").close()

    connection = sqlite3.connect(tmp_path / "server.db")
    assert connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION
    connection.close()
