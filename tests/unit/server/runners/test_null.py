import pytest

from orchestrate.errors import Refused
from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import CreateAgent, LocalAgent
from orchestrate.server.records import AgentRecord, RunRecord
from orchestrate.server.runners.contract import LiveRun, Order
from orchestrate.server.runners.null import CANNED_REPLY, NullRunner


class StandingClock:
    def now(self):
        return 0.0


def live(prompt, *, repos=None, created_at="1970-01-01T00:00:00.000Z"):
    request = CreateAgent.model_validate({"prompt": {"text": prompt}, **({"repos": repos} if repos else {})})
    order = Order(None, request, LocalAgent(runner="null"), "name", b"")
    agent = AgentRecord("bc-1", "/bc-1/", "null", created_at, "run-1", {}, b"", {})
    run = RunRecord("run-1", "bc-1", "null", RunStatus.CREATING, created_at, created_at)
    return LiveRun(agent=agent, run=run, order=order)


async def outcome(live_run, *, starts=None):
    marks = [] if starts is None else starts
    return await NullRunner(StandingClock()).carry_out(live_run, started=lambda: marks.append("started"))


async def test_without_orders_a_run_is_a_success_with_a_canned_handoff():
    result = await outcome(live("work"))

    assert (result.status, result.reply, result.stdout_bytes) == (RunStatus.FINISHED, CANNED_REPLY, len(CANNED_REPLY))


async def test_orders_are_followed():
    prompt = 'null-runner: {"reply": "ä", "status": "EXPIRED", "branch": "b", "error": "why"}'

    result = await outcome(live(prompt, repos=[{"url": "u"}]))

    assert (result.status, result.reply, result.branch, result.repo_url) == (RunStatus.EXPIRED, "ä", "b", "u")
    assert (result.error_message, result.stdout_bytes) == ("why", 2)


async def test_a_run_whose_time_is_over_already_ends_at_once():
    starts = []

    result = await outcome(live('null-runner: {"seconds": 5}', created_at="1969-12-31T00:00:00.000Z"), starts=starts)

    assert (result.status, starts) == (RunStatus.FINISHED, ["started"])


async def test_a_cancel_ends_the_wait():
    run = live('null-runner: {"seconds": 5000}')
    run.cancel.set()

    assert (await outcome(run)).status is RunStatus.CANCELLED


@pytest.mark.parametrize("orders", ['{"sekunden": 1}', '{"status": "RUNNING"}', "[]", '"x"', "{"])
async def test_orders_that_make_no_sense_are_refused(orders):
    with pytest.raises(Refused, match="null-runner"):
        await NullRunner(StandingClock()).place(live(f"null-runner: {orders}").order)
