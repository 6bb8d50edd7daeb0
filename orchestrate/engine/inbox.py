"""Events on their way to the loop: whoever has a fact puts it here, the loop takes all that wait.

What others said is redacted on the way in, once: behind the inbox are the journal, the rows and the screen.
"""

import anyio

from orchestrate.core.events import Event
from orchestrate.engine.redacting import without_secrets
from orchestrate.text.redaction import Redactor


class Inbox:
    """A queue with one reader; putting never waits."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._events: list[Event] = []
        self._arrived = anyio.Event()

    def put(self, event: Event) -> None:
        """Hand over a fact."""
        self._events.append(without_secrets(event, self._redactor))
        self._arrived.set()

    async def take_all(self) -> list[Event]:
        """All waiting events in the order of their arrival; waits until there is one."""
        await self._arrived.wait()
        events, self._events = self._events, []
        self._arrived = anyio.Event()
        return events
