"""A server's service without HTTP, with the null runner and real tables; use it as ``async with running(folder)``."""

from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import orjson
import structlog

from orchestrate.model.wire import LocalAgent
from orchestrate.server.access import OWNER
from orchestrate.server.database import Database
from orchestrate.server.live_runs import LiveRuns
from orchestrate.server.lookups import Lookups
from orchestrate.server.runners.null import NullRunner
from orchestrate.server.service import Call, Offer, Service
from orchestrate.system import SystemClock

LASTING = 'null-runner: {"seconds": 60}'


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
    live_runs: LiveRuns
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
    return Our(runner, live_runs, lookups, service)


def call(prompt="work", *, caller=OWNER, key=None, agent_id=None, **body):
    """A request for an agent, or for another run of one."""
    return Call(caller, orjson.dumps({"prompt": {"text": prompt}, **body}), key=key, agent_id=agent_id)
