"""The calls of the API against a real server, with the null runner."""

import base64
import json
import stat
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx
import pytest

from orchestrate.model.wire import BODY_BYTES
from tests.support.repositories import make_remote
from tests.support.server import ServerCalls, running_server

AGENT_ID = "bc-0f8fad5b-d9cb-469f-a165-70867728950e"
LASTING = 'null-runner: {"seconds": 3600}'


@pytest.fixture
def server(tmp_path):
    with running_server(tmp_path / "server-state") as server:
        yield server


@pytest.fixture
def calls(server):
    with ServerCalls(server) as calls:
        yield calls


def error_of(response):
    return response.status_code, response.json()["error"]["code"]


def test_an_agent_is_created_with_its_first_run(calls):
    metadata = {"orchestrateTask": "task"}
    created = calls.create(agentId=AGENT_ID, name="root/task", metadata=metadata, autoCreatePR=False)

    assert created.agent["id"] == AGENT_ID
    assert created.agent["latestRunId"] == created.run["id"]
    assert created.run["status"] == "CREATING"
    agent = calls.http.get(created.agent_path).json()
    assert (agent["name"], agent["metadata"], agent["autoCreatePR"]) == ("root/task", metadata, False)


def test_a_run_ends_with_its_reply_in_stream_and_run(calls):
    created = calls.create('null-runner: {"reply": "all done", "branch": "cursor/x"}', repos=[{"url": "https://x/y"}])

    frames = calls.frames(created)

    assert [frame.event for frame in frames if frame.event != "status"] == ["assistant", "result", "done"]
    result = next(frame.data for frame in frames if frame.event == "result")
    run = calls.run(created)
    assert result["result"] == run["result"] == "all done"
    assert run["git"] == {"branches": [{"repoUrl": "https://x/y", "branch": "cursor/x"}]}
    assert run["durationMs"] >= 0


def test_a_run_may_be_told_to_fail(calls):
    created = calls.create('null-runner: {"status": "ERROR", "error": "no luck"}')

    run = calls.end(created)

    assert (run["status"], run["error"]["message"]) == ("ERROR", "no luck")


def test_a_cancel_is_final(calls):
    created = calls.create(LASTING)

    assert calls.cancel(created).json() == {"id": created.run["id"]}
    assert calls.end(created)["status"] == "CANCELLED"
    assert error_of(calls.cancel(created)) == (409, "run_not_cancellable")


def test_the_same_key_and_body_get_the_stored_answer(calls):
    first = calls.try_create(key="k", agentId=AGENT_ID)
    second = calls.try_create(key="k", agentId=AGENT_ID)

    assert second.content == first.content
    assert len(calls.http.get(f"/v1/agents/{AGENT_ID}/runs").json()["items"]) == 1


def test_the_same_key_with_another_body_is_a_conflict(calls):
    calls.create(key="k")

    assert error_of(calls.try_create("other work", key="k")) == (409, "idempotency_conflict")


def test_a_taken_agent_id_is_a_conflict(calls):
    calls.create(agentId=AGENT_ID, key="one")

    assert error_of(calls.try_create(agentId=AGENT_ID, key="two")) == (409, "agent_id_conflict")


def test_requests_that_race_with_one_key_make_one_agent(calls, tmp_path):
    remote = make_remote(tmp_path / "remote.git")
    body = {"agentId": AGENT_ID, "localAgent": {"runner": "scripted"}, "repos": [{"url": remote.url}]}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: calls.try_create("scripted-runner: []", key="k", **body), range(8)))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1


def test_unknown_ids_are_404(calls):
    created = calls.create()

    assert error_of(calls.http.get(f"/v1/agents/bc-{uuid4()}")) == (404, "agent_not_found")
    assert error_of(calls.http.get(f"{created.agent_path}/runs/run-{uuid4()}")) == (404, "run_not_found")
    assert error_of(calls.http.get(f"/v1/agents/bc-{uuid4()}/runs")) == (404, "agent_not_found")
    assert error_of(calls.http.get(f"{created.agent_path}/runs/run-{uuid4()}/stream")) == (404, "run_not_found")
    assert error_of(calls.http.get("/v1/nothing")) == (404, "not_found")


def test_a_run_is_not_found_under_another_agent(calls):
    one, other = calls.create(), calls.create()

    assert error_of(calls.http.get(f"{other.agent_path}/runs/{one.run['id']}")) == (404, "run_not_found")


def test_nothing_can_be_deleted(calls):
    created = calls.create()

    for path in (created.agent_path, created.run_path, "/v1/agents"):
        assert error_of(calls.http.delete(path)) == (405, "method_not_allowed")


def test_pages_of_runs_are_followed_by_a_cursor(calls):
    created = calls.create()

    page = calls.http.get(f"{created.agent_path}/runs", params={"limit": 1}).json()

    assert [run["id"] for run in page["items"]] == [created.run["id"]]
    assert "nextCursor" not in page
    beyond = calls.http.get(f"{created.agent_path}/runs", params={"cursor": "1"}).json()
    assert beyond == {"items": []}


@pytest.mark.parametrize("query", [{"limit": "0"}, {"limit": "101"}, {"limit": "x"}, {"cursor": "-1"}, {"cursor": "ä"}])
def test_a_page_that_makes_no_sense_is_refused(calls, query):
    created = calls.create()

    assert error_of(calls.http.get(f"{created.agent_path}/runs", params=query)) == (400, "validation_error")


def test_every_answer_has_a_request_id_of_its_own(calls):
    answers = [calls.http.get("/v1/me"), calls.http.get("/v1/nothing"), calls.try_create("")]

    assert len({answer.headers["x-request-id"] for answer in answers}) == 3


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        (None, 401),
        ("Bearer wrong", 401),
        ("Bearer", 401),
        ("Basic !!!", 401),
        ("Token x", 401),
        ("Bearer subtree.bc-x.y", 401),
        (f"Bearer subtree.{AGENT_ID}.0000", 401),
    ],
)
def test_a_wrong_token_is_unauthorized(server, authorization, status):
    headers = {"Authorization": authorization} if authorization else {}

    answer = httpx.get(f"{server.url}/v1/me", headers=headers, trust_env=False)

    assert error_of(answer) == (status, "unauthorized")
    assert "x-request-id" in answer.headers


def test_the_token_also_works_as_the_user_of_basic_authentication(server):
    answer = httpx.get(f"{server.url}/v1/me", auth=(server.token, ""), trust_env=False)

    assert answer.json()["apiKeyName"] == "local owner"


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Host": "127.0.0.1:1"}, {"Origin": "https://evil.example"}, {"Origin": "null"}],
)
def test_web_pages_and_rebound_names_are_kept_out(calls, headers):
    assert error_of(calls.http.get("/v1/me", headers=headers)) == (403, "forbidden")


def test_our_own_origin_is_let_in(calls, server):
    assert calls.http.get("/v1/me", headers={"Origin": server.url}).status_code == 200


def test_a_body_beyond_the_bound_is_refused(calls):
    announced = calls.http.post("/v1/agents", content=b" " * (BODY_BYTES + 1))
    unannounced = calls.http.post("/v1/agents", content=iter([b" " * BODY_BYTES, b" "]))

    assert error_of(announced) == error_of(unannounced) == (413, "payload_too_large")


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (b"{", "body: Invalid JSON"),
        (b"\xff", "body: Invalid JSON"),
        (b"[]", "body:"),
        (b"{}", "prompt: Field required"),
        (b'{"prompt": {"text": " "}}', "prompt.text: must not be blank"),
        (b'{"prompt": {"text": "x"}, "unknown": 1}', "unknown: "),
        (b'{"prompt": {"text": "x"}, "name": " "}', "name: must not be blank"),
        (b'{"prompt": {"text": "x"}, "name": "%s"}' % (b"n" * 101), "name: at most 100"),
        (b'{"prompt": {"text": "x"}, "workOnCurrentBranch": true}', "workOnCurrentBranch: "),
        (b'{"prompt": {"text": "x"}, "localAgent": {"timeoutSec": 0}}', "localAgent.timeoutSec: "),
        (b'{"prompt": {"text": "x"}, "agentId": "bc-1"}', "agentId: must be bc-<uuid>"),
        (b'{"prompt": {"text": "x"}, "repos": [{"url": "a"}, {"url": "b"}]}', "repos: "),
        (b'{"prompt": {"text": "x"}, "repos": [{}]}', "repos[0].url: Field required"),
        (b'{"prompt": {"text": "x"}, "runEnvVars": {"a b": "c"}}', "runEnvVars: "),
        (b'{"prompt": {"text": "null-runner: {"}}', "null-runner"),
        (b'{"prompt": {"text": "null-runner: {\\"seconds\\": \\"x\\"}"}}', "null-runner"),
    ],
)
def test_a_wrong_request_is_refused_in_words(calls, body, names):
    answer = calls.http.post("/v1/agents", content=body)

    assert error_of(answer) == (400, "validation_error")
    assert names in answer.json()["error"]["message"]


def test_an_own_agent_id_excludes_environment_variables(calls):
    answer = calls.try_create(agentId=AGENT_ID, envVars={"A": "b"})

    assert error_of(answer) == (400, "validation_error")
    assert calls.try_create(agentId=AGENT_ID, runEnvVars={"A": "b"}).status_code == 200


def test_a_refused_request_leaves_its_key_and_id_free(calls):
    assert calls.try_create(" ", key="k", agentId=AGENT_ID).status_code == 400

    assert calls.try_create("work", key="k", agentId=AGENT_ID).status_code == 200


@pytest.mark.parametrize("value", ["%%%", base64.b64encode(b"[]").decode(), base64.b64encode(b'{"A": 1}').decode()])
def test_unreadable_values_of_pass_env_are_refused(calls, value):
    assert error_of(calls.try_create(headers={"X-Orchestrate-Pass-Env": value})) == (400, "validation_error")


def test_without_an_agent_program_a_request_is_refused(tmp_path):
    with running_server(tmp_path / "state", default_agent=None) as server, ServerCalls(server) as calls:
        assert error_of(calls.try_create()) == (400, "validation_error")


def test_a_catalogue_of_models_is_listed_and_kept(tmp_path):
    with running_server(tmp_path / "state", models=("small", "large")) as server, ServerCalls(server) as calls:
        assert [model["id"] for model in calls.http.get("/v1/models").json()["items"]] == ["small", "large"]
        assert error_of(calls.try_create(model={"id": "huge"})) == (400, "invalid_model")
        assert calls.try_create(model={"id": "large"}).status_code == 200


def test_without_a_catalogue_any_model_goes(calls):
    assert [model["id"] for model in calls.http.get("/v1/models").json()["items"]] == ["default"]
    assert calls.try_create(model={"id": "anything"}).status_code == 200


def test_all_files_are_the_owners_alone(calls, tmp_path):
    created = calls.create_scripted([{"print": "hello"}])
    calls.end(created)

    state = tmp_path / "server-state"
    foreign = state / "agents" / created.agent["id"] / "clone"
    own = [path for path in [state, *state.rglob("*")] if foreign not in path.parents]
    shared = [path for path in own if stat.S_IMODE(path.stat().st_mode) & 0o077]
    assert shared == []


def test_state_survives_a_restart(tmp_path):
    with running_server(tmp_path / "state") as server, ServerCalls(server) as calls:
        ended, lasting = calls.create('null-runner: {"reply": "kept"}', key="k"), calls.create(LASTING)
        frames = calls.frames(ended)
        answer = calls.try_create('null-runner: {"reply": "kept"}', key="k").json()
    with running_server(tmp_path / "state") as again, ServerCalls(again) as calls:
        assert (again.url, again.token) == (server.url, server.token)
        assert calls.run(ended)["result"] == "kept"
        assert calls.frames(ended) == frames
        assert calls.run(lasting)["status"] == "RUNNING"
        assert calls.try_create('null-runner: {"reply": "kept"}', key="k").json() == answer
        calls.cancel(lasting)
        assert calls.end(lasting)["status"] == "CANCELLED"


def test_a_stopping_server_ends_its_streams(tmp_path):
    with running_server(tmp_path / "state") as server:
        calls = ServerCalls(server)
        stream = calls.stream(calls.create(LASTING))
        assert next(stream).event == "status"
    with calls:
        assert {frame.event for frame in stream} <= {"status", "heartbeat"}


def test_a_silent_stream_beats(tmp_path):
    with running_server(tmp_path / "state", heartbeat_seconds=0.01) as server, ServerCalls(server) as calls:
        created = calls.create('null-runner: {"seconds": 3600}')
        stream = calls.stream(created)
        events = [next(stream) for _ in range(3)]
        calls.cancel(created)
        ends = list(stream)

    assert [(frame.event, frame.id) for frame in events[1:]] == [("heartbeat", None)] * 2
    assert ends[-1].event == "done"


def test_logs_are_lines_of_json_without_the_prompt(calls, tmp_path):
    calls.end(calls.create("a very secret prompt"))

    text = (tmp_path / "server-state" / "server.log").read_text()
    assert {"server started", "run ended"} <= {json.loads(line)["event"] for line in text.splitlines()}
    assert "secret" not in text
