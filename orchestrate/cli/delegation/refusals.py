"""Errors in the codes of the delegation verbs: each error of the program has one, found in one place."""

from collections.abc import Mapping
from http import HTTPStatus

from orchestrate.cli.confirming import NotConfirmed
from orchestrate.cli.delegation.codes import MEANINGS, Code
from orchestrate.cli.usage import UsageRefused
from orchestrate.errors import (
    CapacityReached,
    InputRefused,
    OrchestrateError,
    OutcomeUnknown,
    ProtocolBroken,
    RateLimited,
    Refused,
    ServiceError,
    StorageFailed,
    Unavailable,
    WorkspaceDamaged,
)

#: Answers of the service whose code decides alone.
_BY_SERVICE_CODE = {
    "agent_busy": Code.AGENT_BUSY,
    "integration_not_connected": Code.REPO_ACCESS,
    "repository_access": Code.REPO_ACCESS,
    "repository_unavailable": Code.REPO_ACCESS,
    "usage_limit_exceeded": Code.QUOTA_EXHAUSTED,
    "feature_unavailable": Code.UNSUPPORTED,
    "not_supported": Code.UNSUPPORTED,
    "unsupported": Code.UNSUPPORTED,
}
_BY_STATUS: dict[int, Code] = {
    HTTPStatus.UNAUTHORIZED: Code.AUTH_FAILED,
    HTTPStatus.FORBIDDEN: Code.AUTH_FAILED,
    HTTPStatus.PAYMENT_REQUIRED: Code.QUOTA_EXHAUSTED,
    HTTPStatus.NOT_FOUND: Code.NOT_FOUND,
    HTTPStatus.GONE: Code.NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED: Code.UNSUPPORTED,
    HTTPStatus.NOT_IMPLEMENTED: Code.UNSUPPORTED,
}
#: By kind of error; the first that fits.
_BY_KIND: tuple[tuple[type[OrchestrateError], Code], ...] = (
    (NotConfirmed, Code.CONFIRMATION_REQUIRED),
    (WorkspaceDamaged, Code.STATE_CORRUPT),
    (StorageFailed, Code.STATE_CORRUPT),
    (InputRefused, Code.INVALID_INPUT),
    (CapacityReached, Code.CAPACITY),
    (RateLimited, Code.RATE_LIMITED),
    (Unavailable, Code.SERVICE_UNAVAILABLE),
    (OutcomeUnknown, Code.UNKNOWN_OUTCOME),
    (ProtocolBroken, Code.MALFORMED_RESPONSE),
    (Refused, Code.INVALID_INPUT),
)


class DelegationRefused(OrchestrateError):
    """A refusal that has its code already, with fields for the object beside the error."""

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        hint: str | None = None,
        request_id: str | None = None,
        fields: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.request_id = request_id
        self.fields = dict(fields or {})


class Interrupted(OrchestrateError):
    """A signal ended the command."""


def code_of(error: OrchestrateError) -> Code:
    """The stable code of any error of this program."""
    if isinstance(error, DelegationRefused):
        return error.code
    if isinstance(error, Interrupted):
        return Code.INTERRUPTED
    if isinstance(error, ServiceError) and not isinstance(error, OutcomeUnknown | CapacityReached):
        found = _BY_SERVICE_CODE.get(error.code) or _BY_STATUS.get(error.status or 0)
        if found is not None:
            return found
    return next((code for kind, code in _BY_KIND if isinstance(error, kind)), Code.INTERNAL_ERROR)


def error_object(error: OrchestrateError, *, verb: str) -> dict[str, object]:
    """``error`` of the JSON contract."""
    code = code_of(error)
    told: dict[str, object] = {
        "code": code.value,
        "message": error.message,
        "retryable": MEANINGS[code].retryable,
        "recoveryAction": recovery_of(error, verb=verb),
    }
    request_id = getattr(error, "request_id", None)
    return told if request_id is None else {**told, "requestId": request_id}


def recovery_of(error: OrchestrateError, *, verb: str) -> str:
    """What to do: the refusal's own sentence, else that of its code with what the error knows beside it."""
    code = code_of(error)
    if isinstance(error, DelegationRefused | Interrupted) and error.hint is not None:
        return error.hint
    if isinstance(error, RateLimited) and error.retry_after_seconds is not None:
        wait = f"Wait {error.retry_after_seconds:g} s, then type the same command again"
        return f"{wait}; `orchestrate help {verb}` shows its options."
    usual = MEANINGS[code].recovery.format(verb=verb)
    if error.hint is not None and error.hint.startswith("see https://"):
        return f"{usual.rstrip('.')} ({error.hint})."
    if isinstance(error, InputRefused | StorageFailed) and not isinstance(error, UsageRefused) and error.hint:
        return f"{error.hint[0].upper()}{error.hint[1:].rstrip('.')}; {usual[0].lower()}{usual[1:]}"
    return usual
