from dataclasses import replace

from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import Agent, Run
from orchestrate.server.records import AgentRecord, RunRecord, agent_answer, run_answer

RUN = RunRecord("run-1", "bc-1", "null", RunStatus.RUNNING, "2026", "2027")
AGENT = AgentRecord("bc-1", "/bc-0/bc-1/", "null", "2026", "run-1", {"name": "x", "metadata": {"a": "b"}}, b"", {})


def test_an_agent_is_active_while_its_run_lives():
    ended = replace(RUN, status=RunStatus.FINISHED)

    assert agent_answer(AGENT, latest=RUN)["status"] == "ACTIVE"
    assert agent_answer(AGENT, latest=ended)["status"] == "IDLE"
    assert agent_answer(AGENT, latest=None)["updatedAt"] == "2026"


def test_answers_fit_the_wire_contract():
    agent = Agent.model_validate(agent_answer(AGENT, latest=RUN))
    run = Run.model_validate(run_answer(replace(RUN, repo_url="u", branch="b", error_message="m"), reply="r"))

    assert (agent.name, agent.metadata, agent.latest_run_id) == ("x", {"a": "b"}, "run-1")
    assert (run.result, run.git.branches[0].branch, run.error.code) == ("r", "b", "unknown")


def test_what_is_not_known_is_left_out():
    assert run_answer(RUN, reply=None).keys() == {"id", "agentId", "status", "createdAt", "updatedAt"}
    assert run_answer(replace(RUN, repo_url="u"), reply=None)["git"] == {"branches": [{"repoUrl": "u"}]}


def test_the_depth_is_the_number_of_ancestors():
    assert AGENT.depth == 1
    assert replace(AGENT, lineage="/bc-1/").depth == 0
