import pytest

from orchestrate.core.effects import CancelRun
from orchestrate.core.events import CancelAnswered
from orchestrate.engine.cancel import cancel_run
from orchestrate.errors import OutcomeUnknown, Refused, Unavailable
from orchestrate.model.vocabulary import RunStatus, TaskStatus
from tests.support.agent_service import FakeAgentService
from tests.support.builders import a_plan, a_task, agent_of
from tests.support.engine_room import EngineRoom, never_ends, request_body

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


def test_a_cancel_that_is_not_taken_is_asked_for_until_the_run_has_ended():
    room = EngineRoom(a_plan(a_task("a", timeoutSec=60)))
    room.agents["a"] = never_ends
    room.service.fail_next("cancel_run", Unavailable("503"), times=2)
    room.service.fail_next("cancel_run", OutcomeUnknown("timeout"))
    assert room.run() == 1
    assert room.state.rows["a"].status is TaskStatus.CANCELLED
    asked = [moment for call, moment in room.service.moments if call == "cancel_run"]
    assert [round(moment - asked[0]) for moment in asked] == [0, 30, 60, 90]


def test_the_answer_to_a_cancel_is_no_end():
    """The service takes the cancel and the run finishes all the same."""
    room = EngineRoom(a_plan(a_task("a", timeoutSec=60)))

    async def cancel_run(agent_id, run_id):
        room.service.end_run(agent_id, result="## Status\nsuccess\n")

    room.agents["a"] = never_ends
    room.service.cancel_run = cancel_run
    assert room.run() == 0
    assert room.state.rows["a"].status is TaskStatus.HANDED_OFF
