"""The runner that starts no process: for tests, and to measure everything else.

A run ends at once with a canned handoff unless its prompt says otherwise, anywhere in the text::

    null-runner: {"seconds": 1.5, "reply": "text", "status": "FINISHED", "branch": "cursor/x", "error": "why",
                  "usage": {"usage": {"inputTokens": 5}, "cost": {"chargedCents": 1.5}}}

``seconds`` is how long it takes, ``reply`` its last message, ``status`` FINISHED, ERROR or EXPIRED, ``branch`` what
the run reports to have pushed, ``error`` the message of a status that is no success, ``usage`` what it reports of
its usage. All of them may be left out.
"""

from collections.abc import Callable, Mapping
from typing import Literal

import anyio
from pydantic import BaseModel, ConfigDict, ValidationError

from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.vocabulary import RunStatus
from orchestrate.ports import Clock
from orchestrate.server.faults import invalid
from orchestrate.server.records import RunRecord
from orchestrate.server.runners.contract import LiveRun, Order, Outcome, Transcript
from orchestrate.server.runners.directives import find_directive
from orchestrate.server.usage import UsageReport, UsageUnreadable, check_usage

#: A day: longer than any test waits.
_LONGEST_SECONDS = 86_400

CANNED_REPLY = """\
## Status
success

## Branch
(none)

## What I did
Nothing: the null runner starts no process.

## Measurements
(none)

## Verification
not-verified

## Notes, concerns, deviations, findings, thoughts, feedback
(none)

## Suggested follow-ups
(none)
"""


class NullOrders(BaseModel):
    """What the prompt asks of the null runner."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seconds: float = 0
    reply: str = CANNED_REPLY
    status: Literal["FINISHED", "ERROR", "EXPIRED"] = "FINISHED"
    branch: str | None = None
    error: str | None = None
    usage: UsageReport = UsageReport()


class NullRunner:
    """Waits and answers."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def check(self, order: Order) -> None:
        """Unreadable orders are refused."""
        _orders_of(order)

    async def place(self, order: Order) -> Mapping[str, str]:
        """Nothing is needed."""
        self.check(order)
        return {}

    async def carry_out(self, live: LiveRun, *, started: Callable[[], None]) -> Outcome:
        """Wait as long as the prompt says, counted from the run's creation."""
        orders = _orders_of(live.order)
        if orders.seconds > 0:
            started()
            await self._wait(orders.seconds, live)
        if live.cancel.is_set():
            return Outcome(RunStatus.CANCELLED)
        return _outcome(orders, live)

    def transcript(self, run: RunRecord) -> Transcript:
        """The reply, once it is there."""
        return Transcript(stdout=_Memory((run.reply or "").encode()), stderr=_Memory(b""))

    async def _wait(self, seconds: float, live: LiveRun) -> None:
        began = epoch_seconds(live.run.created_at) or self._clock.now()
        left = seconds - (self._clock.now() - began)
        with anyio.move_on_after(min(max(left, 0), _LONGEST_SECONDS)):
            await live.cancel.wait()


class _Memory:
    def __init__(self, content: bytes) -> None:
        self._content = content

    def size(self) -> int:
        return len(self._content)

    def read(self, offset: int, *, limit: int) -> bytes:
        return self._content[offset : offset + limit]


def _orders_of(order: Order) -> NullOrders:
    value = find_directive(order.request.prompt.text, name="null-runner")
    if value is None:
        return NullOrders()
    try:
        orders = NullOrders.model_validate(value)
        check_usage(orders.usage)
    except ValidationError as error:
        raise invalid(f"prompt.text: null-runner: {error.errors()[0]['msg']}") from error
    except UsageUnreadable as error:
        raise invalid(f"prompt.text: null-runner: {error}") from error
    return orders


def _outcome(orders: NullOrders, live: LiveRun) -> Outcome:
    status = RunStatus(orders.status)
    repos = live.order.request.repos
    has_failed = status is not RunStatus.FINISHED
    return Outcome(
        status,
        error_message=(orders.error or f"the prompt asked for {status}") if has_failed else None,
        error_code="null_runner" if has_failed else None,
        reply=orders.reply,
        branch=orders.branch,
        repo_url=repos[0].url if repos else None,
        stdout_bytes=len(orders.reply.encode()),
        usage=check_usage(orders.usage),
    )
