"""Watching ``plan.json`` while it runs: a change is taken in once it is valid and has not moved for a second.

Whoever writes the file may do so in pieces. A file that cannot be read, or a plan with faults, changes nothing and is
told once, however often it is looked at. So it is with one that asks for what there is not: a model, a branch.
"""

from orchestrate.core.events import Event, PlanRead
from orchestrate.core.plan_events import PlanNotTaken
from orchestrate.engine.inbox import Inbox
from orchestrate.errors import OrchestrateError, PlanRefused
from orchestrate.model.faults import Fault
from orchestrate.ports import Clock, PlanFile, PlanStamp

#: How often the file is looked at.
LOOK_SECONDS = 0.2
#: How long a change must lie still.
SETTLED_SECONDS = 1.0
#: Faults that a line names.
_NAMED = 3


class PlanWatcher:
    """Looks at the plan's file."""

    def __init__(self, file: PlanFile, *, clock: Clock, inbox: Inbox) -> None:
        self._file = file
        self._clock = clock
        self._inbox = inbox
        #: The file as it was when it was last read.
        self._read: PlanStamp | None = None
        #: A change that may not be whole yet, and since when it lies still.
        self._seen: PlanStamp | None = None
        self._since = 0.0
        self._told: str | None = None

    async def run(self) -> None:
        """Report changes, until cancelled."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            await self._look()

    async def _look(self) -> None:
        stamp, now = await self._file.stamp(), self._clock.monotonic()
        if stamp == self._read:
            return
        if stamp != self._seen:
            self._seen, self._since = stamp, now
        elif now - self._since >= SETTLED_SECONDS:
            event = await self._taken()
            if await self._file.stamp() == stamp:
                self._read = stamp
                self._report(event)

    async def _taken(self) -> Event | None:
        """What the file says now; None where it says what it said before."""
        try:
            edit = await self._file.read()
        except OrchestrateError as error:
            return PlanNotTaken(message=f"{_words(error)} The plan in force stays; it is read again when it changes.")
        return None if edit is None else PlanRead(plan=edit.plan, warnings=edit.warnings)

    def _report(self, event: Event | None) -> None:
        if isinstance(event, PlanRead):
            self._file.take()
        message = event.message if isinstance(event, PlanNotTaken) else None
        if event is not None and (message is None or message != self._told):
            self._inbox.put(event)
        self._told = message


def _words(error: OrchestrateError) -> str:
    if not isinstance(error, PlanRefused):
        return f"plan.json was changed and is not taken in: {error.message.rstrip('.')}."
    faults = [_fault_words(fault) for fault in error.faults]
    more = f" (and {len(faults) - _NAMED} more)" if len(faults) > _NAMED else ""
    return f"plan.json was changed and is not taken in: {'; '.join(faults[:_NAMED])}{more}."


def _fault_words(fault: Fault) -> str:
    line = "" if fault.line is None else f"line {fault.line} "
    return f"{line}{fault.path}: {fault.message}" if fault.path else f"{line}{fault.message}"
