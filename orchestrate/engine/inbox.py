"""Events on their way to the loop: whoever has a fact puts it here, the loop takes all that wait.

What others said is redacted on the way in, once: behind the inbox are the journal, the rows and the screen.
"""

from dataclasses import replace

import anyio

from orchestrate.core.events import Event
from orchestrate.text.redaction import Redactor

#: Fields in which an event carries the words of a service, an agent, an error or a person.
_WORDS = ("message", "hint", "note", "by", "unknown")


class Inbox:
    """A queue with one reader; putting never waits."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._events: list[Event] = []
        self._arrived = anyio.Event()

    def put(self, event: Event) -> None:
        """Hand over a fact."""
        self._events.append(self._redacted(event))
        self._arrived.set()

    async def take_all(self) -> list[Event]:
        """All waiting events in the order of their arrival; waits until there is one."""
        await self._arrived.wait()
        events, self._events = self._events, []
        self._arrived = anyio.Event()
        return events

    def _redacted(self, event: Event) -> Event:
        words = {name: self._redactor.redact(said) for name in _WORDS if (said := getattr(event, name, None))}
        return replace(event, **words) if words else event  # type: ignore[arg-type]  # these fields are text
