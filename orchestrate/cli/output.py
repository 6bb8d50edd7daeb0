"""Where words go: data to stdout, talk to stderr, and with ``--json`` exactly one object on stdout."""

import re
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NewType

from orchestrate.cli.recovery import what_to_do
from orchestrate.errors import (
    OrchestrateError,
    OutcomeUnknown,
    PlanRefused,
    ServiceError,
    SeveralRefused,
    Unavailable,
)

if TYPE_CHECKING:
    from orchestrate.model.faults import Fault

Json = NewType("Json", bytes)

_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


def say(lines: Iterable[str]) -> None:
    """Lines of talk, for stderr."""
    text = "".join(f"{line}\n" for line in lines)
    if text:
        sys.stderr.write(_encodable(text, sys.stderr.encoding))
        sys.stderr.flush()


def put(lines: Iterable[str]) -> None:
    """Lines of data, for stdout."""
    sys.stdout.write(_encodable("".join(f"{line}\n" for line in lines), sys.stdout.encoding))


def put_bytes(data: bytes) -> None:
    """Data as it is, for stdout."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def put_json(document: Mapping[str, object]) -> None:
    """One object on one line of stdout."""
    from orchestrate.model.dumping import dump

    put_bytes(dump(document) + b"\n")


def success(operation: str, **fields: object) -> dict[str, object]:
    """The object of an operation that was done."""
    return {"ok": True, "operation": operation, **fields}


def failure(operation: str, error: OrchestrateError, **fields: object) -> dict[str, object]:
    """The object of an operation that was refused or failed."""
    told: dict[str, object] = {
        "code": error_code(error),
        "message": error.message,
        "retryable": isinstance(error, Unavailable | OutcomeUnknown),
        "recoveryAction": _recovery(error),
    }
    if isinstance(error, ServiceError) and error.request_id is not None:
        told["requestId"] = error.request_id
    if error.known:
        fields = {**fields, "known": list(error.known)}
    if isinstance(error, PlanRefused):
        fields = {**fields, "faults": [fault_document(fault) for fault in error.faults]}
    if isinstance(error, SeveralRefused):
        fields = {**fields, "faults": [_refusal_document(each) for each in error.refusals]}
    return {"ok": False, "operation": operation, "error": told, **fields}


def _refusal_document(error: OrchestrateError) -> dict[str, object]:
    return {"code": error_code(error), "message": error.message, "recoveryAction": _recovery(error)}


def fault_document(fault: "Fault") -> dict[str, object]:
    """A fault of a plan; without a line where there is none."""
    document: dict[str, object] = {"path": fault.path, "message": fault.message}
    return document if fault.line is None else {**document, "line": fault.line}


def error_code(error: OrchestrateError) -> str:
    """The service's own code, else what kind of error it is: ``plan_refused``."""
    if isinstance(error, ServiceError) and error.code:
        return error.code
    return _WORDS.sub("_", type(error).__name__).lower()


def _recovery(error: OrchestrateError) -> str:
    return what_to_do(error) or "change the call; the same one would be refused again"


def _encodable(text: str, encoding: str) -> str:
    """The text in what the stream can take; a letter that it lacks becomes a question mark."""
    return text.encode(encoding, "replace").decode(encoding)
