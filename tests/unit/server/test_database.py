import resource
from dataclasses import replace

import pytest

from orchestrate.errors import InputRefused, WorkspaceDamaged
from orchestrate.model.vocabulary import RunStatus
from orchestrate.server.database import AgentFilter, Database, KeptAnswer, count_alive_runs
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

    assert database.agent("bc-1") == replace(AGENT, number=1)
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
        usage={"usage": {"inputTokens": 1}},
    )

    database.update_run(ended)

    assert database.run("run-1") == ended


def test_runs_of_an_agent_come_newest_first_and_in_pages(database):
    for number in range(5):
        database.add_run(replace(RUN, id=f"run-{number}"))

    assert [run.id for run in database.runs_of("bc-1", limit=2, before=None)] == ["run-4", "run-3"]
    assert [run.id for run in database.runs_of("bc-1", limit=9, before=3)] == ["run-1", "run-0"]
    assert database.runs_of("bc-2", limit=9, before=None) == []


def add_agents(database, *numbers, **fields):
    for number in numbers:
        agent_id = f"bc-{number}"
        database.add_agent(replace(AGENT, **{"id": agent_id, "lineage": f"/{agent_id}/", **fields}))


def ids(agents):
    return [agent.id for agent in agents]


def test_agents_come_newest_first_and_new_ones_move_no_later_page(database):
    add_agents(database, 0, 1, 2, 3)
    first = database.agents(AgentFilter(), limit=2, before=None)
    add_agents(database, 4)

    assert ids(first) == ["bc-3", "bc-2"]
    assert ids(database.agents(AgentFilter(), limit=9, before=first[-1].number)) == ["bc-1", "bc-0"]


def test_agents_are_found_by_what_is_asked_for(database):
    add_agents(database, 1)
    add_agents(database, 2, lineage="/bc-1/bc-2/", profile={"repos": [{"url": "u", "prUrl": "https://x/pull/1"}]})
    add_agents(database, 3, profile={"repos": [{"url": "v"}]})
    database.mark_archived("bc-3", archived_at="2026", at="2026")

    assert ids(database.agents(AgentFilter(), limit=9, before=None)) == ["bc-2", "bc-1"]
    assert ids(database.agents(AgentFilter(includes_archived=True), limit=9, before=None)) == ["bc-3", "bc-2", "bc-1"]
    assert ids(database.agents(AgentFilter(pr_url="https://x/pull/1"), limit=9, before=None)) == ["bc-2"]
    assert ids(database.agents(AgentFilter(below="bc-2"), limit=9, before=None)) == ["bc-2"]
    assert database.repositories(below=None) == ["u", "v"]
    assert database.repositories(below="bc-1") == ["u"]


def test_archiving_and_its_undoing_are_noted(database):
    add_agents(database, 1)
    database.mark_archived("bc-1", archived_at="2027", at="2027")
    assert (database.agent("bc-1").archived_at, database.agent("bc-1").touched_at) == ("2027", "2027")
    database.mark_archived("bc-1", archived_at=None, at="2028")
    assert (database.agent("bc-1").archived_at, database.agent("bc-1").touched_at) == (None, "2028")


def test_branches_of_an_agent_are_branches_of_each_of_its_runs(database):
    add_agents(database, 1)
    database.add_run(RUN)
    database.add_run(replace(RUN, id="run-2"))
    branches = ({"repoUrl": "u", "branch": "b"},)

    database.set_branches(replace(RUN, branches=branches))
    database.set_latest_run("bc-1", "run-2")

    assert (database.agent("bc-1").branches, database.agent("bc-1").latest_run_id) == (branches, "run-2")
    assert [run.branches for run in database.runs_of("bc-1", limit=9, before=None)] == [branches, branches]


def test_a_removed_agent_leaves_nothing(database):
    for number in (1, 2):
        add_agents(database, number)
        database.add_run(replace(RUN, id=f"run-{number}", agent_id=f"bc-{number}"))
        database.add_answer(KeptAnswer("owner", f"k{number}", digest=b"", answer=b"", agent_id=f"bc-{number}"))

    database.remove_agent("bc-1")

    assert (database.agent("bc-1"), database.run("run-1"), database.answer(scope="owner", key="k1")) == (None,) * 3
    assert database.agent("bc-2")
    assert database.run("run-2")
    assert database.answer(scope="owner", key="k2")


def test_an_agent_rests_once_nothing_has_happened_to_it_for_long(database):
    ended = replace(RUN, status=RunStatus.FINISHED)
    for number, run in enumerate([ended, RUN, replace(ended, updated_at="2030"), ended]):
        add_agents(database, number)
        database.add_run(replace(run, id=f"run-{number}", agent_id=f"bc-{number}"))
    database.mark_archived("bc-3", archived_at="2030", at="2030")

    assert ids(database.resting_agents(since="2029")) == ["bc-0"]
    assert ids(database.resting_agents(since="2026")) == []


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
    database.add_answer(KeptAnswer("owner", "k", digest=b"d", answer=b"a", agent_id="bc-1"))

    assert database.answer(scope="owner", key="k") == (b"d", b"a")
    assert database.answer(scope="bc-1", key="k") is None


def test_records_outlive_the_connection(tmp_path):
    first = Database(tmp_path / "server.db")
    first.add_agent(AGENT)
    first.checkpoint()
    first.close()

    second = Database(tmp_path / "server.db")
    assert second.agent("bc-1") == replace(AGENT, number=1)
    second.close()


def test_a_file_that_is_no_database_is_damage(tmp_path):
    (tmp_path / "server.db").write_bytes(b"something else" * 100)

    with pytest.raises(WorkspaceDamaged, match=r"server\.db: file is not a database"):
        Database(tmp_path / "server.db")


def test_a_database_that_cannot_be_opened_now_is_no_damage(tmp_path):
    (tmp_path / "server.db").mkdir()

    for path in (tmp_path / "server.db", tmp_path / "gone" / "server.db"):
        with pytest.raises(InputRefused, match="cannot be used") as refusal:
            Database(path)
        assert "free some space" in refusal.value.hint


def test_a_full_disk_is_no_damage(tmp_path):
    Database(tmp_path / "server.db").close()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, limits[1]))
    try:
        with pytest.raises(InputRefused, match="cannot be used"):
            Database(tmp_path / "server.db")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    Database(tmp_path / "server.db").close()


def test_a_log_that_cannot_be_folded_in_is_left_for_the_next(tmp_path):
    database = Database(tmp_path / "server.db")
    database.add_agent(AGENT)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, limits[1]))
    try:
        database.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    again = Database(tmp_path / "server.db")
    assert again.has_agent("bc-1")
    again.close()
