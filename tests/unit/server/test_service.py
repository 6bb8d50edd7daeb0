from contextlib import asynccontextmanager

import anyio
import orjson
import pytest
import structlog

from orchestrate.errors import Refused
from orchestrate.model.wire import LocalAgent
from orchestrate.server.access import OWNER, Caller
from orchestrate.server.database import Database
from orchestrate.server.runners.null import NullRunner
from orchestrate.server.service import Call, Service
from orchestrate.system import SystemClock

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


@asynccontextmanager
async def service(folder, runner_type=NullRunner):
    database, clock = Database(folder / "server.db"), SystemClock()
    try:
        async with anyio.create_task_group() as tasks:
            yield Service(
                database=database,
                runners={"null": runner_type(clock)},
                tasks=tasks,
                clock=clock,
                log=structlog.wrap_logger(structlog.ReturnLogger()),
                on_end=lambda: None,
                default_agent=LocalAgent(runner="null"),
            )
            tasks.cancel_scope.cancel()
    finally:
        database.close()


def call(prompt="work", *, caller=OWNER, key=None, **body):
    return Call(caller, orjson.dumps({"prompt": {"text": prompt}, **body}), key=key)


async def ended(service, created):
    """The run once it has ended."""
    agent_id, run_id = created["agent"]["id"], created["run"]["id"]
    while (live := service.live(run_id)) is not None:
        await live.news.wait()
    return service.run(OWNER, agent_id, run_id)


async def test_a_fault_of_a_runner_is_the_end_of_its_run_only(tmp_path):
    async with service(tmp_path, BrokenRunner) as our:
        run = await ended(our, orjson.loads(await our.create_agent(call())))

    assert (run["status"], run["error"]["code"]) == ("ERROR", "internal")


async def test_who_was_faster_meanwhile_wins(tmp_path):
    async with service(tmp_path, SlowRunner) as our:
        answers, refusals = [], []

        async def create(each):
            try:
                answers.append(await our.create_agent(each))
            except Refused as refusal:
                refusals.append(refusal.code)

        async with anyio.create_task_group() as tasks:
            for key in ("same", "same", "other"):
                tasks.start_soon(create, call(key=key, agentId=AGENT))
            our._runners["null"].go.set()

    assert len(answers) == 2
    assert answers[0] == answers[1]
    assert refusals == ["agent_id_conflict"]


async def test_a_caller_whose_own_run_has_ended_launches_nothing(tmp_path):
    async with service(tmp_path) as our:
        await ended(our, orjson.loads(await our.create_agent(call(agentId=AGENT))))

        with pytest.raises(Refused, match="has ended"):
            await our.create_agent(call(caller=Caller(AGENT)))


async def test_a_cancelled_caller_launches_nothing_even_before_its_end(tmp_path):
    async with service(tmp_path) as our:
        created = orjson.loads(await our.create_agent(call('null-runner: {"seconds": 60}', agentId=AGENT)))
        assert await our.create_agent(call(caller=Caller(AGENT)))
        our.cancel(OWNER, AGENT, created["run"]["id"])

        with pytest.raises(Refused, match="has ended"):
            await our.create_agent(call(caller=Caller(AGENT)))


async def test_one_key_of_two_callers_is_two_keys(tmp_path):
    async with service(tmp_path) as our:
        parent = await our.create_agent(call('null-runner: {"seconds": 60}', key="k", agentId=AGENT))

        assert await our.create_agent(call("other", key="k", caller=Caller(AGENT))) != parent
