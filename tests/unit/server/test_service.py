from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import orjson
import pytest
import structlog

from orchestrate.errors import Refused
from orchestrate.model.wire import LocalAgent
from orchestrate.server.access import OWNER, Caller
from orchestrate.server.database import Database
from orchestrate.server.live_runs import LiveRuns
from orchestrate.server.lookups import Lookups
from orchestrate.server.runners.null import NullRunner
from orchestrate.server.service import Call, Offer, Service
from orchestrate.system import SystemClock

LASTING = 'null-runner: {"seconds": 60}'
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
async def running(folder, runner_type=NullRunner):
    database, clock = Database(folder / "server.db"), SystemClock()
    try:
        async with anyio.create_task_group() as tasks:
            yield assembled(database, tasks, clock, runner_type(clock))
            tasks.cancel_scope.cancel()
    finally:
        database.close()


@dataclass
class Our:
    """A service with what it stands on."""

    runner: NullRunner
    lookups: Lookups
    service: Service

    async def create(self, call):
        return orjson.loads(await self.service.create_agent(call))

    async def ended(self, run):
        """The run once it has ended."""
        while (live := self.lookups.live(run["id"])) is not None:
            await live.news.wait()
        return self.lookups.run(OWNER, run["agentId"], run["id"])


def assembled(database, tasks, clock, runner):
    log, runners = structlog.wrap_logger(structlog.ReturnLogger()), {"null": runner}
    live_runs = LiveRuns(database=database, runners=runners, tasks=tasks, clock=clock, log=log, on_end=lambda: None)
    lookups = Lookups(database=database, runners=runners, live_runs=live_runs)
    offer = Offer(runners, default_agent=LocalAgent(runner="null"))
    service = Service(offer, database=database, lookups=lookups, live_runs=live_runs, clock=clock, log=log)
    return Our(runner, lookups, service)


def call(prompt="work", *, caller=OWNER, key=None, **body):
    return Call(caller, orjson.dumps({"prompt": {"text": prompt}, **body}), key=key)


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
