"""What every agent service promises the engine: the fake of the tests, and our server behind our client."""

import uuid

import anyio
import orjson
import pytest

from orchestrate.errors import Refused
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.vocabulary import AgentStatus, RunStatus
from tests.support.agent_services import (
    AGENT,
    AGENT_SERVICES,
    LASTING,
    UNKNOWN_AGENT,
    UNKNOWN_RUN,
    body_of,
    ended,
    follow_up_of,
)


@pytest.fixture(params=AGENT_SERVICES)
async def service(request, tmp_path):
    async with request.param(tmp_path) as service:
        yield service


async def _frames_of(service, created, *, last_event_id=None):
    stream = service.stream_run(AgentId(created.agent.id), RunId(created.run.id), last_event_id=last_event_id)
    async with stream as frames:
        return [frame async for frame in frames]


async def test_an_agent_has_the_id_that_the_caller_chose_and_a_first_run(service):
    created = await service.create_agent(body_of(**LASTING), key="key")
    assert created.agent.id == created.run.agent_id == AGENT
    assert created.agent.latest_run_id == created.run.id
    assert created.run.status in (RunStatus.CREATING, RunStatus.RUNNING)


async def test_an_agent_is_found_by_its_id_with_what_it_was_given(service):
    created = await service.create_agent(body_of(**LASTING), key="key")
    agent = await service.get_agent(AGENT)
    assert (agent.id, agent.name, agent.metadata) == (AGENT, "root/task", {"orchestrateTask": "task"})
    assert (agent.status, agent.latest_run_id) == (AgentStatus.ACTIVE, created.run.id)
    first = await service.first_run(AGENT)
    assert first is not None
    assert first.id == created.run.id
    assert [run.id for run in await service.list_runs(AGENT)] == [created.run.id]


async def test_the_same_request_again_is_the_same_agent(service):
    body = body_of(**LASTING)
    first, again = await service.create_agent(body, key="key"), await service.create_agent(body, key="key")
    assert (again.agent.id, again.run.id) == (first.agent.id, first.run.id)
    assert len(await service.list_runs(AGENT)) == 1


async def test_another_body_under_a_used_key_is_a_conflict(service):
    await service.create_agent(body_of(**LASTING), key="key")
    with pytest.raises(Refused) as caught:
        await service.create_agent(body_of(agent_id=UNKNOWN_AGENT), key="key")
    assert (caught.value.code, caught.value.status) == ("idempotency_conflict", 409)


async def test_an_id_that_exists_is_a_conflict_under_another_key(service):
    await service.create_agent(body_of(**LASTING), key="key")
    with pytest.raises(Refused) as caught:
        await service.create_agent(body_of(**LASTING), key="another")
    assert (caught.value.code, caught.value.status) == ("agent_id_conflict", 409)


async def test_without_an_id_the_service_chooses_one(service):
    created = await service.create_agent(body_of(agent_id=None, **LASTING), key=str(uuid.UUID(int=1)))
    assert (await service.get_agent(AgentId(created.agent.id))).id == created.agent.id


async def test_a_request_that_is_wrong_makes_nothing(service):
    with pytest.raises(Refused) as caught:
        await service.create_agent(orjson.dumps({"agentId": AGENT, "prompt": {"words": "x"}}), key="key")
    assert (caught.value.code, caught.value.status) == ("validation_error", 400)
    with pytest.raises(Refused):
        await service.get_agent(AGENT)


async def _content(service, agent_id, path):
    async with service.open_artifact(agent_id, path) as pieces:
        return b"".join([piece async for piece in pieces])


async def _open(service, agent_id, run_id):
    async with service.stream_run(agent_id, run_id):
        pass


@pytest.mark.parametrize(
    "ask",
    [
        lambda service: service.get_agent(UNKNOWN_AGENT),
        lambda service: service.first_run(UNKNOWN_AGENT),
        lambda service: service.list_runs(UNKNOWN_AGENT),
        lambda service: service.get_run(UNKNOWN_AGENT, UNKNOWN_RUN),
        lambda service: service.get_run(AGENT, UNKNOWN_RUN),
        lambda service: service.cancel_run(AGENT, UNKNOWN_RUN),
        lambda service: _open(service, AGENT, UNKNOWN_RUN),
        lambda service: service.create_run(UNKNOWN_AGENT, follow_up_of(), key="other"),
        lambda service: service.archive_agent(UNKNOWN_AGENT),
        lambda service: service.unarchive_agent(UNKNOWN_AGENT),
        lambda service: service.usage(UNKNOWN_AGENT),
        lambda service: service.usage(AGENT, run_id=UNKNOWN_RUN),
        lambda service: service.list_artifacts(UNKNOWN_AGENT),
        lambda service: _content(service, UNKNOWN_AGENT, "artifacts/x"),
        lambda service: _content(service, AGENT, "artifacts/x"),
    ],
    ids=[
        *("agent", "first run", "runs", "run of no agent", "run", "cancel", "stream"),
        *("follow-up", "archive", "unarchive", "usage", "usage of a run", "artifacts", "artifact of no agent"),
        "artifact",
    ],
)
async def test_what_is_not_there_is_refused_with_404(service, ask):
    await service.create_agent(body_of(**LASTING), key="key")
    with pytest.raises(Refused) as caught:
        await ask(service)
    assert caught.value.status == 404


async def test_a_run_ends_with_its_reply(service):
    run = await ended(service, await service.create_agent(body_of(reply="## Status\nsuccess"), key="key"))
    assert (run.status, run.result) == (RunStatus.FINISHED, "## Status\nsuccess")
    assert (await service.get_agent(AGENT)).status is AgentStatus.IDLE


@pytest.mark.parametrize("status", [RunStatus.ERROR, RunStatus.EXPIRED])
async def test_a_run_may_end_badly(service, status):
    run = await ended(service, await service.create_agent(body_of(status=status), key="key"))
    assert run.status is status


async def test_a_stream_tells_the_status_and_ends_with_the_result(service):
    frames = await _frames_of(service, await service.create_agent(body_of(reply="the reply"), key="key"))
    assert frames[0].event == "status"
    assert [frame.event for frame in frames][-2:] == ["result", "done"]
    assert (frames[-2].data["status"], frames[-2].data["result"]) == ("FINISHED", "the reply")


async def test_a_stream_goes_on_behind_the_last_id(service):
    created = await service.create_agent(body_of(), key="key")
    frames = await _frames_of(service, created)
    for place, frame in enumerate(frames[:-1]):
        assert await _frames_of(service, created, last_event_id=frame.id) == frames[place + 1 :]


async def test_an_id_that_the_stream_never_had_is_told_in_the_stream(service):
    created = await service.create_agent(body_of(), key="key")
    frames = await _frames_of(service, created, last_event_id="no-such-id")
    assert [(frame.event, frame.data["code"]) for frame in frames] == [("error", "invalid_last_event_id")]


async def test_a_cancelled_run_ends_and_its_stream_with_it(service):
    created = await service.create_agent(body_of(**LASTING), key="key")
    run_id = RunId(created.run.id)
    with anyio.fail_after(30):
        async with service.stream_run(AGENT, run_id) as frames:
            assert (await anext(frames)).event == "status"
            await service.cancel_run(AGENT, run_id)
            *_, last = [frame async for frame in frames]
    assert last.event == "done"
    assert (await service.get_run(AGENT, run_id)).status is RunStatus.CANCELLED


async def test_a_run_that_has_ended_cannot_be_cancelled(service):
    created = await service.create_agent(body_of(), key="key")
    await ended(service, created)
    with pytest.raises(Refused) as caught:
        await service.cancel_run(AGENT, RunId(created.run.id))
    assert (caught.value.code, caught.value.status) == ("run_not_cancellable", 409)


async def test_a_reader_may_leave_a_stream_and_come_back(service):
    created = await service.create_agent(body_of(**LASTING), key="key")
    for _ in range(3):
        async with service.stream_run(AGENT, RunId(created.run.id)) as frames:
            assert (await anext(frames)).event == "status"
