"""Errors, split by whose move is next.

::

    OrchestrateError
     ├── ServiceError              no success, or no answer, from the Cloud Agents API
     │    ├── Refused              nothing was done; the same call would be refused again
     │    ├── Unavailable          nothing was done; the same call may be repeated later
     │    │    ├── RateLimited         too many calls: wait at least ``retry_after_seconds``
     │    │    └── CapacityReached     the service takes no more agents now; no try is counted
     │    ├── OutcomeUnknown       it may have been done: look before anything else
     │    └── ProtocolBroken       the answer does not fit the contract
     ├── InputRefused              what the user gave is wrong: the plan, a file, an option
     │    ├── PlanRefused          the plan, with every fault at once
     │    ├── SeveralRefused       several things at once: what a look before the launch has found
     │    └── WorkspaceDamaged     files of ours that cannot be trusted as they are
     ├── MeasurementError          no value can be taken from what a measurement's command printed
     └── StorageFailed             a write or sync failed; nothing may start after it

A class exists only if somebody catches it. Messages say what happened, to what; ``hint`` says what to do.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrate.model.faults import Fault


class OrchestrateError(Exception):
    """Base of all errors that a user may meet; ``hint`` is what to do, ``known`` what else is known."""

    def __init__(self, message: str, *, hint: str | None = None, known: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.known = tuple(known)


class ServiceError(OrchestrateError):
    """An answer of the Cloud Agents API that is no success, or no answer; ``status`` is None without one."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        status: int | None = None,
        request_id: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.status = status
        self.request_id = request_id


class Refused(ServiceError):
    """Nothing was done and the same call would be refused again (400, 401, 403, 404, 409)."""


class Unavailable(ServiceError):
    """Nothing was done; the same call, with the same key, may be repeated after a while."""

    def __init__(
        self,
        message: str,
        *,
        retry_after_seconds: float | None = None,
        code: str = "",
        status: int | None = None,
        request_id: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, code=code, status=status, request_id=request_id, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class RateLimited(Unavailable):
    """429: too many calls of this kind."""


class CapacityReached(Unavailable):
    """The service runs as many agents as it allows; waiting is all there is to do."""


class OutcomeUnknown(ServiceError):
    """The request left and no answer came: it may have been done."""


class ProtocolBroken(ServiceError):
    """The answer does not fit the contract of the Cloud Agents API."""


class InputRefused(OrchestrateError):
    """What the user gave cannot be used; nothing was started (exit 2)."""


class PlanRefused(InputRefused):
    """The plan has faults; all of them are in ``faults``."""

    def __init__(self, message: str, *, faults: "Sequence[Fault]", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.faults = tuple(faults)


class SeveralRefused(InputRefused):
    """Several things are wrong; each of them is in ``refusals``."""

    def __init__(self, message: str, *, refusals: Sequence[InputRefused]) -> None:
        super().__init__(message)
        self.refusals = tuple(refusals)


class WorkspaceDamaged(InputRefused):
    """A file of ours is torn, foreign or from a newer version; it was left as it is."""


class MeasurementError(OrchestrateError):
    """No value can be taken from what a command printed: the parser cannot be used, or it found nothing."""


class StorageFailed(OrchestrateError):
    """A write or a sync failed (full disk, read-only folder); no effect may start after it."""
