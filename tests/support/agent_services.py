"""Every kind of agent service, and requests that all of them understand.

What the contract suite runs against: the fake of the tests, and our server behind our client.
"""

from contextlib import asynccontextmanager

import orjson
import pytest

from orchestrate.cloud.client import CloudClient
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import RunUsage
from tests.support.agent_service import FakeAgentService
from tests.support.server import running_server

AGENT = AgentId("bc-00000000-0000-0000-0000-000000000001")
UNKNOWN_AGENT = AgentId("bc-00000000-0000-0000-0000-00000000ffff")
UNKNOWN_RUN = RunId("run-00000000-0000-0000-0000-00000000ffff")
#: Orders for a run that does not end by itself.
LASTING = {"seconds": 3600}


def body_of(*, agent_id=AGENT, repos=None, **orders):
    """A create request; ``orders`` tell the null runner how the run goes, and the fake likewise."""
    request = {
        "agentId": agent_id,
        "name": "root/task",
        "prompt": _prompt(orders),
        "metadata": {"orchestrateTask": "task"},
        **({"repos": repos} if repos else {}),
    }
    return orjson.dumps(request)


def follow_up_of(**orders):
    """A follow-up request."""
    return orjson.dumps({"prompt": _prompt(orders)})


def _prompt(orders):
    return {"text": f"null-runner: {orjson.dumps(orders).decode()}"}


async def ended(service, created):
    """The run once it has ended; its stream ends with it."""
    run_id = RunId(created.run.id)
    async with service.stream_run(AgentId(created.agent.id), run_id) as frames:
        async for _ in frames:
            continue
    return await service.get_run(AgentId(created.agent.id), run_id)


class _ObedientFake(FakeAgentService):
    """Ends its runs as the null runner would."""

    def __init__(self):
        super().__init__(on_create=lambda created: self._obey(created.run), on_follow_up=self._obey)

    def _obey(self, run):
        orders = orjson.loads(self.prompt_of(run).removeprefix("null-runner: "))
        if "seconds" in orders:
            return
        usage = RunUsage.model_validate({"id": run.id, **orders["usage"]}) if "usage" in orders else None
        self.end_run(
            run.agent_id,
            RunStatus(orders.get("status", "FINISHED")),
            result=orders.get("reply", "ok"),
            branch=orders.get("branch"),
            usage=usage,
        )


class _Client(CloudClient):
    """Our client, which can also do at the server what agents do."""

    def __init__(self, server, folder):
        super().__init__(base_url=server.url, api_key=server.token)
        self._folder = folder

    def leave_artifact(self, agent_id, path, content):
        file = self._folder / "agents" / agent_id / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


@asynccontextmanager
async def _fake(_folder):
    yield _ObedientFake()


@asynccontextmanager
async def _server_behind_the_client(folder):
    with running_server(folder / "state") as server:
        async with _Client(server, folder / "state") as client:
            yield client


#: For the parameters of a fixture; each is called with a folder and gives a service to be entered.
AGENT_SERVICES = [pytest.param(_fake, id="fake"), pytest.param(_server_behind_the_client, id="server")]
