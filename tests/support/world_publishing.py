"""What comes of publishing the state in the seeded world: pushes fail and work again, and rarely a newer engine is met."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from orchestrate.core.publishing_events import EngineSuperseded, StateNotPublished, StatePublished

if TYPE_CHECKING:
    from tests.support.world import World

_REF = "orch/shop/state"
_WITHIN = 1500.0
_MOST_FAILURES = 6


class Publishing:
    """Draws from a stream of its own; two in three seeds are as if there was none."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._random = Random(f"publishing {world.seed}")
        #: The life of the engine that was told to leave to a newer one.
        self.superseded_life: int | None = None
        if self._random.random() < 2 / 3:
            return
        for _ in range(self._random.randint(1, _MOST_FAILURES)):
            world.timeline.after(self._random.uniform(0, _WITHIN), self._pushed)
        if self._random.random() < 0.2:
            world.timeline.after(self._random.uniform(0, _WITHIN), self._superseded)

    def _pushed(self) -> None:
        engine = self._world.engine
        if engine.life.is_over:
            return
        if self._random.random() < 0.6:
            is_refused = self._random.random() < 0.3
            engine.put(StateNotPublished(ref=_REF, reason="no route", is_refused=is_refused))
        else:
            engine.put(StatePublished(ref=_REF))

    def _superseded(self) -> None:
        engine = self._world.engine
        if not engine.life.is_over:
            self.superseded_life = engine.life.number
            engine.put(EngineSuperseded(ref=_REF))
