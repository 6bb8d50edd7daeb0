"""A service with limits, asked by an engine that knows nothing of them: nothing fails, and no try is counted."""

import json

import pytest

from orchestrate.api import run_plan
from orchestrate.engine.assembly import Pace
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.server.fault_plan import FaultPlan
from tests.support.server import ServerCalls, running_server

REPLY = "## Status\nsuccess\n\n## Branch\n(no branch)\n"


def a_plan_of(folder, count, *, seconds=0.05):
    goal = "null-runner: " + json.dumps({"seconds": seconds, "reply": REPLY})
    tasks = [{"name": f"t-{number}", "type": "worker", "scopedGoal": goal} for number in range(count)]
    document = {
        "goal": "try",
        "rootSlug": "limited",
        "baseBranch": "main",
        "repoUrl": "https://git.example.invalid/team/shop.git",
        "syncStateToGit": False,
        "tasks": tasks,
    }
    path = folder / "workspace" / "plan.json"
    path.parent.mkdir()
    path.write_text(json.dumps(document))
    return path


async def outcome_of(tmp_path, monkeypatch, count, **faults):
    """How a run ended, and the agents that the service has now."""
    plan = FaultPlan.model_validate_json(json.dumps(faults))
    with running_server(tmp_path / "state", faults=plan) as endpoint:
        monkeypatch.setenv("CURSOR_BACKEND_URL", endpoint.url)
        monkeypatch.setenv("CURSOR_API_KEY", endpoint.token)
        outcome = await run_plan(a_plan_of(tmp_path, count), runtime="cloud", max_concurrent=count)
        with ServerCalls(endpoint) as calls:
            agents = calls.agents(limit=100, includeArchived="true")["items"]
    return outcome, agents


def assert_all_done(outcome, agents, count):
    assert outcome.exit_code == 0
    assert {(row.status, row.attempts, row.note) for row in outcome.rows} == {(TaskStatus.HANDED_OFF, 1, None)}
    assert len(agents) == count


async def test_limits_of_calls_and_of_agents_cost_no_try(tmp_path, monkeypatch):
    limit = {"perMinute": 3000, "burst": 5, "retryAfter": "none"}
    classes = ("create", "get", "stream", "list", "archive")
    outcome, agents = await outcome_of(
        tmp_path, monkeypatch, 16, limits=dict.fromkeys(classes, limit), capacity={"agents": 4}
    )
    assert_all_done(outcome, agents, 16)


async def test_where_agents_count_until_they_are_archived_the_finished_ones_are(tmp_path, monkeypatch):
    outcome, agents = await outcome_of(tmp_path, monkeypatch, 6, capacity={"agents": 2, "untilArchived": True})
    assert_all_done(outcome, agents, 6)
    archived = {row.agent_id for row in outcome.rows if row.archived_at is not None}
    assert archived == {agent["id"] for agent in agents if agent["status"] == "ARCHIVED"}
    assert len(archived) >= 4


@pytest.mark.parametrize("fault", [{"ignoreIds": True}, {"ignoreKeys": True}, {"ignoreIds": True, "ignoreKeys": True}])
async def test_a_service_that_ignores_ids_or_keys_makes_one_agent_a_task(tmp_path, monkeypatch, fault):
    outcome, agents = await outcome_of(tmp_path, monkeypatch, 3, **fault)
    assert_all_done(outcome, agents, 3)
    has_other_id = ["the service answered" in (row.launch.note or "") for row in outcome.rows]
    assert has_other_id == [bool(fault.get("ignoreIds"))] * 3


async def test_a_lost_answer_of_a_service_that_ignores_ids_and_keys_makes_no_second_agent(tmp_path, monkeypatch):
    monkeypatch.setattr("orchestrate.cli.wiring.Pace", lambda: Pace(look_up_seconds=0.0))
    lost = {"call": "create", "do": "no-answer", "times": 1}
    outcome, agents = await outcome_of(tmp_path, monkeypatch, 2, rules=[lost], ignoreIds=True, ignoreKeys=True)
    assert_all_done(outcome, agents, 2)
    assert {row.agent_id for row in outcome.rows} == {agent["id"] for agent in agents}
    assert all("the service answered" in row.launch.note for row in outcome.rows)
