"""Whatever the service answers, one goal has one planner."""

import json

import pytest

from orchestrate.cli.kickoff_job import KickoffJob
from tests.support.delegations import REPO, Desk, desk, desk_at, offline_desk

__all__ = ["desk", "offline_desk"]

GOAL = 'Dates are read. null-runner: {"seconds": 60}'
#: How our server tells whose token it is.
JOB = KickoffJob(GOAL, REPO, "main", "local owner")


def kick(desk: Desk, *words: str) -> tuple[int, dict]:
    return desk.call("kickoff", GOAL, "--repo", REPO, "--ref", "main", "--json", "--yes", *words)


def put_agent(desk: Desk, number: int, **metadata: str) -> None:
    """An agent that is there under an id of this goal."""
    assert desk.server is not None
    desk.server.create('null-runner: {"seconds": 60}', agentId=JOB.agent_id(number), metadata=metadata)


def test_an_agent_of_that_id_that_works_on_another_goal_is_not_taken(desk):
    put_agent(desk, 1, orchestrateGoal="another")

    code, told = kick(desk)

    assert code == 1
    assert "another goal" in told["error"]["message"]
    assert len(desk.agents) == 1


def test_where_the_service_keeps_no_metadata_the_id_decides(desk):
    put_agent(desk, 1)

    code, told = kick(desk)

    assert (code, told["agentId"], told["adopted"]) == (0, JOB.agent_id(1), True)


def test_an_agent_that_appears_between_look_and_launch_is_adopted(offline_desk, monkeypatch):
    hidden = {
        "rules": [{"call": "get", "do": "refuse", "status": 404, "code": "agent_not_found", "skip": 2, "times": 1}]
    }
    with desk_at(offline_desk, monkeypatch, faults=hidden) as desk:
        put_agent(desk, 1, orchestrateGoal=JOB.digest)

        code, told = kick(desk)

        assert (code, told["agentId"], told["adopted"]) == (0, JOB.agent_id(1), True), json.dumps(told)
        assert len(desk.agents) == 1


@pytest.mark.parametrize("status", [400, 403])
def test_a_refusal_is_told_and_final(offline_desk, monkeypatch, status):
    no = {"rules": [{"call": "create", "do": "refuse", "status": status, "code": "forbidden"}]}
    with desk_at(offline_desk, monkeypatch, faults=no) as desk:
        assert kick(desk)[0] == 1
        assert desk.agents == []
