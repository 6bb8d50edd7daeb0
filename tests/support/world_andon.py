"""The andon in the seeded world: people pull the cord here and in the tree above, and let go of it again.

Draws from a stream of its own; two in three seeds are as if there was none. Whoever reads only the synced journal knows
whether the cord is pulled: then no launch may begin.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from orchestrate.core.andon_events import AndonKnown, AndonSeen, AndonUnknown
from orchestrate.core.effects import LaunchAgent
from orchestrate.model.inbox_requests import AndonClearRequest, AndonRaiseRequest
from orchestrate.model.names import RequestId
from orchestrate.model.rows import Andon

if TYPE_CHECKING:
    from orchestrate.core.changes import Decision
    from orchestrate.core.state import State
    from tests.support.world import World

_WITHIN = 1500.0
_MOST_PULLS = 3


class Cord:
    """The cord of one seed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._random = Random(f"andon {world.seed}")
        self._asked = 0
        if self._random.random() < 2 / 3:
            return
        for _ in range(self._random.randint(1, _MOST_PULLS)):
            pull = self._random.choice([self._raise_here, self._raise_here, self._raise_above, self._lose])
            world.timeline.after(self._random.uniform(0, _WITHIN), pull)

    def is_let_go(self, state: State) -> bool:
        """Nobody would start the next engine: whether the cord was what held, and somebody lets go of it now."""
        if state.workspace.andon is None or not state.workspace.andon.is_raised:
            return False
        self._clear_here()
        return True

    @staticmethod
    def check(decision: Decision, *, before: State, after: State) -> None:
        """Nothing is launched while the cord is pulled, also no request that made no agent."""
        andons = [state.workspace.andon for state in (before, after)]
        launched = [effect.row.name for effect in decision.effects if isinstance(effect, LaunchAgent)]
        is_raised = all(andon is not None and andon.is_raised for andon in andons)
        assert not is_raised or not launched, f"launched under the andon: {launched}"

    def _raise_here(self) -> None:
        self._world.inbox.ask(AndonRaiseRequest(self._new_id(), "bo", reason="stop"))
        self._world.timeline.after(self._random.uniform(0.1, 600), self._clear_here)

    def _clear_here(self) -> None:
        self._world.inbox.ask(AndonClearRequest(self._new_id(), "bo", note=None))

    def _raise_above(self) -> None:
        """The root of the tree says so, once or again and again; what it says last may come late."""
        andon = Andon(raised_at=self._world.timeline.at, raised_by="root", reason="stop all")
        self._tell(AndonSeen(andon=andon))
        self._tell_later(AndonSeen(andon=andon), within=60)
        self._world.timeline.after(self._random.uniform(1, 600), lambda: self._clear_above(andon))

    def _clear_above(self, andon: Andon) -> None:
        at = self._world.timeline.at
        cleared = Andon(andon.raised_at, andon.raised_by, andon.reason, cleared=True, cleared_at=at, cleared_by="root")
        self._tell(AndonSeen(andon=cleared))
        self._tell_later(AndonSeen(andon=self._random.choice([andon, cleared])), within=60)

    def _lose(self) -> None:
        """Nobody can read the tree's andon for a while."""
        lost = AndonUnknown(since=self._world.timeline.at, reason="no route", is_strict=self._random.random() < 0.5)
        self._tell(lost)
        self._tell_later(AndonKnown(), within=300)

    def _tell(self, event: AndonSeen | AndonUnknown | AndonKnown) -> None:
        engine = self._world.engine
        if not engine.life.is_over:
            engine.put(event)

    def _tell_later(self, event: AndonSeen | AndonUnknown | AndonKnown, *, within: float) -> None:
        self._world.timeline.after(self._random.uniform(0.1, within), lambda: self._tell(event))

    def _new_id(self) -> RequestId:
        self._asked += 1
        return RequestId(f"44444444-0000-4000-8000-{self._asked:012d}")
