from contextlib import aclosing

import httpx
import pytest
import respx

from orchestrate.cloud.client import CloudClient
from orchestrate.errors import InputRefused, OutcomeUnknown, ProtocolBroken, RateLimited, Refused, Unavailable
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.vocabulary import AgentStatus, RunStatus
from orchestrate.model.wire import Agent, AgentUsage, Artifact, Cost, Frame, Me, Model, RunUsage, TokenUsage

BASE = "https://api.example"
AGENT = AgentId("bc-00000000-0000-0000-0000-000000000001")
RUN = RunId("run-00000000-0000-0000-0000-000000000001")
A_RUN = {"id": RUN, "agentId": AGENT, "status": "RUNNING", "createdAt": "2026-03-04T14:00:00Z", "updatedAt": ""}
AN_AGENT = {"id": AGENT, "status": "ACTIVE", "anything": "new"}


@pytest.fixture
async def client():
    async with CloudClient(base_url=BASE, api_key="key-123") as client:
        yield client


@pytest.fixture
def service():
    with respx.mock(base_url=BASE) as service:
        yield service


async def test_create_sends_exactly_these_bytes_with_the_key(client, service):
    route = service.post("/v1/agents").respond(200, json={"agent": AN_AGENT, "run": A_RUN})
    body = b'{ "agentId" :"x"}\n'
    created = await client.create_agent(body, key="intent-1")
    assert (created.agent.id, created.run.id) == (AGENT, RUN)
    request = route.calls.last.request
    assert request.content == body
    assert request.headers["Idempotency-Key"] == "intent-1"
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["Authorization"] == "Bearer key-123"


async def test_get_agent_takes_what_it_knows(client, service):
    service.get(f"/v1/agents/{AGENT}").respond(200, json=AN_AGENT)
    assert await client.get_agent(AGENT) == Agent(id=AGENT, status=AgentStatus.ACTIVE)


async def test_get_run(client, service):
    service.get(f"/v1/agents/{AGENT}/runs/{RUN}").respond(200, json=A_RUN | {"status": "FINISHED"})
    assert (await client.get_run(AGENT, RUN)).status is RunStatus.FINISHED


async def test_cancel_takes_any_success(client, service):
    route = service.post(f"/v1/agents/{AGENT}/runs/{RUN}/cancel").respond(202)
    assert await client.cancel_run(AGENT, RUN) is None
    assert route.calls.last.request.content == b""


async def test_models_and_me(client, service):
    service.get("/v1/models").respond(200, json={"items": [{"id": "m", "displayName": "M"}]})
    service.get("/v1/me").respond(200, json={"apiKeyName": "mine"})
    assert await client.models() == (Model(id="m", display_name="M"),)
    assert await client.me() == Me(api_key_name="mine")


def _pages(*pages):
    """Answers by cursor: page ``n`` links to page ``n + 1``."""

    def respond(request):
        number = int(request.url.params.get("cursor", "0 &").removesuffix(" &"))
        more = {"nextCursor": f"{number + 1} &"} if number + 1 < len(pages) else {}
        return httpx.Response(200, json={"items": pages[number], **more})

    return respond


def _run(number, created_at):
    return A_RUN | {"id": f"run-{number}", "createdAt": created_at}


async def test_the_first_run_is_the_oldest_of_all_pages(client, service):
    pages = [
        [_run(3, "2026-03-04T16:00:00Z")],
        [_run(2, "2026-03-04T15:30:00+00:00")],
        [_run(1, "2026-03-04T15:59:00+01:00")],
    ]
    service.get(f"/v1/agents/{AGENT}/runs").mock(side_effect=_pages(*pages))
    assert [run.id for run in await client.list_runs(AGENT)] == ["run-3", "run-2", "run-1"]
    first = await client.first_run(AGENT)
    assert first is not None
    assert first.id == "run-1"


async def test_an_agent_without_runs_has_no_first_run(client, service):
    service.get(f"/v1/agents/{AGENT}/runs").respond(200, json={"items": []})
    assert await client.first_run(AGENT) is None


async def test_pages_that_go_in_a_circle_end(client, service):
    service.get(f"/v1/agents/{AGENT}/runs").respond(200, json={"items": [], "nextCursor": "again"})
    with pytest.raises(ProtocolBroken, match="do not end"):
        await client.list_runs(AGENT)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"id":"run-1"}', b"\xff"])
async def test_a_success_that_does_not_fit_breaks_a_question(client, service, body):
    service.get(f"/v1/agents/{AGENT}/runs/{RUN}").respond(200, content=body)
    with pytest.raises(ProtocolBroken) as caught:
        await client.get_run(AGENT, RUN)
    assert (caught.value.status, caught.value.code) == (200, "unfit_answer")


async def test_a_create_whose_answer_does_not_fit_may_have_made_an_agent(client, service):
    service.post("/v1/agents").respond(201, content=b"{}", headers={"x-request-id": "r-9"})
    with pytest.raises(OutcomeUnknown) as caught:
        await client.create_agent(b"{}", key="k")
    assert caught.value.request_id == "r-9"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_never_followed(client, service, status):
    service.get("/v1/me").respond(status, headers={"Location": "https://elsewhere.example/v1/me"})
    with pytest.raises(Refused) as caught:
        await client.me()
    assert caught.value.code == "redirected"


async def test_a_limit_is_told_with_its_wait(service):
    service.get("/v1/me").respond(429, headers={"Retry-After": "Thu, 01 Jan 1970 00:00:50 GMT"})
    async with CloudClient(base_url=BASE, api_key="k", now=lambda: 20.0) as client:
        with pytest.raises(RateLimited) as caught:
            await client.me()
    assert caught.value.retry_after_seconds == 30.0


@pytest.mark.parametrize(
    ("error", "post", "get"),
    [
        (httpx.ConnectError("no"), Unavailable, Unavailable),
        (httpx.ConnectTimeout("no"), Unavailable, Unavailable),
        (httpx.ReadTimeout("no"), OutcomeUnknown, Unavailable),
        (httpx.RemoteProtocolError("no"), OutcomeUnknown, Unavailable),
    ],
)
async def test_no_answer(client, service, error, post, get):
    service.post("/v1/agents").mock(side_effect=error)
    service.get("/v1/me").mock(side_effect=error)
    with pytest.raises(post) as caught:
        await client.create_agent(b"{}", key="k")
    assert type(caught.value) is post
    assert caught.value.__cause__ is error
    with pytest.raises(get):
        await client.me()


@pytest.mark.parametrize("bad", ["", "..", "../x", "bc-1/runs", "bc-1?x", "bc-é", "x" * 300, "bc-1\n"])
async def test_an_id_that_is_none_is_never_sent(client, bad):
    with pytest.raises(Refused) as caught:
        await client.get_agent(AgentId(bad))
    assert caught.value.code == "invalid_id"
    with pytest.raises(Refused):
        await client.cancel_run(AGENT, RunId(bad))


@pytest.mark.parametrize("key", ["", "secret\nb", "sécret", "secret "])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(key):
    with pytest.raises(InputRefused, match="the API key is empty or") as caught:
        CloudClient(base_url=BASE, api_key=key)
    assert "cret" not in str(caught.value)


def test_a_header_that_cannot_be_sent_is_refused_and_not_shown():
    with pytest.raises(InputRefused, match="the header X-Pass") as caught:
        CloudClient(base_url=BASE, api_key="k", extra_headers={"X-Pass": "secret\n"})
    assert "secret" not in str(caught.value)


async def test_extra_headers_go_with_every_request(service):
    route = service.get("/v1/me").respond(200, json={"apiKeyName": "mine"})
    async with CloudClient(base_url=BASE, api_key="k", extra_headers={"X-Pass": "value"}) as client:
        await client.me()
    assert route.calls.last.request.headers["X-Pass"] == "value"


def test_a_proxy_that_cannot_be_used_is_refused(monkeypatch):
    monkeypatch.setenv("https_proxy", "gopher://proxy.example")
    with pytest.raises(InputRefused, match="proxy"):
        CloudClient(base_url=BASE, api_key="k")


async def test_agents_come_from_all_pages_each_asked_for_when_it_is_needed(client, service):
    pages = [[AN_AGENT | {"id": f"bc-{number}"}] for number in range(3)]
    route = service.get("/v1/agents").mock(side_effect=_pages(*pages))
    async with aclosing(client.list_agents(pr_url="https://x/pull/1", include_archived=True)) as agents:
        assert (await anext(agents)).id == "bc-0"
        assert route.call_count == 1
        assert [agent.id async for agent in agents] == ["bc-1", "bc-2"]
    assert dict(route.calls[0].request.url.params) == {
        "limit": "100",
        "includeArchived": "true",
        "prUrl": "https://x/pull/1",
    }
    assert route.calls[1].request.url.params["prUrl"] == "https://x/pull/1"


async def test_pages_of_agents_that_go_in_a_circle_end(client, service):
    service.get("/v1/agents").respond(200, json={"items": [], "nextCursor": "again"})
    with pytest.raises(ProtocolBroken, match="do not end"):
        [agent async for agent in client.list_agents()]


async def test_a_follow_up_sends_exactly_these_bytes_with_the_key(client, service):
    route = service.post(f"/v1/agents/{AGENT}/runs").respond(200, json={"run": A_RUN})
    run = await client.create_run(AGENT, b'{ "prompt" :1}', key="intent-2")
    assert run.id == RUN
    assert route.calls.last.request.content == b'{ "prompt" :1}'
    assert route.calls.last.request.headers["Idempotency-Key"] == "intent-2"


async def test_a_busy_agent_refuses_a_follow_up(client, service):
    service.post(f"/v1/agents/{AGENT}/runs").respond(409, json={"error": {"code": "agent_busy", "message": "busy"}})
    with pytest.raises(Refused) as caught:
        await client.create_run(AGENT, b"{}", key="k")
    assert caught.value.code == "agent_busy"


async def test_archive_and_unarchive_take_any_success(client, service):
    for verb, call in (("archive", client.archive_agent), ("unarchive", client.unarchive_agent)):
        route = service.post(f"/v1/agents/{AGENT}/{verb}").respond(200, json={"id": AGENT})
        assert await call(AGENT) is None
        assert route.called


async def test_usage_is_what_was_told(client, service):
    told = {"totalUsage": {"inputTokens": 5}, "runs": [{"id": RUN, "usage": {}, "cost": {"chargedCents": 1.5}}]}
    route = service.get(f"/v1/agents/{AGENT}/usage").respond(200, json=told)
    assert await client.usage(AGENT, run_id=RUN) == AgentUsage(
        total_usage=TokenUsage(input_tokens=5), runs=(RunUsage(id=RUN, cost=Cost(charged_cents=1.5)),)
    )
    assert route.calls.last.request.url.params["runId"] == RUN


async def test_artifacts_and_repositories(client, service):
    listed = {"items": [{"path": "artifacts/x", "sizeBytes": 3, "updatedAt": "u"}]}
    service.get(f"/v1/agents/{AGENT}/artifacts").respond(200, json=listed)
    service.get("/v1/repositories").respond(200, json={"items": [{"url": "https://x/y"}]})
    assert await client.list_artifacts(AGENT) == (Artifact(path="artifacts/x", size_bytes=3, updated_at="u"),)
    assert await client.repositories() == ("https://x/y",)


def _link(service, url):
    link = {"url": url, "expiresAt": "2026-03-04T15:00:00Z"}
    return service.get(f"/v1/agents/{AGENT}/artifacts/download", params={"path": "artifacts/a b"}).respond(json=link)


async def _download(client):
    async with client.open_artifact(AGENT, "artifacts/a b") as pieces:
        return b"".join([piece async for piece in pieces])


async def test_an_artifact_is_fetched_without_the_key(service):
    asked = _link(service, "https://files.example/x?signature=1")
    with respx.mock(base_url="https://files.example") as files:
        given = files.get("/x", params={"signature": "1"}).respond(200, content=b"content")
        async with CloudClient(base_url=BASE, api_key="key-123", extra_headers={"X-Pass": "v"}) as client:
            assert await _download(client) == b"content"
    assert asked.calls.last.request.headers["Authorization"] == "Bearer key-123"
    assert not {"authorization", "x-pass"} & set(given.calls.last.request.headers)


@pytest.mark.parametrize("status", [401, 403, 410])
async def test_a_link_that_has_expired_is_no_matter_of_the_key(client, service, status):
    _link(service, "https://files.example/x")
    with respx.mock(base_url="https://files.example") as files:
        files.get("/x").respond(status, json={"error": {"code": "unauthorized", "message": "Invalid key"}})
        with pytest.raises(Unavailable, match="the link has expired") as caught:
            await _download(client)
    assert (caught.value.status, caught.value.code) == (status, "link_refused")


@pytest.mark.parametrize(("status", "kind"), [(404, Refused), (302, Refused), (503, Unavailable)])
async def test_what_the_host_of_a_link_says_is_none_of_the_contract(client, service, status, kind):
    _link(service, "https://files.example/x")
    with respx.mock(base_url="https://files.example") as files:
        files.get("/x").respond(status, json={"error": {"code": "usage_limit_exceeded", "message": "no"}})
        with pytest.raises(kind, match=f"files.example, where the service's link leads, answered {status}") as caught:
            await _download(client)
    assert (caught.value.status, caught.value.code) == (status, "link_failed")


@pytest.mark.parametrize("url", ["http://files.example/x", "https://127.0.0.1/x", "file:///etc/passwd", "x"])
async def test_a_link_that_leads_astray_is_not_followed(client, service, url):
    _link(service, url)
    with pytest.raises(ProtocolBroken, match="no file is fetched from"):
        await _download(client)


async def _frames(client, **options):
    async with client.stream_run(AGENT, RUN, **options) as frames:
        return [frame async for frame in frames]


STREAM = {"Content-Type": "text/event-stream; charset=utf-8"}


async def test_a_stream_is_asked_for_from_the_last_id(client, service):
    route = service.get(f"/v1/agents/{AGENT}/runs/{RUN}/stream").respond(
        200, headers=STREAM, content=b'id: 8\nevent: status\ndata: {"status":"RUNNING"}\n\n'
    )
    assert await _frames(client, last_event_id="7") == [Frame("8", "status", {"status": "RUNNING"})]
    assert route.calls.last.request.headers["Last-Event-ID"] == "7"
    assert route.calls.last.request.headers["Accept"] == "text/event-stream"


@pytest.mark.parametrize("last", [None, "", "a\x01b", " a"])
async def test_an_id_that_cannot_be_sent_means_from_the_start(client, service, last):
    route = service.get(f"/v1/agents/{AGENT}/runs/{RUN}/stream").respond(200, headers=STREAM)
    assert await _frames(client, last_event_id=last) == []
    assert "Last-Event-ID" not in route.calls.last.request.headers


async def test_a_stream_that_is_gone_is_refused(client, service):
    service.get(f"/v1/agents/{AGENT}/runs/{RUN}/stream").respond(410, json={"error": {"code": "stream_expired"}})
    with pytest.raises(Refused) as caught:
        await _frames(client)
    assert caught.value.code == "stream_expired"


async def test_a_success_that_is_no_event_stream_is_broken(client, service):
    service.get(f"/v1/agents/{AGENT}/runs/{RUN}/stream").respond(200, json={})
    with pytest.raises(ProtocolBroken, match="no text/event-stream"):
        await _frames(client)


async def test_a_stream_that_cannot_be_opened_may_be_tried_again(client, service):
    service.get(f"/v1/agents/{AGENT}/runs/{RUN}/stream").mock(side_effect=httpx.ReadTimeout("no"))
    with pytest.raises(Unavailable):
        await _frames(client)
