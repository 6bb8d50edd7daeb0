"""Virtual time of the seeded world: what happens when, in an order that the seed alone fixes."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from orchestrate.model.names import Timestamp
from orchestrate.model.timestamps import to_timestamp
from tests.support.builders import START

Action = Callable[[], None]


@dataclass
class Life:
    """The life of one engine process; what it waits for dies with it."""

    number: int
    is_over: bool = False


@dataclass
class Timeline:
    """Actions by their moment."""

    now: float = START
    _heap: list[tuple[float, int, Action, Life | None]] = field(default_factory=list)
    _order: count = field(default_factory=count)

    @property
    def at(self) -> Timestamp:
        """This moment as it stands in files."""
        return to_timestamp(self.now)

    @property
    def elapsed(self) -> float:
        """Seconds since the world began."""
        return self.now - START

    def after(self, seconds: float, action: Action, *, life: Life | None = None) -> None:
        """Let this happen so much later, if the process that waits for it still lives then."""
        heapq.heappush(self._heap, (self.now + seconds, next(self._order), action, life))

    def next_action(self) -> Action | None:
        """What happens next, at its moment; None when nothing will happen any more."""
        while self._heap:
            moment, _, action, life = heapq.heappop(self._heap)
            if life is None or not life.is_over:
                self.now = max(self.now, moment)
                return action
        return None
