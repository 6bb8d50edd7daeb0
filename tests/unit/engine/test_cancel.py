import pytest

from orchestrate.core.effects import CancelRun
from orchestrate.core.events import CancelAnswered
from orchestrate.engine.cancel import cancel_run
from orchestrate.errors import OutcomeUnknown, Refused
from orchestrate.model.vocabulary import RunStatus
from tests.support.agent_service import FakeAgentService
from tests.support.builders import agent_of
from tests.support.engine_room import request_body

AGENT = agent_of("a")


async def test_a_cancel_that_was_taken_is_answered_so():
    service = FakeAgentService()
    run = service._create(request_body(), "key").run
    answer = await cancel_run(CancelRun(task="a", agent_id=AGENT, run_id=run.id), service=service)
    assert answer == CancelAnswered(task="a", run_id=run.id, accepted=True)
    assert service.latest_run(AGENT).status is RunStatus.CANCELLED


@pytest.mark.parametrize("error", [Refused("it has ended", code="run_not_cancellable"), OutcomeUnknown("timeout")])
async def test_a_cancel_without_success_is_an_answer_as_well(error):
    service = FakeAgentService()
    service.fail_next("cancel_run", error)
    answer = await cancel_run(CancelRun(task="a", agent_id=AGENT, run_id="run-1"), service=service)
    assert answer == CancelAnswered(task="a", run_id="run-1", accepted=False, message=str(error))
