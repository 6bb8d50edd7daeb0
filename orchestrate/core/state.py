"""The state: rows, and what is counted from them so that no event costs more in a larger plan.

``rows`` is the truth; ``waiting``, ``ready``, ``counts`` and ``awaiting`` follow from it and are kept up by
``apply``. A new plan counts everything anew; every other change touches its row and that row's dependants.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import assert_never

from immutables import Map

from orchestrate.core.accounts import Accounts, accounts_of, moved, shared
from orchestrate.core.blueprint import Blueprint, blueprint_of
from orchestrate.core.changes import (
    AttentionRaised,
    Change,
    PlanTaken,
    RowChanged,
    Session,
    SessionChanged,
    WorkspaceChanged,
)
from orchestrate.core.holding import holds
from orchestrate.core.queue import Queue, added, rest
from orchestrate.model.names import TaskName
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow, Workspace
from orchestrate.model.vocabulary import HandoffStatus, LaunchDelay, OnBlocked, TaskStatus, TaskType

#: A launch with one of these waits its turn in one line with the others.
HELD_DELAYS = frozenset({LaunchDelay.CAPACITY, LaunchDelay.QUOTA})
#: A launch with one of these goes out again by itself, after a pause.
_PAUSES = frozenset({LaunchDelay.RATE_LIMIT, LaunchDelay.UNREACHABLE})


@dataclass(frozen=True, slots=True)
class State:
    """Everything that the machine decides on."""

    workspace: Workspace
    session: Session
    rows: Map[TaskName, TaskRow] = field(default_factory=Map)
    blueprint: Blueprint | None = None
    #: For each task the number of dependencies that have not released it.
    waiting: Map[TaskName, int] = field(default_factory=Map)
    #: Tasks that miss nothing but a slot. The first one is ready; some behind it may be so no longer.
    ready: Queue[TaskName] | None = None
    counts: Map[TaskStatus, int] = field(default_factory=Map)
    #: Launches whose answer is on its way.
    awaiting: int = 0
    #: Pending tasks that wait for their moment.
    postponed: int = 0
    #: How many subplanners run.
    planners: int = 0
    #: How many tasks of each type wait for their launch.
    to_come: Map[TaskType, int] = field(default_factory=Map)
    #: What is set aside and was spent, as the rows have it.
    accounts: Accounts = field(default_factory=Accounts)
    #: The tasks that ever handed off on a branch; verifiers push none of their own.
    owners: Map[str, frozenset[TaskName]] = field(default_factory=Map)
    #: Launches that wait until the service has room.
    held: int = 0
    #: Launches that go out again after a pause; nothing was made of them.
    delayed: int = 0
    #: Tasks that are over and run again with a message once there is a slot. The first one waits still.
    called: Queue[TaskName] | None = None

    @property
    def running(self) -> int:
        """How many tasks hold a slot."""
        return self.counts.get(TaskStatus.RUNNING, 0)

    @property
    def plan(self) -> Plan:
        """The plan in force."""
        assert self.blueprint is not None, "no plan was read yet"
        return self.blueprint.plan

    def rows_in_order(self) -> list[TaskRow]:
        """Every row in an order that is the same in every run: by rank, and by name outside the plan."""
        assert self.blueprint is not None
        return self.blueprint.in_order(self.rows)


def apply(state: State, changes: Iterable[Change]) -> State:
    """The state after these changes."""
    for item in changes:
        match item:
            case RowChanged(row):
                state = _trimmed(_with_row(state, row))
            case WorkspaceChanged(workspace):
                state = replace(state, workspace=workspace)
            case SessionChanged(session):
                state = _trimmed(_with_session(state, session))
            case PlanTaken(plan):
                state = counted(replace(state, blueprint=blueprint_of(plan, state.rows)))
            case AttentionRaised():
                pass  # told and written by the loop; the machine never decides on it
            case _:
                assert_never(item)
    return state


def counted(state: State) -> State:
    """The same rows with all that follows from them counted anew."""
    assert state.blueprint is not None
    waiting = Map(
        {row.name: _open_dependencies(state, row) for row in state.rows.values() if row.status == TaskStatus.PENDING}
    )
    ready: Queue[TaskName] | None = None
    called: Queue[TaskName] | None = None
    for row in state.rows_in_order():
        if waiting.get(row.name) == 0 and is_ready(row):
            ready = added(ready, row.name, rank=state.blueprint.rank(row.name))
        if row.is_called:
            called = added(called, row.name, rank=state.blueprint.rank(row.name))
    return replace(
        state,
        waiting=waiting,
        ready=ready,
        counts=Map(Counter(row.status for row in state.rows.values())),
        awaiting=sum(map(is_awaiting, state.rows.values())),
        postponed=sum(map(is_postponed, state.rows.values())),
        planners=sum(map(is_planning, state.rows.values())),
        to_come=Map(Counter(row.type for row in state.rows.values() if row.status == TaskStatus.PENDING)),
        accounts=accounts_of(state.rows.values()),
        owners=reduce(_with_owner, state.rows.values(), Map[str, frozenset[TaskName]]()),
        held=sum(map(is_held, state.rows.values())),
        delayed=sum(map(is_delayed, state.rows.values())),
        called=called,
    )


def is_ready(row: TaskRow) -> bool:
    """True for a pending task that waits for no moment; its dependencies are counted elsewhere."""
    return row.status == TaskStatus.PENDING and row.not_before is None


def may_start(state: State, name: TaskName) -> bool:
    """True for a task that misses nothing but a slot, and lets nobody go before it."""
    return name not in state.session.benched and may_start_but_for_bench(state, name)


def may_start_but_for_bench(state: State, name: TaskName) -> bool:
    """True for a task that misses nothing but a slot."""
    return is_ready(state.rows[name]) and state.waiting.get(name) == 0


def is_planning(row: TaskRow) -> bool:
    """True for a subplanner that runs, or is being launched; one that waits for room takes none."""
    return row.type == TaskType.SUBPLANNER and row.status == TaskStatus.RUNNING and not is_held(row)


def is_awaiting(row: TaskRow) -> bool:
    """True while an answer to this row's launch is on its way."""
    return (
        row.status == TaskStatus.RUNNING and row.run_id is None and row.launch is not None and row.launch.delay is None
    )


def is_postponed(row: TaskRow) -> bool:
    """True for a pending task that waits for its moment."""
    return row.status == TaskStatus.PENDING and row.not_before is not None


def owns_branch(row: TaskRow) -> bool:
    """True for a task that handed off on a branch with work of its own."""
    return row.status == TaskStatus.HANDED_OFF and row.pushed is True and row.type != TaskType.VERIFIER


def is_held(row: TaskRow) -> bool:
    """True while this row's launch waits until the service has room; nothing was made of it."""
    return _waits_with(row, HELD_DELAYS)


def is_delayed(row: TaskRow) -> bool:
    """True while this row's launch waits for its moment to go out again; nothing was made of it."""
    return _waits_with(row, _PAUSES)


def _waits_with(row: TaskRow, delays: frozenset[LaunchDelay]) -> bool:
    return (
        row.status == TaskStatus.RUNNING
        and row.run_id is None
        and row.launch is not None
        and row.launch.delay in delays
    )


def has_left_plan(state: State, row: TaskRow) -> bool:
    """True for a task that the plan in force does not have; ad hoc tasks were never in it."""
    return row.name not in state.plan.tasks_by_name and not row.extra.get("adHoc")


def with_error(state: State, row: TaskRow) -> Session:
    """The session after this task went to error; the error of a task that left the plan ends no run."""
    return replace(state.session, has_new_error=state.session.has_new_error or not has_left_plan(state, row))


def releases(row: TaskRow, plan: Plan) -> bool:
    """True when this task's dependants may start as far as it is concerned."""
    if row.status != TaskStatus.HANDED_OFF or row.is_called:
        return False
    if row.handoff_status != HandoffStatus.BLOCKED:
        return True
    task = plan.tasks_by_name.get(row.name)
    return task is not None and task.on_blocked == OnBlocked.RELEASE


def open_dependencies(state: State, row: TaskRow) -> tuple[TaskName, ...]:
    """The tasks that this one still waits for: they have not released it, or it waits for their branch."""
    return tuple(name for name in row.depends_on if not _lets_go(state, state.rows.get(name), row))


def _open_dependencies(state: State, row: TaskRow) -> int:
    return sum(1 for name in row.depends_on if not _lets_go(state, state.rows.get(name), row))


def _lets_go(state: State, source: TaskRow | None, row: TaskRow) -> bool:
    """True when ``row`` may start as far as ``source`` is concerned, its branch included."""
    assert state.blueprint is not None
    return source is not None and releases(source, state.plan) and not holds(source, row, blueprint=state.blueprint)


def _with_row(state: State, row: TaskRow) -> State:
    """The state with this row, and with what its change moves: its own counts, and those of its dependants."""
    before, blueprint = state.rows.get(row.name), state.blueprint
    rows = state.rows.set(row.name, row)
    if blueprint is None:
        return replace(state, rows=rows)
    waiting, freed = _recounted(state, before, row)
    if _is_freed(state, before, row, waiting):
        freed.append(row.name)
    ready = state.ready
    for name in freed:
        ready = added(ready, name, rank=blueprint.rank(name))
    called = state.called
    if row.is_called and (before is None or not before.is_called):
        called = added(called, row.name, rank=blueprint.rank(row.name))
    return replace(
        state,
        rows=rows,
        waiting=waiting,
        ready=ready,
        called=called,
        counts=_moved(state.counts, before, row),
        awaiting=state.awaiting + is_awaiting(row) - (before is not None and is_awaiting(before)),
        postponed=state.postponed + is_postponed(row) - (before is not None and is_postponed(before)),
        planners=state.planners + is_planning(row) - (before is not None and is_planning(before)),
        to_come=_moved_to_come(state.to_come, before, row),
        accounts=_accounted(state.accounts, before, row),
        owners=_with_owner(state.owners, row),
        held=state.held + is_held(row) - (before is not None and is_held(before)),
        delayed=state.delayed + is_delayed(row) - (before is not None and is_delayed(before)),
    )


def _is_freed(state: State, before: TaskRow | None, after: TaskRow, waiting: Map[TaskName, int]) -> bool:
    """True for a row that came to miss nothing but a slot."""
    was_queued = before is not None and may_start(state, after.name)
    return not was_queued and is_ready(after) and waiting.get(after.name) == 0


def _with_session(state: State, session: Session) -> State:
    """The state in this session; who leaves the bench stands in the queue again."""
    left, ready = state.session.benched - session.benched, state.ready
    for name in left:
        if state.blueprint is not None and may_start_but_for_bench(state, name):
            ready = added(ready, name, rank=state.blueprint.rank(name))
    return replace(state, session=session, ready=ready)


def _trimmed(state: State) -> State:
    """The state whose queues begin with a task that waits there still; each task is passed over once in its life."""
    ready = _first_that(state.ready, lambda name: may_start(state, name))
    called = _first_that(state.called, lambda name: state.rows[name].is_called)
    if ready is not state.ready or called is not state.called:
        state = replace(state, ready=ready, called=called)
    line = state.session.line
    if line is None:
        return state
    waiting = _first_that(line.waiting, lambda name: is_held(state.rows[name]))
    if waiting is line.waiting:
        return state
    return replace(state, session=replace(state.session, line=replace(line, waiting=waiting)))


def _first_that(queue: Queue[TaskName] | None, waits: Callable[[TaskName], bool]) -> Queue[TaskName] | None:
    """The queue from its first task on that waits there still."""
    while queue is not None and not waits(queue.item):
        queue = rest(queue)
    return queue


def _moved(counts: Map[TaskStatus, int], before: TaskRow | None, after: TaskRow) -> Map[TaskStatus, int]:
    if before is not None and before.status == after.status:
        return counts
    if before is not None:
        counts = counts.set(before.status, counts[before.status] - 1)
    return counts.set(after.status, counts.get(after.status, 0) + 1)


def _moved_to_come(counts: Map[TaskType, int], before: TaskRow | None, after: TaskRow) -> Map[TaskType, int]:
    former = before.type if before is not None and before.status == TaskStatus.PENDING else None
    now = after.type if after.status == TaskStatus.PENDING else None
    if former == now:
        return counts
    if former is not None:
        counts = counts.set(former, counts[former] - 1)
    return counts if now is None else counts.set(now, counts.get(now, 0) + 1)


def _accounted(accounts: Accounts, before: TaskRow | None, row: TaskRow) -> Accounts:
    charges, shares = ((), ()) if before is None else (before.charges, before.shares_out)
    return shared(moved(accounts, charges, row.charges), shares, row.shares_out)


def _recounted(state: State, before: TaskRow | None, after: TaskRow) -> tuple[Map[TaskName, int], list[TaskName]]:
    """The open dependencies of the row and of its dependants from now on, and which of the latter may start now."""
    plan, blueprint = state.plan, state.blueprint
    assert blueprint is not None
    waiting, freed = _with_own_count(state, before, after), list[TaskName]()
    is_released = before is not None and releases(before, plan)
    if is_released == releases(after, plan) and not (is_released and _has_other_branch(before, after)):
        return waiting, freed
    for name in blueprint.dependants.get(after.name, ()):
        if name not in waiting:
            continue
        row = state.rows[name]
        count = waiting[name] + _lets_go(state, before, row) - _lets_go(state, after, row)
        waiting = waiting.set(name, count)
        if count == 0 and is_ready(row):
            freed.append(name)
    return waiting, freed


def _with_own_count(state: State, before: TaskRow | None, after: TaskRow) -> Map[TaskName, int]:
    """The counts with that of the row's own open dependencies, there while it is pending."""
    if after.status != TaskStatus.PENDING:
        return state.waiting if after.name not in state.waiting else state.waiting.delete(after.name)
    if before is not None and before.status == TaskStatus.PENDING and _waits_alike(before, after):
        return state.waiting
    return state.waiting.set(after.name, _open_dependencies(state, after))


def _has_other_branch(before: TaskRow | None, after: TaskRow) -> bool:
    """True where those that start from this branch may wait for something else now."""
    assert before is not None
    return (before.branch, before.on_remote) != (after.branch, after.on_remote)


def _with_owner(owners: Map[str, frozenset[TaskName]], row: TaskRow) -> Map[str, frozenset[TaskName]]:
    known = owners.get(row.branch, frozenset())
    return owners.set(row.branch, known | {row.name}) if owns_branch(row) and row.name not in known else owners


def _waits_alike(before: TaskRow, after: TaskRow) -> bool:
    """True where a pending task waits for the same tasks, and for the same branch."""
    return (before.depends_on, before.starting_ref, before.ref_from) == (
        after.depends_on,
        after.starting_ref,
        after.ref_from,
    )
