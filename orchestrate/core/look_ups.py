"""Looking branches up: after a handoff the remote is asked whether it has the branch, and at which commit.

Nobody waits for that but the tasks that start from the branch, and they wait for a few seconds only: a remote that
cannot be asked holds nobody up, one that positively lacks the branch does.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from orchestrate.core.changes import NOTHING, Decision, Phase, SessionChanged, change
from orchestrate.core.effects import LookUpRefs, SetTimer
from orchestrate.core.events import Timer, TimerKind
from orchestrate.core.holding import branch_to_look_up, holds, starts_from
from orchestrate.core.pacing import LOOK_UP_PATIENCE_SECONDS
from orchestrate.core.ref_events import WantedRef
from orchestrate.core.state import State
from orchestrate.model.names import TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus, TaskType


def look_up(state: State, rows: Iterable[TaskRow]) -> Decision:
    """The order to look these rows' branches up, one for all of them, and timers for those that somebody waits for."""
    if state.session.settings.answers_only or state.session.phase != Phase.RUNNING:
        return NOTHING  # the next engine takes it up
    asked = [row for row in rows if is_looked_up(state, row)]
    if not asked:
        return NOTHING
    awaited = [row for row in asked if any(waiting_for(state, row))]
    is_awaited = bool(awaited) or _is_quiet(state)
    order = LookUpRefs(refs=tuple(wanted(state, row) for row in asked), is_awaited=is_awaited)
    looking_up = state.session.looking_up | {row.name for row in asked}
    return change(
        SessionChanged(replace(state.session, looking_up=looking_up)), effects=(order, *map(_patience, awaited))
    )


def look_up_newly_followed(state: State) -> Decision:
    """The same for branches that tasks of a changed plan wait for; where the answer is on its way, only the timer."""
    waited_for = [row for row in state.rows_in_order() if any(waiting_for(state, row))]
    on_the_way = [row for row in waited_for if row.name in state.session.looking_up]
    return look_up(state, [row for row in waited_for if row not in on_the_way]) + change(
        effects=map(_patience, on_the_way)
    )


def wanted(state: State, row: TaskRow) -> WantedRef:
    """What the remote is asked for this row; also for one that is to be tried again, where it is its own branch."""
    branch = branch_to_look_up(state.plan, row)
    start = row.starting_ref if row.starting_ref != branch else None
    return WantedRef(row.name, row.attempts, branch, start, len(row.runs))


def is_looked_up(state: State, row: TaskRow) -> bool:
    """True for a handoff whose branch matters: of our own work, or where somebody starts from it."""
    if row.status != TaskStatus.HANDED_OFF:
        return False
    is_own_work = row.type != TaskType.VERIFIER and row.pushed is not None
    is_known = row.on_remote is not None and row.on_remote.is_there is True
    return (is_own_work and not is_known) or any(followers(state, row))


def followers(state: State, source: TaskRow) -> Iterator[TaskRow]:
    """Pending tasks that depend on this one and start from its branch."""
    assert state.blueprint is not None
    for name in state.blueprint.dependants.get(source.name, ()):
        row = state.rows[name]
        if row.status == TaskStatus.PENDING and starts_from(row, source, blueprint=state.blueprint):
            yield row


def waiting_for(state: State, source: TaskRow) -> Iterator[TaskRow]:
    """Those of them that the look, or the want of a branch, holds now."""
    assert state.blueprint is not None
    return (row for row in followers(state, source) if holds(source, row, blueprint=state.blueprint))


def no_longer_looked_up(state: State, names: Iterable[TaskName]) -> SessionChanged:
    """The session in which nobody looks these tasks' branches up."""
    return SessionChanged(replace(state.session, looking_up=state.session.looking_up - frozenset(names)))


def _is_quiet(state: State) -> bool:
    """True where no other handoff will come soon; the end of the run waits for the answer then."""
    return state.running == 0 and state.ready is None


def look_number(row: TaskRow) -> int:
    """Tells the looks after one run of the task from those after another: each attempt and each message has one."""
    return row.attempts + len(row.runs)


def _patience(row: TaskRow) -> SetTimer:
    return SetTimer(timer=Timer(TimerKind.LOOK_UP, row.name, look_number(row)), delay_seconds=LOOK_UP_PATIENCE_SECONDS)
