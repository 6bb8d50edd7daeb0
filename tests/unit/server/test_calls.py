import orjson
import pytest
from starlette.requests import Request

from orchestrate.errors import Refused
from orchestrate.server.access import OWNER, Caller
from orchestrate.server.calls import AgentCalls, Answers, RunCalls, ServerCalls
from orchestrate.server.watching import StreamResponse
from tests.support.server_parts import call, running

AGENT = "bc-0f8fad5b-d9cb-469f-a165-70867728950e"


def request(*, caller=OWNER, path=None, query="", body=b"", headers=()):
    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "path_params": path or {},
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers],
        "caller": caller,
    }
    return Request(scope, receive)


def answers_of(our):
    return Answers(our.service, our.lookups, downloads=None, started_at="2026", heartbeat_seconds=15)


def read(response):
    return orjson.loads(response.body)


async def test_a_request_becomes_a_call_and_an_answer(tmp_path):
    async with running(tmp_path) as our:
        calls = AgentCalls(answers_of(our))
        body = orjson.dumps({"prompt": {"text": "x"}, "agentId": AGENT})
        sent = {"body": body, "headers": [("idempotency-key", "k")]}

        first, again = read(await calls.create(request(**sent))), read(await calls.create(request(**sent)))

        assert first == again
        assert first["agent"]["id"] == AGENT
        await our.ended(first["run"])
        assert read(await calls.get(request(path={"agent_id": AGENT})))["status"] == "IDLE"
        assert [item["id"] for item in read(await calls.list(request(query="limit=1")))["items"]] == [AGENT]
        assert read(await calls.archive(request(path={"agent_id": AGENT}))) == {"id": AGENT}
        assert read(await calls.list(request()))["items"] == []
        assert len(read(await calls.list(request(query="includeArchived=true")))["items"]) == 1
        assert read(await calls.unarchive(request(path={"agent_id": AGENT}))) == {"id": AGENT}
        assert read(await calls.usage(request(path={"agent_id": AGENT}))) == {"totalUsage": {}, "runs": []}


async def test_runs_have_calls_of_their_own(tmp_path):
    async with running(tmp_path) as our:
        calls = RunCalls(answers_of(our))
        await our.ended((await our.create(call(agentId=AGENT)))["run"])
        body = orjson.dumps({"prompt": {"text": 'null-runner: {"seconds": 60}'}})

        run = read(await calls.create(request(path={"agent_id": AGENT}, body=body)))["run"]

        path = {"agent_id": AGENT, "run_id": run["id"]}
        assert read(await calls.get(request(path=path)))["id"] == run["id"]
        assert len(read(await calls.list(request(path={"agent_id": AGENT})))["items"]) == 2
        assert isinstance(await calls.stream(request(path=path)), StreamResponse)
        assert read(await calls.cancel(request(path=path))) == {"id": run["id"]}
        await our.ended(run)


async def test_calls_about_no_agent(tmp_path):
    async with running(tmp_path) as our:
        calls = ServerCalls(answers_of(our))

        assert read(await calls.list_models(request()))["items"][0]["aliases"] == ["auto"]
        assert read(await calls.who_am_i(request(caller=Caller(AGENT)))) == {
            "apiKeyName": f"local {AGENT}",
            "createdAt": "2026",
        }
        assert read(await calls.list_repositories(request())) == {"items": []}


@pytest.mark.parametrize("query", ["", "path="])
async def test_a_download_without_a_path_is_refused(tmp_path, query):
    async with running(tmp_path) as our:
        await our.ended((await our.create(call(agentId=AGENT)))["run"])
        with pytest.raises(Refused, match="path: required"):
            await AgentCalls(answers_of(our)).link_artifact(request(path={"agent_id": AGENT}, query=query))
