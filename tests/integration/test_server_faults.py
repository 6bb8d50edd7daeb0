"""Everything that a server can be told to do wrong, as a caller meets it."""

import json
import uuid
from contextlib import contextmanager

import httpx
import pytest

from orchestrate.server.discovery import is_alive
from orchestrate.server.fault_plan import FaultPlan
from orchestrate.server.injecting import FULL
from tests.support.server import ServerCalls, running_server, server_process, wait_until

LONG = 'null-runner: {"seconds": 600}'


@contextmanager
def faulty(tmp_path, **plan):
    """Calls to a server with this plan."""
    faults = FaultPlan.model_validate_json(json.dumps(plan))
    with running_server(tmp_path / "state", faults=faults) as endpoint, ServerCalls(endpoint) as calls:
        yield calls


def new_id():
    return f"bc-{uuid.uuid4()}"


def code_of(answer):
    return answer.status_code, answer.json()["error"]["code"]


def test_a_call_is_refused_with_any_status_code_and_header_as_often_as_asked(tmp_path):
    rule = {"call": "create", "do": "refuse", "status": 418, "code": "teapot", "headers": {"Retry-After": "7"}}
    with faulty(tmp_path, rules=[{**rule, "skip": 1, "times": 2}]) as calls:
        answers = [calls.try_create() for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 418, 418, 200]
    assert code_of(answers[1]) == (418, "teapot")
    assert answers[1].headers["retry-after"] == "7"


def test_a_rule_without_a_class_is_about_every_call_and_a_path_narrows_it(tmp_path):
    with faulty(tmp_path, rules=[{"do": "refuse", "status": 500, "path": "/me"}]) as calls:
        assert calls.http.get("/v1/me").status_code == 500
        assert calls.http.get("/v1/models").status_code == 200


def test_a_call_is_delayed_or_answered_late_and_done(tmp_path):
    rules = [
        {"call": "create", "do": "delay", "seconds": 0.01, "times": 1},
        {"call": "create", "do": "answer-late", "seconds": 0.01},
    ]
    with faulty(tmp_path, rules=rules) as calls:
        assert [calls.try_create().status_code for _ in range(2)] == [200, 200]
        assert len(calls.agents()["items"]) == 2


def test_a_call_is_done_and_never_answered(tmp_path):
    agent_id = new_id()
    with faulty(tmp_path, rules=[{"call": "create", "do": "no-answer", "times": 1}]) as calls:
        with pytest.raises(httpx.RemoteProtocolError):
            calls.try_create(agentId=agent_id)
        assert calls.http.get(f"/v1/agents/{agent_id}").status_code == 200


def test_a_stream_is_cut_after_some_frames(tmp_path):
    with faulty(tmp_path, rules=[{"call": "stream", "do": "cut", "frames": 1, "times": 1}]) as calls:
        created, seen = calls.create(), []
        with pytest.raises(httpx.RemoteProtocolError):
            seen.extend(noted(calls.stream(created), seen))
        assert len(seen) == 1
        assert calls.frames(created, after=seen[0].id)[-1].event == "done"


def noted(frames, seen):
    """Nothing more than what it notes, also of a stream that breaks."""
    for frame in frames:
        seen.append(frame)
        yield from ()


def test_every_frame_of_a_stream_is_repeated(tmp_path):
    with faulty(tmp_path, rules=[{"call": "stream", "do": "repeat", "copies": 3}]) as calls:
        frames = calls.frames(calls.create())
    assert [frame.event for frame in frames].count("result") == 3


def test_a_stream_says_nothing_but_that_it_is_there(tmp_path):
    with faulty(tmp_path, rules=[{"call": "stream", "do": "heartbeats"}]) as calls:
        created = calls.create()
        assert {frame.event for frame in calls.frames(created)} == {"heartbeat"}


def test_a_stream_is_not_kept(tmp_path):
    with faulty(tmp_path, rules=[{"call": "stream", "do": "expire"}]) as calls:
        answer = calls.http.get(f"{calls.create().run_path}/stream")
    assert code_of(answer) == (410, "stream_expired")


def test_keys_are_ignored(tmp_path):
    with faulty(tmp_path, ignoreKeys=True) as calls:
        assert len({calls.try_create(key="k").json()["agent"]["id"] for _ in range(2)}) == 2


def test_ids_are_ignored(tmp_path):
    agent_id = new_id()
    with faulty(tmp_path, ignoreIds=True) as calls:
        created = calls.create(agentId=agent_id)
        assert created.agent["id"] != agent_id
        assert calls.http.get(f"/v1/agents/{agent_id}").status_code == 404
        assert calls.try_create(content=None).status_code == 400  # what is wrong stays wrong


def test_a_new_agent_is_missing_from_lists(tmp_path):
    with faulty(tmp_path, listLagSeconds=600) as calls:
        created = calls.create()
        assert calls.agents()["items"] == []
        assert calls.ask(created, "runs")["items"] == []
        assert calls.http.get(created.agent_path).status_code == 200


@pytest.mark.parametrize(("said", "expected"), [("seconds", "60"), ("date", "GMT"), ("none", "")])
def test_each_class_of_calls_has_a_bucket_of_its_own(tmp_path, said, expected):
    limit = {"perMinute": 1, "burst": 2, "retryAfter": said}
    with faulty(tmp_path, limits={"create": limit}) as calls:
        answers = [calls.try_create() for _ in range(3)]
        assert calls.http.get("/v1/me").status_code == 200
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert code_of(answers[2]) == (429, "rate_limit_exceeded")
    assert answers[2].headers.get("retry-after", "").endswith(expected)


def test_a_server_takes_so_many_agents_until_their_runs_end(tmp_path):
    with faulty(tmp_path, capacity={"agents": 1}) as calls:
        first = calls.create(LONG)
        refused = calls.try_create()
        assert (refused.status_code, refused.json()["error"]["message"]) == (429, FULL)
        calls.cancel(first)
        calls.end(first)
        assert calls.try_create().status_code == 200


def test_an_agent_takes_its_place_until_it_is_archived(tmp_path):
    with faulty(tmp_path, capacity={"agents": 1, "untilArchived": True}) as calls:
        first = calls.create()
        calls.end(first)
        assert calls.try_create().status_code == 429
        assert calls.http.post(f"{first.agent_path}/archive").status_code == 200
        assert calls.try_create().status_code == 200


@pytest.mark.parametrize(("deed", "is_done"), [("crash", False), ("crash-after", True)])
def test_a_server_kills_itself_once(tmp_path, monkeypatch, deed, is_done):
    faults = {"rules": [{"call": "create", "do": deed, "times": 1}]}
    monkeypatch.setenv("ORCHESTRATE_SERVER_FAULTS", json.dumps(faults))
    agent = {"agentId": new_id(), "localAgent": {"runner": "null"}}
    with server_process(tmp_path / "state") as server:
        with ServerCalls(server) as calls, pytest.raises(httpx.TransportError):
            calls.try_create(**agent)
        wait_until(lambda: not is_alive(server.file), what="its death")
        with server_process(tmp_path / "state") as again, ServerCalls(again) as calls:
            found = calls.http.get(f"/v1/agents/{agent['agentId']}").status_code
            assert found == (200 if is_done else 404)
            assert calls.try_create(localAgent={"runner": "null"}).status_code == 200
