import httpx
import orjson
import pytest

from orchestrate.cloud.answers import Answer, error_body, hint_for, kind_of, retry_after_seconds
from orchestrate.errors import CapacityReached, RateLimited, Refused, Unavailable
from orchestrate.model.wire import ErrorBody


def _answer(status, body):
    return Answer(
        status, httpx.Headers({"x-request-id": "r-1"}), body if isinstance(body, bytes) else orjson.dumps(body)
    )


@pytest.mark.parametrize(
    ("status", "body", "code", "message"),
    [
        (400, {"error": {"code": "invalid_model", "message": "m"}}, "invalid_model", "m"),
        (400, {"code": "invalid_model", "message": "m"}, "invalid_model", "m"),  # the inner object alone
        (401, b"", "unauthorized", ""),
        (403, b"<html>", "forbidden", ""),
        (404, {"error": "no such thing"}, "not_found", "no such thing"),
        (404, [1], "not_found", ""),
        (404, {"error": None}, "not_found", ""),
        (409, {"error": {"code": 7, "message": ["m"]}}, "conflict", ""),  # of another type: as if missing
        (418, b"", "refused", ""),
        (302, b"", "redirected", ""),
        (503, b"\xff", "server_error", ""),
    ],
)
def test_what_an_answer_says(status, body, code, message):
    said = error_body(_answer(status, body))
    assert (said.code, said.message) == (code, message)


CROWDED = "rate-limited due to too many concurrent runs"


@pytest.mark.parametrize(
    ("status", "code", "message", "kind"),
    [
        (400, "bad_request", "", Refused),
        (401, "unauthorized", "", Refused),
        (409, "agent_busy", "", Refused),
        (410, "stream_expired", "", Refused),
        (302, "redirected", "", Refused),
        (408, "request_timeout", "", Unavailable),
        (500, "server_error", "", Unavailable),
        (503, "server_error", CROWDED, Unavailable),
        (429, "rate_limit_exceeded", "slow down", RateLimited),
        (400, "rate_limit_exceeded", "slow down", RateLimited),
        (429, "whatever", "", RateLimited),
        (429, "rate_limit_exceeded", CROWDED, CapacityReached),  # wording wins over the code,
        (400, "bad_request", "Too many active agents", CapacityReached),  # whatever the status
        (403, "concurrency_limit", "", CapacityReached),
        (403, "forbidden", CROWDED, Refused),  # but not over a code that decides
        (400, "validation_error", f"Branch '{CROWDED}' does not exist", Refused),
        (400, "bad_request", "no capacity-planning file", Refused),
        (429, "usage_limit_exceeded", CROWDED, Unavailable),
        (402, "usage_limit_exceeded", "", Unavailable),
        (400, "usage_limit_exceeded", "at least $2 must remain until the limit", Unavailable),
    ],
)
def test_whose_move_is_next(status, code, message, kind):
    assert kind_of(status, ErrorBody(code=code, message=message)) is kind


@pytest.mark.parametrize(
    ("code", "help_url", "hint"),
    [
        ("repository_access", "https://cursor.com/help", "see https://cursor.com/help"),
        ("repository_access", "javascript:alert(1)", None),
        ("unauthorized", None, "check the API key (CURSOR_API_KEY)"),
    ],
)
def test_what_to_do(code, help_url, hint):
    assert hint_for(ErrorBody(code=code, help_url=help_url)) == hint


TEN = "Wed, 04 Mar 2026 14:31:10 GMT"
NOW = 1772634660.0  # ten seconds before


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": " 1.5 "}, 1.5),
        ({"Retry-After": "86400000"}, 31 * 86400.0),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": TEN}, 10.0),
        ({"Retry-After": TEN, "Date": "Wed, 04 Mar 2026 14:31:07 GMT"}, 3.0),  # the service's clock, not ours
        ({"Retry-After": TEN, "Date": "Wed, 04 Mar 2026 14:32:00 GMT"}, 0.0),
        ({"Retry-After": "Wed, 04 Mar 9999 14:31:10 GMT"}, 31 * 86400.0),
    ],
)
def test_how_long_to_wait(headers, seconds):
    assert retry_after_seconds(httpx.Headers(headers), now=lambda: NOW) == seconds


def test_a_date_without_any_clock_says_nothing():
    assert retry_after_seconds(httpx.Headers({"Retry-After": TEN}), now=None) is None


def test_the_request_id_is_the_services():
    assert _answer(200, b"").request_id == "r-1"
    assert Answer(200, httpx.Headers(), b"").request_id is None
