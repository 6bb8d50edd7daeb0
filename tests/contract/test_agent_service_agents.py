"""What every agent service promises of lists, archiving, follow-ups, usage and artifacts."""

from contextlib import aclosing

import pytest

from orchestrate.errors import Refused
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.vocabulary import AgentStatus
from orchestrate.model.wire import AgentUsage, Cost, RunUsage, TokenUsage
from tests.support.agent_services import (
    AGENT,
    AGENT_SERVICES,
    LASTING,
    body_of,
    ended,
    follow_up_of,
)


@pytest.fixture(params=AGENT_SERVICES)
async def service(request, tmp_path):
    async with request.param(tmp_path) as service:
        yield service


async def _content(service, path):
    async with service.open_artifact(AGENT, path) as pieces:
        return b"".join([piece async for piece in pieces])


def _agent_ids(count):
    return [AgentId(f"bc-00000000-0000-0000-0000-{number:012x}") for number in range(count)]


async def _listed(service, **query):
    async with aclosing(service.list_agents(**query)) as agents:
        return [agent.id async for agent in agents]


async def test_agents_are_listed_newest_first_over_all_pages(service):
    made = _agent_ids(101)
    for agent_id in made:
        await service.create_agent(body_of(agent_id=agent_id), key=agent_id)
    assert await _listed(service) == made[::-1]


async def test_a_listed_agent_is_the_agent(service):
    await ended(service, await service.create_agent(body_of(repos=[{"url": "https://x/y"}]), key="key"))
    async with aclosing(service.list_agents()) as agents:
        assert await anext(agents) == await service.get_agent(AGENT)


async def test_agents_are_found_by_their_pull_request(service):
    one, other = _agent_ids(2)
    for agent_id, number in ((one, 1), (other, 2)):
        repos = [{"url": "https://x/y", "prUrl": f"https://x/y/pull/{number}"}]
        await service.create_agent(body_of(agent_id=agent_id, repos=repos), key=agent_id)
    assert await _listed(service, pr_url="https://x/y/pull/1") == [one]


async def test_archived_agents_are_listed_only_on_request(service):
    one, other = _agent_ids(2)
    for agent_id in (one, other):
        await ended(service, await service.create_agent(body_of(agent_id=agent_id), key=agent_id))
    for _ in range(2):
        await service.archive_agent(other)
    assert (await service.get_agent(other)).status is AgentStatus.ARCHIVED
    assert await _listed(service) == [one]
    assert await _listed(service, include_archived=True) == [other, one]
    for _ in range(2):
        await service.unarchive_agent(other)
    assert (await service.get_agent(other)).status is AgentStatus.IDLE


async def test_a_follow_up_is_the_latest_run_and_the_first_stays_the_first(service):
    created = await service.create_agent(body_of(reply="one"), key="key")
    await ended(service, created)
    run = await service.create_run(AGENT, follow_up_of(reply="two"), key="more")
    assert run.agent_id == AGENT
    async with service.stream_run(AGENT, RunId(run.id)) as frames:
        assert [frame.data["result"] async for frame in frames if frame.event == "result"] == ["two"]
    assert (await service.get_run(AGENT, RunId(run.id))).result == "two"
    assert (await service.get_agent(AGENT)).latest_run_id == run.id
    assert [each.id for each in await service.list_runs(AGENT)] == [run.id, created.run.id]
    first = await service.first_run(AGENT)
    assert first is not None
    assert first.id == created.run.id


async def test_a_follow_up_that_is_sent_again_is_the_same_run(service):
    await ended(service, await service.create_agent(body_of(), key="key"))
    runs = [await service.create_run(AGENT, follow_up_of(**LASTING), key="more") for _ in range(2)]
    assert runs[0].id == runs[1].id
    assert len(await service.list_runs(AGENT)) == 2


async def _code_of_a_refused(follow_up):
    with pytest.raises(Refused) as caught:
        await follow_up
    return caught.value.status, caught.value.code


async def test_a_follow_up_is_refused_by_who_cannot_take_it(service):
    created = await service.create_agent(body_of(**LASTING), key="key")
    more = follow_up_of()
    assert await _code_of_a_refused(service.create_run(AGENT, more, key="a")) == (409, "agent_busy")
    await service.cancel_run(AGENT, RunId(created.run.id))
    await ended(service, created)
    await service.archive_agent(AGENT)
    assert await _code_of_a_refused(service.create_run(AGENT, more, key="a")) == (409, "agent_archived")
    await service.unarchive_agent(AGENT)
    assert await _code_of_a_refused(service.create_run(AGENT, b"{}", key="a")) == (400, "validation_error")
    await service.create_run(AGENT, more, key="a")
    other = follow_up_of(reply="x")
    assert await _code_of_a_refused(service.create_run(AGENT, other, key="a")) == (409, "idempotency_conflict")


async def test_usage_is_told_as_far_as_it_was_reported(service):
    created = await service.create_agent(
        body_of(usage={"usage": {"inputTokens": 5}, "cost": {"chargedCents": 1.5}}), key="key"
    )
    await ended(service, created)
    told = RunUsage(id=created.run.id, usage=TokenUsage(input_tokens=5), cost=Cost(charged_cents=1.5))
    whole = AgentUsage(total_usage=told.usage, cost=told.cost, runs=(told,))
    assert await service.usage(AGENT) == whole
    run = await service.create_run(AGENT, follow_up_of(), key="more")
    await ended(service, created.model_copy(update={"run": run}))
    assert await service.usage(AGENT) == AgentUsage(runs=(told,))
    assert await service.usage(AGENT, run_id=RunId(created.run.id)) == whole
    assert await service.usage(AGENT, run_id=RunId(run.id)) == AgentUsage()


async def test_artifacts_are_listed_and_fetched(service):
    await service.create_agent(body_of(), key="key")
    assert await service.list_artifacts(AGENT) == ()
    service.leave_artifact(AGENT, "artifacts/deep/report.txt", b"the report")
    (artifact,) = await service.list_artifacts(AGENT)
    assert (artifact.path, artifact.size_bytes) == ("artifacts/deep/report.txt", 10)
    assert await _content(service, artifact.path) == b"the report"


async def test_repositories_are_those_of_the_agents(service):
    assert await service.repositories() == ()
    for agent_id, url in zip(_agent_ids(3), ("https://x/b", "https://x/a", "https://x/b"), strict=True):
        await service.create_agent(body_of(agent_id=agent_id, repos=[{"url": url}]), key=agent_id)
    assert await service.repositories() == ("https://x/a", "https://x/b")
