"""Who is asked for before a launch, at a service whose list says ``ACTIVE`` of agents that are done."""

import json

import httpx
import pytest
import respx

from tests.support.delegations import REPO, offline_desk

__all__ = ["offline_desk"]

SERVICE = "https://service.example"
ALL_ACTIVE = ("RUNNING", "FINISHED", "FINISHED")


def agent_id(number: int) -> str:
    return f"bc-0b5b1e2c-6f0a-4b52-9a55-{number:012d}"


def run_id(number: int) -> str:
    return agent_id(number).replace("bc-", "run-")


def agent(number: int) -> dict:
    moment = f"2026-03-04T10:0{number}:00Z"
    about = {"id": agent_id(number), "status": "ACTIVE", "repos": [{"url": REPO}], "latestRunId": run_id(number)}
    return {**about, "url": "", "createdAt": moment, "updatedAt": moment}


@pytest.fixture
def runs(offline_desk, monkeypatch):
    """A service with an agent for each of these runs, the last one the newest; which runs were asked for."""
    monkeypatch.setenv("CURSOR_API_KEY", "key-1")
    monkeypatch.setenv("CURSOR_BACKEND_URL", SERVICE)
    with respx.mock(base_url=SERVICE, assert_all_called=False) as service:

        def serve(*statuses: str, meanwhile=lambda: None):
            asked = []
            listed = {"items": [agent(number) for number in range(len(statuses))]}
            service.get("/v1/agents").respond(200, json=listed)
            for number, status in enumerate(statuses):

                def told(_request, number=number, status=status):
                    asked.append(number)
                    meanwhile()
                    run = {"id": run_id(number), "agentId": agent_id(number), "status": status}
                    return httpx.Response(200, json={**run, "createdAt": "", "updatedAt": ""})

                service.get(f"/v1/agents/{agent_id(number)}/runs/{run_id(number)}").mock(side_effect=told)
            service.post("/v1/agents").mock(side_effect=created)
            return asked

        yield serve


def created(request: httpx.Request) -> httpx.Response:
    body = json.loads(request.content)
    made = {**agent(9), "id": body["agentId"], "metadata": body["metadata"], "latestRunId": run_id(9)}
    run = {"id": run_id(9), "agentId": body["agentId"], "status": "CREATING", "createdAt": "", "updatedAt": ""}
    return httpx.Response(200, json={"agent": made, "run": run})


def test_nobody_is_asked_for_where_all_that_may_be_active_is_fewer_than_what_is_allowed(runs, offline_desk):
    asked = runs(*ALL_ACTIVE)
    assert offline_desk.delegate("--max-active", "4")[0] == 0
    assert asked == []


def test_asking_ends_once_the_answer_is_known_and_begins_with_the_newest(runs, offline_desk):
    asked = runs(*ALL_ACTIVE)
    assert offline_desk.delegate("--max-active", "3")[0] == 0
    assert asked == [2]


def test_it_is_refused_once_so_many_are_known_to_be_active(runs, offline_desk):
    asked = runs("FINISHED", "RUNNING", "RUNNING")
    code, told = offline_desk.delegate("--max-active", "2")
    assert (code, told["error"]["code"], told["activeAgents"]) == (1, "CONCURRENCY_LIMIT", [agent_id(1), agent_id(2)])
    assert asked == [2, 1]


def test_one_that_only_may_be_active_refuses_nobody(runs, offline_desk):
    """A reservation that came meanwhile and two that were not asked for are three: so they are asked for."""

    def reserve():
        (offline_desk.home / "seen").touch()
        record = json.loads(offline_desk.records[0].read_text())
        other = {**record, "key": "k9", "agentId": agent_id(8), "phase": "reserved"}
        offline_desk.records[0].with_name("0" * 40 + ".json").write_text(json.dumps(other))

    runs()
    offline_desk.delegate(key="k1")
    asked = runs("FINISHED", "FINISHED", meanwhile=reserve)
    assert offline_desk.delegate("--max-active", "3", key="k2")[0] == 0
    assert asked == [1, 1, 0]
