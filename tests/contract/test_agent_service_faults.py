"""How the fake service misbehaves when a test asks it to."""

import orjson
import pytest

from orchestrate.errors import OutcomeUnknown, RateLimited, Unavailable
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.vocabulary import RunStatus
from tests.support.agent_service import FakeAgentService

AGENT = AgentId("bc-00000000-0000-0000-0000-000000000001")
BODY = orjson.dumps({"agentId": AGENT, "prompt": {"text": "x"}})


async def _create(service):
    return RunId((await service.create_agent(BODY, key="key")).run.id)


async def test_a_lost_answer_leaves_what_was_done():
    service = FakeAgentService()
    service.fail_next("create_agent", OutcomeUnknown("no answer"), done=True)
    with pytest.raises(OutcomeUnknown):
        await _create(service)
    assert AGENT in service.agents


async def test_a_lost_request_leaves_nothing():
    service = FakeAgentService()
    service.fail_next("create_agent", RateLimited("slow"), times=2)
    for _ in range(2):
        with pytest.raises(RateLimited):
            await _create(service)
    assert AGENT not in service.agents
    await _create(service)
    assert [call for call, _ in service.calls] == ["create_agent"] * 3


async def test_a_cut_stream_breaks_once_and_can_be_opened_again():
    service = FakeAgentService()
    run_id = await _create(service)
    async with service.stream_run(AGENT, run_id) as frames:
        assert (await anext(frames)).event == "status"
        service.emit(AGENT, "tool_call", {"name": "edit"})
        assert (await anext(frames)).data == {"name": "edit"}
        service.cut_streams(AGENT)
        with pytest.raises(Unavailable):
            await anext(frames)
    async with service.stream_run(AGENT, run_id, last_event_id="1") as frames:
        assert (await anext(frames)).event == "tool_call"


async def test_a_run_may_end_without_a_word():
    service = FakeAgentService()
    run_id = await _create(service)
    service.end_run(AGENT, RunStatus.FINISHED, result="r", branch="cursor/x", silently=True)
    async with service.stream_run(AGENT, run_id) as frames:
        assert [frame.event async for frame in frames] == ["status"]
    run = await service.get_run(AGENT, run_id)
    assert run.git is not None
    assert run.git.branches[0].branch == "cursor/x"


async def test_the_first_run_stays_the_first():
    service = FakeAgentService()
    run_id = await _create(service)
    service.end_run(AGENT)
    service.add_run(AGENT)
    first = await service.first_run(AGENT)
    assert first is not None
    assert first.id == run_id
    assert len(await service.list_runs(AGENT)) == 2
