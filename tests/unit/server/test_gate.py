import orjson
import pytest
import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from orchestrate.errors import Refused, ServiceError
from orchestrate.server.access import OWNER, Keyring
from orchestrate.server.gate import BODY_BYTES, Gate, exception_handlers, read_body

HEADERS = {b"host": b"127.0.0.1:7", b"authorization": b"Bearer token"}


async def ask(headers, path="/v1/me"):
    """Status, headers, body, and the callers that came through."""
    came, sent = [], []

    async def app(scope, receive, send):
        came.append(scope["caller"])
        await PlainTextResponse("in")(scope, receive, send)

    async def send(message):
        sent.append(message)

    gate = Gate(app, keyring=Keyring("token"), port=7, on_request=lambda: came.append("request"))
    await gate({"type": "http", "path": path, "headers": list(headers.items())}, None, send)
    return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"], came


async def test_the_owner_comes_in_and_the_answer_is_stamped():
    status, headers, body, came = await ask(HEADERS)

    assert (status, body, came) == (200, b"in", ["request", OWNER])
    assert headers[b"x-request-id"].startswith(b"req-")


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({b"host": b"127.0.0.1"}, 403),
        ({b"host": b"example.com:7"}, 403),
        ({b"origin": b"http://example.com"}, 403),
        ({b"origin": b"http://127.0.0.1:7"}, 200),
        ({b"host": b"localhost:7"}, 200),
        ({b"authorization": b"Bearer x"}, 401),
    ],
)
async def test_who_does_not_come_from_here_stays_out(change, status):
    answered, headers, _, came = await ask({**HEADERS, **change})

    assert answered == status
    assert b"x-request-id" in headers
    assert bool(came) == (status == 200)


@pytest.mark.parametrize(("change", "status"), [({}, 200), ({b"host": b"x"}, 403), ({b"origin": b"http://x"}, 403)])
async def test_a_link_needs_no_token_and_must_come_from_here_all_the_same(change, status):
    answered, _, _, came = await ask({b"host": b"127.0.0.1:7", **change}, path="/v1/downloads/bc-1")

    assert answered == status
    assert came == (["request", None] if status == 200 else [])


async def test_without_a_host_nobody_comes_in():
    assert (await ask({b"authorization": b"Bearer token"}))[0] == 403


def request(pieces, **headers):
    async def receive():
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/x", "headers": raw, "query_string": b"", "server": ("h", 1)}
    return Request(scope, receive)


async def test_a_body_is_put_together():
    assert await read_body(request([b"a", b"b"])) == b"ab"


@pytest.mark.parametrize("length", [str(BODY_BYTES + 1), "x"])
async def test_an_announced_length_that_will_not_do_is_refused_unread(length):
    with pytest.raises(Refused, match="larger"):
        await read_body(request([b""], content_length=length))


async def test_a_body_that_turns_out_too_large_is_refused():
    with pytest.raises(Refused, match="larger"):
        await read_body(request([b"x" * BODY_BYTES, b"x"]))


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Refused("no", status=409, code="agent_busy"), 409, "agent_busy"),
        (HTTPException(404), 404, "not_found"),
        (HTTPException(405), 405, "method_not_allowed"),
        (HTTPException(418), 418, "bad_request"),
        (ValueError("secret detail"), 500, "internal"),
    ],
)
async def test_every_exception_is_answered_in_the_contracts_shape(error, status, code):
    handlers = exception_handlers(structlog.wrap_logger(structlog.ReturnLogger()))
    kind = next(kind for kind in (ServiceError, HTTPException, Exception) if isinstance(error, kind))

    response = await handlers[kind](request([b""]), error)

    assert (response.status_code, orjson.loads(response.body)["error"]["code"]) == (status, code)
    assert b"secret" not in response.body
