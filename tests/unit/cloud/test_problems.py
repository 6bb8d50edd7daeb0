import socket
import ssl

import httpx
import pytest
from pydantic import ValidationError

from orchestrate.cloud.answers import Answer
from orchestrate.cloud.problems import Call, Problems
from orchestrate.errors import OutcomeUnknown, ProtocolBroken, RateLimited, Refused, Unavailable
from orchestrate.model.wire import Run

GET = Call("get run run-1", "GET")
POST = Call("create agent", "POST")
PROBLEMS = Problems(host="api.example", secret="key-123")


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (httpx.ConnectTimeout(""), "connect_timeout", "api.example does not answer"),
        (httpx.PoolTimeout(""), "connect_timeout", "api.example does not answer"),
        (httpx.ConnectError(""), "unreachable", "api.example cannot be reached"),
        (httpx.ProxyError(""), "unreachable", "api.example cannot be reached"),
    ],
)
def test_what_was_never_sent_may_be_repeated(error, code, words):
    problem = PROBLEMS.no_answer(POST, error)
    assert (type(problem), problem.code, problem.message) == (Unavailable, code, f"create agent: {words}")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (httpx.ReadTimeout(""), "timeout"),
        (httpx.WriteTimeout(""), "timeout"),
        (TimeoutError(), "timeout"),
        (httpx.ReadError(""), "disconnected"),
        (httpx.WriteError(""), "disconnected"),
        (httpx.RemoteProtocolError(""), "disconnected"),
        (httpx.DecodingError(""), "disconnected"),
    ],
)
def test_silence_after_sending_is_unknown_for_what_changes_something_only(error, code):
    assert (type(PROBLEMS.no_answer(POST, error)), PROBLEMS.no_answer(POST, error).code) == (OutcomeUnknown, code)
    assert (type(PROBLEMS.no_answer(GET, error)), PROBLEMS.no_answer(GET, error).code) == (Unavailable, code)


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (socket.gaierror(), ": its name is not known"),
        (ssl.SSLCertVerificationError(), ": its certificate is not trusted"),
        (ssl.SSLError(), ": it speaks no proper TLS"),
        (ExceptionGroup("all", [OSError(), ConnectionRefusedError()]), ": nothing listens there"),
        (OSError(), ""),
    ],
)
def test_the_telling_cause_is_named(cause, words):
    middle = OSError("All connection attempts failed")
    middle.__cause__ = cause
    error = httpx.ConnectError("")
    error.__cause__ = middle
    assert PROBLEMS.no_answer(GET, error).message == f"get run run-1: api.example cannot be reached{words}"


def _answer(status, body=b"", **headers):
    return Answer(status, httpx.Headers(headers), body)


def test_a_refusal_keeps_everything_the_service_said():
    body = b'{"error":{"code":"repository_access","message":"No access to x","helpUrl":"https://help.example"}}'
    problem = PROBLEMS.refused(POST, _answer(403, body, **{"x-request-id": "r-1"}))
    assert type(problem) is Refused
    assert problem.message == "create agent: No access to x (403 repository_access)"
    assert (problem.code, problem.status, problem.request_id) == ("repository_access", 403, "r-1")
    assert problem.hint == "see https://help.example"


def test_a_limit_says_how_long_to_wait():
    problem = PROBLEMS.refused(GET, _answer(429, **{"retry-after": "9"}))
    assert isinstance(problem, RateLimited)
    assert problem.message == "get run run-1: no reason given (429 rate_limit_exceeded)"
    assert problem.retry_after_seconds == 9.0


def test_the_key_is_never_repeated():
    body = b'{"code":"bad key-123","message":"bad key key-123\\u001b[31m","helpUrl":"https://x/?k=key-123"}'
    problem = PROBLEMS.refused(GET, _answer(400, body))
    assert "key-123" not in f"{problem} {problem.code} {problem.hint}"
    assert "\x1b" not in str(problem)


def test_a_long_message_is_cut():
    body = b'{"message":"%s"}' % (b"x" * 5000)
    assert len(PROBLEMS.refused(GET, _answer(400, body)).message) < 600


@pytest.mark.parametrize(("call", "kind"), [(GET, ProtocolBroken), (POST, OutcomeUnknown)])
def test_a_success_that_does_not_fit_names_the_place(call, kind):
    with pytest.raises(ValidationError) as caught:
        Run.model_validate_json(b'{"id":"run-1","agentId":"bc-1","status":"LOST","createdAt":"","updatedAt":""}')
    problem = PROBLEMS.unfit(call, _answer(200), caught.value)
    assert type(problem) is kind
    assert problem.message.startswith(f"{call.what}: the answer of api.example does not fit the contract: status: ")


def test_a_body_that_is_no_json_is_named_as_a_whole():
    with pytest.raises(ValidationError) as caught:
        Run.model_validate_json(b"<html>")
    assert "the body: Invalid JSON" in PROBLEMS.unfit(GET, _answer(200), caught.value).message
