"""What every request passes: its id, the Host and Origin checks, the token; and what every refusal looks like."""

import uuid
from collections.abc import Callable
from typing import Any

import orjson
import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrate.errors import Refused, ServiceError
from orchestrate.model.wire import BODY_BYTES, REQUEST_ID_HEADER
from orchestrate.server import faults
from orchestrate.server.access import Caller, Keyring

#: What lies below it is asked for by links that carry a signature in a token's place.
SIGNED_LINKS = "/v1/downloads/"

_CODES = {404: "not_found", 405: "method_not_allowed"}


class Gate:
    """Lets a request through to the application once it is known who calls.

    A web page cannot get in: its Origin is another, and a name that was rebound to this machine is not our Host.
    """

    def __init__(self, app: ASGIApp, *, keyring: Keyring, port: int, on_request: Callable[[], None]) -> None:
        self._app = app
        self._keyring = keyring
        self._hosts = frozenset((f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()))
        self._origins = frozenset(b"http://" + host for host in self._hosts)
        self._on_request = on_request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request_id = f"req-{uuid.uuid4()}"
        stamp = (REQUEST_ID_HEADER.encode(), request_id.encode())

        async def send_stamped(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), stamp]
            await send(message)

        try:
            scope["caller"] = self._admit(scope["path"], dict(scope["headers"]))
        except Refused as refusal:
            await refusal_response(refusal)(scope, receive, send_stamped)
            return
        scope["request_id"] = request_id
        self._on_request()
        await self._app(scope, receive, send_stamped)

    def _admit(self, path: str, headers: dict[bytes, bytes]) -> Caller | None:
        """Who calls; None for whoever has a link, which the application checks."""
        if headers.get(b"host") not in self._hosts:
            raise faults.forbidden("The Host header does not name this server")
        if b"origin" in headers and headers[b"origin"] not in self._origins:
            raise faults.forbidden("Requests of web pages are not served")
        if path.startswith(SIGNED_LINKS):
            return None
        caller = self._keyring.caller(headers.get(b"authorization", b"").decode("latin-1"))
        if caller is None:
            raise faults.unauthorized()
        return caller


def refusal_response(refusal: ServiceError) -> Response:
    """A refusal in the contract's shape."""
    headers = {"WWW-Authenticate": "Bearer"} if refusal.status == 401 else None  # noqa: PLR2004  Unauthorized
    return _error_response(refusal.status or 400, refusal.code, refusal.message, headers=headers)


def exception_handlers(log: structlog.typing.FilteringBoundLogger) -> dict[Any, Any]:
    """How the application turns exceptions into answers."""

    async def on_refused(_request: Request, error: ServiceError) -> Response:
        return refusal_response(error)

    async def on_http(request: Request, error: HTTPException) -> Response:
        code = _CODES.get(error.status_code, "bad_request")
        message = f"{error.detail}: {request.method} {request.url.path}"
        return _error_response(error.status_code, code, message, headers=dict(error.headers or {}))

    async def on_fault(request: Request, error: Exception) -> Response:
        log.error("request failed", path=request.url.path, request_id=request.scope.get("request_id"), exc_info=error)
        return _error_response(500, "internal", "The server failed; its log says more")

    return {ServiceError: on_refused, HTTPException: on_http, Exception: on_fault}


async def read_body(request: Request) -> bytes:
    """The body, as long as it is not too large."""
    announced = request.headers.get("content-length", "0")
    if not announced.isdigit() or int(announced) > BODY_BYTES:
        raise faults.body_too_large(BODY_BYTES)
    pieces: list[bytes] = []
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > BODY_BYTES:
            raise faults.body_too_large(BODY_BYTES)
        pieces.append(piece)
    return b"".join(pieces)


def _error_response(status: int, code: str, message: str, *, headers: dict[str, str] | None = None) -> Response:
    body = orjson.dumps({"error": {"code": code, "message": message}})
    return Response(body, status_code=status, media_type="application/json", headers=headers)
