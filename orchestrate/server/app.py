"""The calls of the Cloud Agents API as routes; deleting is none of them."""

from collections.abc import Callable

import orjson
import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from orchestrate.model.names import Timestamp
from orchestrate.model.wire import IDEMPOTENCY_HEADER, PASS_ENV_HEADER
from orchestrate.server import faults
from orchestrate.server.access import Caller, Keyring
from orchestrate.server.gate import Gate, exception_handlers, read_body
from orchestrate.server.service import Call, Service
from orchestrate.server.watching import StreamResponse

_DEFAULT_PAGE = 20
_LARGEST_PAGE = 100
_MOST_CURSOR_DIGITS = 18


def build_app(
    service: Service,
    *,
    keyring: Keyring,
    port: int,
    started_at: Timestamp,
    on_request: Callable[[], None],
    heartbeat_seconds: float,
    log: structlog.typing.FilteringBoundLogger,
) -> Gate:
    """The application behind its gate."""
    calls = _Calls(service, started_at=started_at, heartbeat_seconds=heartbeat_seconds)
    run = "/v1/agents/{agent_id}/runs/{run_id}"
    routes = [
        Route("/v1/agents", calls.create_agent, methods=["POST"]),
        Route("/v1/agents/{agent_id}", calls.get_agent, methods=["GET"]),
        Route("/v1/agents/{agent_id}/runs", calls.list_runs, methods=["GET"]),
        Route(run, calls.get_run, methods=["GET"]),
        Route(f"{run}/stream", calls.stream_run, methods=["GET"]),
        Route(f"{run}/cancel", calls.cancel_run, methods=["POST"]),
        Route("/v1/models", calls.list_models, methods=["GET"]),
        Route("/v1/me", calls.who_am_i, methods=["GET"]),
    ]
    app = Starlette(routes=routes, exception_handlers=exception_handlers(log))
    app.router.redirect_slashes = False
    return Gate(app, keyring=keyring, port=port, on_request=on_request)


class _Calls:
    def __init__(self, service: Service, *, started_at: Timestamp, heartbeat_seconds: float) -> None:
        self._service = service
        self._heartbeat_seconds = heartbeat_seconds
        self._started_at = started_at

    async def create_agent(self, request: Request) -> Response:
        call = Call(
            caller=_caller(request),
            body=await read_body(request),
            key=request.headers.get(IDEMPOTENCY_HEADER),
            pass_env=request.headers.get(PASS_ENV_HEADER),
        )
        return Response(await self._service.create_agent(call), media_type="application/json")

    async def get_agent(self, request: Request) -> Response:
        return _json(self._service.agent(_caller(request), request.path_params["agent_id"]))

    async def list_runs(self, request: Request) -> Response:
        limit = _page_size(request.query_params.get("limit"))
        before = _cursor(request.query_params.get("cursor"))
        agent_id = request.path_params["agent_id"]
        return _json(self._service.runs(_caller(request), agent_id, limit=limit, before=before))

    async def get_run(self, request: Request) -> Response:
        return _json(self._service.run(_caller(request), **request.path_params))

    async def stream_run(self, request: Request) -> StreamResponse:
        run = self._service.run_record(_caller(request), **request.path_params)
        last = request.headers.get("last-event-id")
        return StreamResponse(self._service, run=run, last_event_id=last, heartbeat_seconds=self._heartbeat_seconds)

    async def cancel_run(self, request: Request) -> Response:
        return _json(self._service.cancel(_caller(request), **request.path_params))

    async def list_models(self, _request: Request) -> Response:
        models = [{"id": model, "displayName": model} for model in self._service.models]
        own = {"id": "default", "displayName": "whatever the agent program uses", "aliases": ["auto"]}
        return _json({"items": models or [own]})

    async def who_am_i(self, request: Request) -> Response:
        return _json({"apiKeyName": f"local {_caller(request).scope}", "createdAt": self._started_at})


def _caller(request: Request) -> Caller:
    caller = request.scope["caller"]
    assert isinstance(caller, Caller)
    return caller


def _json(answer: dict[str, object]) -> Response:
    return Response(orjson.dumps(answer), media_type="application/json")


def _page_size(text: str | None) -> int:
    if text is None:
        return _DEFAULT_PAGE
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= _LARGEST_PAGE):
        raise faults.invalid(f"limit: must be a number from 1 to {_LARGEST_PAGE}")
    return int(text)


def _cursor(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_CURSOR_DIGITS):
        raise faults.invalid("cursor: not one of ours")
    return int(text)
