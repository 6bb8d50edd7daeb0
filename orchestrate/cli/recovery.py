"""What to do about an error: what it says itself, else what follows from whose move is next."""

from orchestrate.errors import (
    OrchestrateError,
    OutcomeUnknown,
    PlanRefused,
    ProtocolBroken,
    RateLimited,
    ServiceError,
    SeveralRefused,
    StorageFailed,
    Unavailable,
)

_AGAIN = "run the same command again"
_ADDRESS = "the service's address (CURSOR_BACKEND_URL)"
#: Codes of ours for a service that nobody has spoken to.
_NOT_REACHED = ("unreachable", "connect_timeout")
_NOT_THERE = 404


def what_to_do(error: OrchestrateError) -> str | None:
    """The advice for people and programs; None where only the message itself can say it."""
    if error.hint is not None:
        return error.hint
    if isinstance(error, PlanRefused | SeveralRefused):
        return f"mend the faults, then {_AGAIN}"
    if isinstance(error, RateLimited) and error.retry_after_seconds is not None:
        return f"wait {error.retry_after_seconds:g} s, then {_AGAIN}"
    if isinstance(error, StorageFailed):
        return f"make room on the disk, then {_AGAIN}"
    return _at_the_service(error) if isinstance(error, ServiceError) else None


def _at_the_service(error: ServiceError) -> str | None:
    if error.code in _NOT_REACHED:
        return f"check the network and {_ADDRESS}, then {_AGAIN}"
    if isinstance(error, Unavailable | OutcomeUnknown):
        return _AGAIN
    if isinstance(error, ProtocolBroken):
        return f"check that {_ADDRESS} leads to the Cloud Agents API"
    return f"check what the call names, and {_ADDRESS}" if error.status == _NOT_THERE else None
