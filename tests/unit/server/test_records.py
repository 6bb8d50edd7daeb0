from dataclasses import replace

from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import Agent, Run
from orchestrate.server.records import AgentRecord, RunRecord, agent_answer, run_answer, with_branch

RUN = RunRecord("run-1", "bc-1", "null", RunStatus.RUNNING, "2026", "2027")
AGENT = AgentRecord("bc-1", "/bc-0/bc-1/", "null", "2026", "run-1", {"name": "x", "metadata": {"a": "b"}}, b"", {})
BRANCHES = ({"repoUrl": "u", "branch": "b"},)


def test_an_agent_is_active_while_its_run_lives():
    ended = replace(RUN, status=RunStatus.FINISHED)

    assert agent_answer(AGENT, latest=RUN)["status"] == "ACTIVE"
    assert agent_answer(AGENT, latest=ended)["status"] == "IDLE"
    assert agent_answer(AGENT, latest=None)["updatedAt"] == "2026"


def test_answers_fit_the_wire_contract():
    agent = Agent.model_validate(agent_answer(AGENT, latest=RUN))
    run = Run.model_validate(run_answer(replace(RUN, branches=BRANCHES, error_message="m"), reply="r"))

    assert (agent.name, agent.metadata, agent.latest_run_id) == ("x", {"a": "b"}, "run-1")
    assert (run.result, run.git.branches[0].branch, run.error.code) == ("r", "b", "unknown")


def test_what_is_not_known_is_left_out():
    assert run_answer(RUN, reply=None).keys() == {"id", "agentId", "status", "createdAt", "updatedAt"}
    assert run_answer(replace(RUN, branches=({"repoUrl": "u"},)), reply=None)["git"] == {
        "branches": ({"repoUrl": "u"},)
    }


def test_the_depth_is_the_number_of_ancestors():
    assert AGENT.depth == 1
    assert replace(AGENT, lineage="/bc-1/").depth == 0


def test_an_archived_agent_is_neither_active_nor_idle_and_was_changed_by_it():
    archived = replace(AGENT, archived_at="2030", touched_at="2030")

    assert agent_answer(archived, latest=RUN)["status"] == "ARCHIVED"
    assert agent_answer(archived, latest=RUN)["updatedAt"] == "2030"
    assert agent_answer(replace(AGENT, touched_at="2026"), latest=RUN)["updatedAt"] == "2027"


def test_branches_gather_with_the_latest_first():
    nothing_pushed = with_branch((), repo_url="u", branch=None)
    first = with_branch(nothing_pushed, repo_url="u", branch="b")
    second = with_branch(first, repo_url="u", branch="c")

    assert with_branch((), repo_url=None, branch=None) == ()
    assert nothing_pushed == ({"repoUrl": "u"},)
    assert first == BRANCHES
    assert second == ({"repoUrl": "u", "branch": "c"}, *BRANCHES)
    assert with_branch(second, repo_url="u", branch=None) == second
    assert with_branch(second, repo_url="u", branch="b") == (*BRANCHES, {"repoUrl": "u", "branch": "c"})
