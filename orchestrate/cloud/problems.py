"""What went wrong at the service, translated once into errors by whose move is next.

An answer is read by its code, then by its status (see ``answers``). No answer is read by what had happened before: a
request that never left may be repeated; one that left may have been carried out, if it was to change something.
"""

import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal

import httpx
from pydantic import ValidationError

from orchestrate.cloud.answers import Answer, error_body, hint_for, kind_of, retry_after_seconds
from orchestrate.errors import OutcomeUnknown, ProtocolBroken, Refused, ServiceError, Unavailable
from orchestrate.model.wire import ErrorBody

_LONGEST_MESSAGE = 500
#: Code of a link that the host where it leads does not take.
LINK_REFUSED = "link_refused"
_LINK_REFUSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.GONE})

#: Failures before anything was sent, and all others; the first class that fits gives the code.
_NOTHING_SENT: tuple[tuple[type[Exception], str], ...] = (
    (httpx.ConnectTimeout, "connect_timeout"),
    (httpx.PoolTimeout, "connect_timeout"),
    (httpx.ConnectError, "unreachable"),
    (httpx.ProxyError, "unreachable"),
    (httpx.UnsupportedProtocol, "unreachable"),
)
_SENT: tuple[tuple[type[Exception], str], ...] = (
    (httpx.TimeoutException, "timeout"),
    (TimeoutError, "timeout"),
    (Exception, "disconnected"),
)
_WORDS_BY_CODE = {
    "connect_timeout": "{host} does not answer",
    "unreachable": "{host} cannot be reached{because}",
    "timeout": "{host} did not answer in time",
    "disconnected": "the connection to {host} broke before the whole answer had come",
}
#: Causes worth naming, the most telling first.
_CAUSES: tuple[tuple[type[BaseException], str], ...] = (
    (socket.gaierror, "its name is not known"),
    (ssl.SSLCertVerificationError, "its certificate is not trusted"),
    (ssl.SSLError, "it speaks no proper TLS"),
    (ConnectionRefusedError, "nothing listens there"),
)


@dataclass(frozen=True, slots=True)
class Call:
    """One request in words, and whether it changes anything at the service."""

    what: str
    method: Literal["GET", "POST"]


@dataclass(frozen=True, slots=True)
class Problems:
    """Makes errors for calls to one host; ``secret`` never appears in them."""

    host: str
    secret: str
    now: Callable[[], float] | None = None
    #: True for a host beside the service: it never gets the key, and what it says is none of the contract.
    is_beside: bool = False

    def no_answer(self, call: Call, error: Exception) -> ServiceError:
        """There is no answer, or not the whole of it."""
        nothing_sent = isinstance(error, tuple(kind for kind, _ in _NOTHING_SENT))
        code = next(code for kind, code in _NOTHING_SENT + _SENT if isinstance(error, kind))
        words = _WORDS_BY_CODE[code].format(host=self.host, because=_because(error))
        if nothing_sent or call.method == "GET":
            return Unavailable(f"{call.what}: {words}", code=code)
        return OutcomeUnknown(f"{call.what}: {words}; it may have been done", code=code)

    def refused(self, call: Call, answer: Answer) -> ServiceError:
        """The answer is no success."""
        if self.is_beside:
            return self._refused_beside(call, answer)
        said = error_body(answer)
        kind = kind_of(answer.status, said)
        code = self._clean(said.code)
        hint = hint_for(said)
        hint = self._clean(hint) if hint else None
        message = f"{call.what}: {self._clean(said.message) or 'no reason given'} ({answer.status} {code})"
        if issubclass(kind, Refused):
            return kind(message, code=code, status=answer.status, request_id=answer.request_id, hint=hint)
        return kind(
            message,
            code=code,
            status=answer.status,
            request_id=answer.request_id,
            hint=hint,
            retry_after_seconds=retry_after_seconds(answer.headers, now=self.now),
        )

    def _refused_beside(self, call: Call, answer: Answer) -> ServiceError:
        """The link's host took no key, so that it refused the link: there may be a new one."""
        message = f"{call.what}: {self.host}, where the service's link leads, answered {answer.status}"
        if answer.status in _LINK_REFUSED:
            message = f"{message}: the link has expired, or is for somebody else. The key is not sent there"
            return Unavailable(message, code=LINK_REFUSED, status=answer.status)
        kind = kind_of(answer.status, ErrorBody())
        return kind(message, code="link_failed", status=answer.status)

    def unfit(self, call: Call, answer: Answer, error: ValidationError) -> ServiceError:
        """The answer is a success whose body does not fit the contract."""
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the body"
        return self.broken(call, answer, f"{place}: {first['msg']}")

    def broken(self, call: Call, answer: Answer, fault: str) -> ServiceError:
        """The answer cannot be used; what was asked for may have been done all the same."""
        kind = ProtocolBroken if call.method == "GET" else OutcomeUnknown
        message = f"{call.what}: the answer of {self.host} does not fit the contract: {self._clean(fault)}"
        return kind(message, code="unfit_answer", status=answer.status, request_id=answer.request_id)

    def _clean(self, text: str) -> str:
        """Printable, short, and without the key."""
        printable = "".join(character if character.isprintable() else " " for character in text)
        return printable.replace(self.secret, "***")[:_LONGEST_MESSAGE].strip()


def _because(error: BaseException) -> str:
    raised = tuple(_all_causes(error))
    for kind, words in _CAUSES:
        if any(isinstance(one, kind) for one in raised):
            return f": {words}"
    return ""


def _all_causes(error: BaseException) -> Iterator[BaseException]:
    """Everything that was raised on the way to this error."""
    waiting: list[BaseException | None] = [error]
    while waiting:
        current = waiting.pop()
        if current is None:
            continue
        yield current
        waiting += [current.__cause__, current.__context__]
        if isinstance(current, BaseExceptionGroup):
            waiting += current.exceptions
