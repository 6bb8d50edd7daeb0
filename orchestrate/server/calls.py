"""Each call of the API: from the request to the question or the order that it is, and back."""

from dataclasses import dataclass

import orjson
from starlette.requests import Request
from starlette.responses import Response

from orchestrate.model.names import Timestamp
from orchestrate.model.wire import IDEMPOTENCY_HEADER, PASS_ENV_HEADER
from orchestrate.server import faults
from orchestrate.server.access import OWNER, Caller
from orchestrate.server.downloads import Downloads, FileAnswer
from orchestrate.server.gate import read_body
from orchestrate.server.lookups import Lookups
from orchestrate.server.paging import Page, read_flag, read_page
from orchestrate.server.service import Call, Service
from orchestrate.server.watching import StreamResponse


@dataclass(frozen=True, slots=True)
class Answers:
    """Where the answers come from."""

    service: Service
    lookups: Lookups
    downloads: Downloads
    started_at: Timestamp
    heartbeat_seconds: float


@dataclass(frozen=True, slots=True)
class ServerCalls:
    """Calls that are about no agent, and the one that needs no token."""

    answers: Answers

    async def list_models(self, _request: Request) -> Response:
        """The catalogue."""
        models = [{"id": model, "displayName": model} for model in self.answers.service.models]
        own = {"id": "default", "displayName": "whatever the agent program uses", "aliases": ["auto"]}
        return _json({"items": models or [own]})

    async def who_am_i(self, request: Request) -> Response:
        """Whose token it is."""
        return _json({"apiKeyName": f"local {_caller(request).scope}", "createdAt": self.answers.started_at})

    async def list_repositories(self, request: Request) -> Response:
        """What agents were given."""
        return _json(self.answers.lookups.repositories(_caller(request)))

    async def download(self, request: Request) -> FileAnswer:
        """An artifact, to whoever has a link to it."""
        agent_id, query = request.path_params["agent_id"], request.query_params
        path = query.get("path", "")
        downloads = self.answers.downloads
        downloads.check_link(
            agent_id, path=path, expires=query.get("expires", ""), signature=query.get("signature", "")
        )
        return await downloads.file(self.answers.lookups.agent_record(OWNER, agent_id), path)


@dataclass(frozen=True, slots=True)
class AgentCalls:
    """Calls about agents."""

    answers: Answers

    async def create(self, request: Request) -> Response:
        """A new agent with its first run."""
        return _raw_json(await self.answers.service.create_agent(await _call(request)))

    async def list(self, request: Request) -> Response:
        """A page of agents."""
        query = request.query_params
        includes_archived = read_flag("includeArchived", query.get("includeArchived"))
        return _json(
            self.answers.lookups.agents(
                _caller(request), _page(request), pr_url=query.get("prUrl"), includes_archived=includes_archived
            )
        )

    async def get(self, request: Request) -> Response:
        """One agent."""
        return _json(self.answers.lookups.agent(_caller(request), _agent_id(request)))

    async def archive(self, request: Request) -> Response:
        """No follow-ups from now on."""
        return _json(self.answers.service.set_archived(_caller(request), _agent_id(request), archived=True))

    async def unarchive(self, request: Request) -> Response:
        """Follow-ups again."""
        return _json(self.answers.service.set_archived(_caller(request), _agent_id(request), archived=False))

    async def usage(self, request: Request) -> Response:
        """What was reported of the agent's usage."""
        run_id = request.query_params.get("runId")
        return _json(self.answers.lookups.usage(_caller(request), _agent_id(request), run_id=run_id))

    async def list_artifacts(self, request: Request) -> Response:
        """What the agent left for people."""
        agent = self.answers.lookups.agent_record(_caller(request), _agent_id(request))
        return _json(await self.answers.downloads.items(agent))

    async def link_artifact(self, request: Request) -> Response:
        """A link to one of those."""
        agent = self.answers.lookups.agent_record(_caller(request), _agent_id(request))
        path = request.query_params.get("path")
        if not path:
            raise faults.invalid("path: required")
        return _json(await self.answers.downloads.link(agent, path))


@dataclass(frozen=True, slots=True)
class RunCalls:
    """Calls about an agent's runs."""

    answers: Answers

    async def create(self, request: Request) -> Response:
        """A follow-up."""
        agent_id = _agent_id(request)
        return _raw_json(self.answers.service.create_run(await _call(request), agent_id))

    async def list(self, request: Request) -> Response:
        """A page of runs."""
        return _json(self.answers.lookups.runs(_caller(request), _agent_id(request), _page(request)))

    async def get(self, request: Request) -> Response:
        """One run."""
        return _json(self.answers.lookups.run(_caller(request), **request.path_params))

    async def stream(self, request: Request) -> StreamResponse:
        """What a run says, as it comes."""
        run = self.answers.lookups.run_record(_caller(request), **request.path_params)
        last = request.headers.get("last-event-id")
        heartbeat_seconds = self.answers.heartbeat_seconds
        return StreamResponse(self.answers.lookups, run=run, last_event_id=last, heartbeat_seconds=heartbeat_seconds)

    async def cancel(self, request: Request) -> Response:
        """The end of a run."""
        return _json(self.answers.service.cancel(_caller(request), **request.path_params))


async def _call(request: Request) -> Call:
    return Call(
        caller=_caller(request),
        body=await read_body(request),
        key=request.headers.get(IDEMPOTENCY_HEADER),
        pass_env=request.headers.get(PASS_ENV_HEADER),
        agent_id=request.path_params.get("agent_id"),
    )


def _caller(request: Request) -> Caller:
    caller = request.scope["caller"]
    assert isinstance(caller, Caller)
    return caller


def _agent_id(request: Request) -> str:
    agent_id: str = request.path_params["agent_id"]
    return agent_id


def _page(request: Request) -> Page:
    return read_page(limit=request.query_params.get("limit"), cursor=request.query_params.get("cursor"))


def _json(answer: dict[str, object]) -> Response:
    return _raw_json(orjson.dumps(answer))


def _raw_json(answer: bytes) -> Response:
    return Response(answer, media_type="application/json")
