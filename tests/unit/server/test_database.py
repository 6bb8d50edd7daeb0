from dataclasses import replace

import pytest

from orchestrate.model.vocabulary import RunStatus
from orchestrate.server.database import Database, count_alive_runs
from orchestrate.server.records import AgentRecord, RunRecord

AGENT = AgentRecord("bc-1", "/bc-1/", "null", "2026", "run-1", {"name": "x"}, b"{}", {"start": "sha"})
RUN = RunRecord("run-1", "bc-1", "null", RunStatus.CREATING, "2026", "2026")


@pytest.fixture
def database(tmp_path):
    database = Database(tmp_path / "server.db")
    yield database
    database.close()


def test_records_are_read_as_they_were_written(database):
    database.add_agent(AGENT)
    database.add_run(RUN)

    assert database.agent("bc-1") == AGENT
    assert database.lineage("bc-1") == "/bc-1/"
    assert database.has_agent("bc-1")
    assert database.run("run-1") == replace(RUN, number=1)


def test_what_is_not_there_is_none(database):
    assert database.agent("bc-1") is None
    assert database.run("run-1") is None
    assert database.lineage("bc-1") is None
    assert not database.has_agent("bc-1")
    assert database.answer(scope="owner", key="k") is None


def test_a_run_is_replaced_as_a_whole(database):
    database.add_run(RUN)
    ended = replace(
        RUN,
        number=1,
        status=RunStatus.ERROR,
        started_at="s",
        duration_ms=1.5,
        reply="r",
        error_message="m",
        error_code="c",
        branch="b",
        repo_url="u",
        stdout_bytes=1,
        stderr_bytes=2,
        cancel_requested=True,
    )

    database.update_run(ended)

    assert database.run("run-1") == ended


def test_runs_of_an_agent_come_newest_first_and_in_pages(database):
    for number in range(5):
        database.add_run(replace(RUN, id=f"run-{number}"))

    assert [run.id for run in database.runs_of("bc-1", limit=2, before=None)] == ["run-4", "run-3"]
    assert [run.id for run in database.runs_of("bc-1", limit=9, before=3)] == ["run-1", "run-0"]
    assert database.runs_of("bc-2", limit=9, before=None) == []


def test_living_runs_are_found_and_counted_from_outside(database, tmp_path):
    database.add_run(RUN)
    database.add_run(replace(RUN, id="run-2", status=RunStatus.FINISHED))

    assert [run.id for run in database.alive_runs()] == ["run-1"]
    assert count_alive_runs(tmp_path / "server.db") == 1


def test_a_transaction_is_all_or_nothing(database):
    def fail():
        with database.transaction():
            database.add_run(RUN)
            database.add_run(RUN)

    with pytest.raises(Exception, match="UNIQUE"):
        fail()
    assert database.run("run-1") is None


def test_answers_are_kept_by_caller_and_key(database):
    database.add_answer(scope="owner", key="k", digest=b"d", answer=b"a")

    assert database.answer(scope="owner", key="k") == (b"d", b"a")
    assert database.answer(scope="bc-1", key="k") is None


def test_records_outlive_the_connection(tmp_path):
    first = Database(tmp_path / "server.db")
    first.add_agent(AGENT)
    first.checkpoint()
    first.close()

    second = Database(tmp_path / "server.db")
    assert second.agent("bc-1") == AGENT
    second.close()
