"""An answer that is no success: what it says, and whose move is next by its code and status."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx
import orjson

from orchestrate.errors import CapacityReached, RateLimited, Refused, Unavailable
from orchestrate.model.wire import REQUEST_ID_HEADER, ErrorBody

#: Seconds; more is told to nobody. Whoever waits has a bound of its own.
LONGEST_RETRY_AFTER = 31 * 86_400.0

_CODE_BY_STATUS = {
    400: "bad_request",
    401: "unauthorized",
    402: "payment_required",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    409: "conflict",
    410: "gone",
    413: "request_too_large",
    422: "validation_error",
    425: "too_early",
    429: "rate_limit_exceeded",
}
_REDIRECTION = range(300, 400)
_CLIENT_FAULT = range(400, 500)
#: Answers of the 400 class that ask for nothing but the same request a little later.
_TRANSIENT = frozenset({408, 425})
_USAGE_LIMIT = "usage_limit_exceeded"
_RATE_LIMIT = frozenset({"rate_limit_exceeded", "rate_limited", "too_many_requests"})
#: Codes that decide alone: their message may quote the plan, so that its wording proves nothing.
_REFUSING_CODES = frozenset(
    {
        "agent_archived",
        "agent_busy",
        "agent_id_conflict",
        "forbidden",
        "idempotency_conflict",
        "integration_not_connected",
        "invalid_model",
        "repository_access",
        "repository_required",
        "run_not_cancellable",
        "run_not_found",
        "unauthorized",
        "validation_error",
    }
)
_CAPACITY_CODE = re.compile(r"concurren|capacity|too_many_(?:active_)?(?:agents|runs)")
_CAPACITY_WORDING = re.compile(
    r"too many (?:concurrent|active|running) "
    r"|concurren(?:t|cy) (?:agents? |runs? )?limit"
    r"|maximum (?:number )?(?:of )?concurrent ",
    re.IGNORECASE,
)
_SECONDS = re.compile(r"\d{1,9}(?:\.\d+)?", re.ASCII)
_HINT_BY_CODE = {
    "unauthorized": "check the API key (CURSOR_API_KEY)",
    "forbidden": "use an API key that may do that",
    "redirected": "check the address (CURSOR_BACKEND_URL); redirects are not followed with the key",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, its body read whole."""

    status: int
    headers: httpx.Headers
    body: bytes

    @property
    def request_id(self) -> str | None:
        """The service's own name for the request."""
        request_id: str | None = self.headers.get(REQUEST_ID_HEADER)
        return request_id


def error_body(answer: Answer) -> ErrorBody:
    """What the answer says, wrapped in ``error`` or bare; the code follows from the status where it says none."""
    said = _said(answer.body)
    return said if said.code else said.model_copy(update={"code": _code_by_status(answer.status)})


def kind_of(status: int, said: ErrorBody) -> type[Refused] | type[Unavailable]:
    """Whose move is next."""
    if said.code == _USAGE_LIMIT:
        return Unavailable
    if status in _CLIENT_FAULT and _is_about_capacity(said):
        return CapacityReached
    if status == httpx.codes.TOO_MANY_REQUESTS or said.code in _RATE_LIMIT:
        return RateLimited
    if status in _TRANSIENT or status >= httpx.codes.INTERNAL_SERVER_ERROR:
        return Unavailable
    return Refused


def hint_for(said: ErrorBody) -> str | None:
    """What to do about it, the service's own page first."""
    if said.help_url and said.help_url.startswith("https://"):
        return f"see {said.help_url}"
    return _HINT_BY_CODE.get(said.code)


def retry_after_seconds(headers: httpx.Headers, *, now: Callable[[], float] | None) -> float | None:
    """How long to wait; a date is taken against the answer's own ``Date``, so that clocks may differ."""
    text = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(text):
        return min(float(text), LONGEST_RETRY_AFTER)
    until = _epoch(text)
    reference = _epoch(headers.get("date", ""))
    if reference is None and now is not None:
        reference = now()
    if until is None or reference is None:
        return None
    return min(max(until - reference, 0.0), LONGEST_RETRY_AFTER)


def _said(body: bytes) -> ErrorBody:
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ErrorBody()
    inner = answer.get("error", answer) if isinstance(answer, dict) else None
    if isinstance(inner, str):
        return ErrorBody(message=inner)
    if not isinstance(inner, dict):
        return ErrorBody()
    return ErrorBody.model_validate({name: value for name, value in inner.items() if isinstance(value, str)})


def _code_by_status(status: int) -> str:
    if status in _CODE_BY_STATUS:
        return _CODE_BY_STATUS[status]
    if status in _REDIRECTION:
        return "redirected"
    return "refused" if status in _CLIENT_FAULT else "server_error"


def _is_about_capacity(said: ErrorBody) -> bool:
    if said.code in _REFUSING_CODES:
        return False
    return bool(_CAPACITY_CODE.search(said.code) or _CAPACITY_WORDING.search(said.message))


def _epoch(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None
