import anyio
import pytest

from orchestrate.errors import Refused
from orchestrate.server.access import OWNER, Caller
from orchestrate.server.runners.null import NullRunner
from tests.support.server_parts import LASTING, call, running

AGENT = "bc-0f8fad5b-d9cb-469f-a165-70867728950e"


class BrokenRunner(NullRunner):
    async def carry_out(self, live, *, started):
        raise RuntimeError("a fault of ours")


class SlowRunner(NullRunner):
    """Takes its time to place an order, so that others may be faster."""

    def __init__(self, clock):
        super().__init__(clock)
        self.go = anyio.Event()

    async def place(self, order):
        await self.go.wait()
        return await super().place(order)


async def test_a_fault_of_a_runner_is_the_end_of_its_run_only(tmp_path):
    async with running(tmp_path, BrokenRunner) as our:
        run = await our.ended((await our.create(call()))["run"])

    assert (run["status"], run["error"]["code"]) == ("ERROR", "internal")


async def test_who_was_faster_meanwhile_wins(tmp_path):
    async with running(tmp_path, SlowRunner) as our:
        answers, refusals = [], []

        async def create(each):
            try:
                answers.append(await our.service.create_agent(each))
            except Refused as refusal:
                refusals.append(refusal.code)

        async with anyio.create_task_group() as tasks:
            for key in ("same", "same", "other"):
                tasks.start_soon(create, call(key=key, agentId=AGENT))
            our.runner.go.set()

    assert len(answers) == 2
    assert answers[0] == answers[1]
    assert refusals == ["agent_id_conflict"]


async def test_a_caller_whose_own_run_has_ended_launches_nothing(tmp_path):
    async with running(tmp_path) as our:
        await our.ended((await our.create(call(agentId=AGENT)))["run"])

        with pytest.raises(Refused, match="has ended"):
            await our.service.create_agent(call(caller=Caller(AGENT)))


async def test_a_cancelled_caller_launches_nothing_even_before_its_end(tmp_path):
    async with running(tmp_path) as our:
        created = await our.create(call(LASTING, agentId=AGENT))
        assert await our.service.create_agent(call(caller=Caller(AGENT)))
        our.service.cancel(OWNER, AGENT, created["run"]["id"])

        with pytest.raises(Refused, match="has ended"):
            await our.service.create_agent(call(caller=Caller(AGENT)))


async def test_one_key_of_two_callers_is_two_keys(tmp_path):
    async with running(tmp_path) as our:
        parent = await our.service.create_agent(call(LASTING, key="k", agentId=AGENT))

        assert await our.service.create_agent(call("other", key="k", caller=Caller(AGENT))) != parent


async def test_a_follow_up_is_admitted_once_for_a_key(tmp_path):
    async with running(tmp_path) as our:
        created = await our.create(call(agentId=AGENT))
        await our.ended(created["run"])
        more = call(LASTING, key="more", agent_id=AGENT)

        first, again = our.service.create_run(more, AGENT), our.service.create_run(more, AGENT)

        assert first == again
        assert our.live_runs.count == 1
        with pytest.raises(Refused, match="active"):
            our.service.create_run(call("else", key="else", agent_id=AGENT), AGENT)


async def test_archiving_is_undone_by_unarchiving(tmp_path):
    async with running(tmp_path) as our:
        await our.ended((await our.create(call(agentId=AGENT)))["run"])
        for archived, status in ((True, "ARCHIVED"), (True, "ARCHIVED"), (False, "IDLE"), (False, "IDLE")):
            assert our.service.set_archived(OWNER, AGENT, archived=archived) == {"id": AGENT}
            assert our.lookups.agent(OWNER, AGENT)["status"] == status


async def test_an_archived_agent_at_work_goes_on(tmp_path):
    async with running(tmp_path) as our:
        created = await our.create(call(LASTING, agentId=AGENT))
        our.service.set_archived(OWNER, AGENT, archived=True)
        our.service.cancel(OWNER, AGENT, created["run"]["id"])

        assert (await our.ended(created["run"]))["status"] == "CANCELLED"


def test_one_body_to_two_agents_is_two_requests():
    assert len({call("x", agent_id=agent_id).digest for agent_id in (None, "bc-1", "bc-2")}) == 3
