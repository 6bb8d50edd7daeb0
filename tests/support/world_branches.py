"""Who may start from whose branch, as one engine of the seeded world has heard of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrate.core.effects import Effect, LaunchAgent, LookUpRefs, SetTimer
from orchestrate.core.events import EffectFailed, Event, TimerKind
from orchestrate.core.look_ups import look_number
from orchestrate.core.ref_events import RefsSeen
from orchestrate.model.vocabulary import TaskStatus

if TYPE_CHECKING:
    from orchestrate.core.state import State
    from orchestrate.model.names import TaskName

#: Seconds that a task may have to wait for a look.
_PATIENCE = 5.0
#: How long an event may lie in the inbox.
_A_TURN = 0.1


class Branches:
    """What was asked and heard, apart from the machine's own rows; a new engine knows what is in the journal."""

    def __init__(self, state: State) -> None:
        #: Whether the branch is there that a task's run has left; None where nobody could tell.
        self._heard: dict[tuple[TaskName, int], bool | None] = {}
        self._asked: dict[tuple[TaskName, int], float] = {}
        self._patience: dict[tuple[TaskName, int], float] = {}
        for row in state.rows.values():
            if row.on_remote is not None and row.status == TaskStatus.HANDED_OFF:
                self._heard[row.name, look_number(row)] = row.on_remote.is_there

    def heard(self, event: Event, *, before: State, now: float) -> None:
        """The engine takes this event in."""
        if isinstance(event, RefsSeen):
            for ref in event.refs:
                key = (ref.task, ref.attempt + ref.runs)
                self._check_patience(key, before, now=now)
                if event.unknown is None:
                    self._heard[key] = ref.sha is not None
                else:
                    self._heard.setdefault(key, None)
        if isinstance(event, EffectFailed) and event.effect == LookUpRefs.__name__:
            for key in self._asked:
                self._heard.setdefault(key, None)

    def _check_patience(self, key: tuple[TaskName, int], before: State, *, now: float) -> None:
        """Who waits for a look went on before the answer came, if that took too long."""
        row = before.rows.get(key[0])
        if (
            row is not None
            and look_number(row) == key[1]
            and row.status == TaskStatus.HANDED_OFF
            and row.on_remote is None
        ):
            assert now - self._patience.get(key, now) <= _PATIENCE + _A_TURN, f"the branch of {row.name} is waited for"

    def ordered(self, effect: Effect, *, state: State, now: float) -> None:
        """The engine asks for this: who starts from a branch has had it looked up, and it is not known to be missing."""
        if isinstance(effect, LookUpRefs):
            self._asked.update({(ref.task, ref.attempt + ref.runs): now for ref in effect.refs})
        if isinstance(effect, SetTimer) and effect.timer.kind == TimerKind.LOOK_UP and effect.timer.task is not None:
            self._patience[effect.timer.task, effect.timer.attempt] = now
        if not isinstance(effect, LaunchAgent) or effect.may_have_been_sent:
            return
        for name in effect.row.depends_on:
            source = state.rows[name]
            if source.branch != effect.row.starting_ref or source.branch == state.plan.base_branch:
                continue
            key = (name, look_number(source))
            assert self._heard.get(key) is not False, (
                f"{effect.row.name} starts from {source.branch}, which is not there"
            )
            waited = now - self._asked.get(key, now)
            assert key in self._heard or waited >= _PATIENCE, (
                f"{effect.row.name} starts before {source.branch} was seen"
            )
