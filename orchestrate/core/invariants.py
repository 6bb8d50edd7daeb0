"""What must hold after every event; tests check it, and the seeded world lives by it."""

from collections.abc import Iterator

from orchestrate.core.budgets import money_of
from orchestrate.core.queue import Queue
from orchestrate.core.slots import slots
from orchestrate.core.state import State, counted, may_start, releases
from orchestrate.core.turns import is_between_runs
from orchestrate.model.money import Money
from orchestrate.model.names import TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus


def check(state: State) -> None:
    """Raise AssertionError, with what is broken, if the state cannot be."""
    for row in state.rows.values():
        _check_row(row)
    if state.blueprint is not None:
        _check_counts(state)


def check_starts(before: State, after: State) -> None:
    """A task starts only when its dependencies have released it, and only into a free slot."""
    started = [name for name, row in after.rows.items() if _is_start(before.rows.get(name), row)]
    for name in (name for name in started if not is_between_runs(after.rows[name])):
        held = [each for each in after.rows[name].depends_on if not releases(after.rows[each], after.plan)]
        assert not held, f"{name} started before {held}"
    assert not started or after.running <= slots(after), f"{after.running} tasks run in {slots(after)} slots"
    if started or any(_is_sent_on(before.rows.get(name), row) for name, row in after.rows.items()):
        _check_money(money_of(after))
    assert after.workspace.spent >= before.workspace.spent, "what was spent became less"


def _check_money(money: Money) -> None:
    """A launch keeps the limits; a cost that turns out higher than what was set aside may pass them later."""
    taken = money.spent + money.reserved
    assert money.budget is None or taken <= money.budget, f"{taken} cents of {money.budget} are spent or set aside"
    assert money.max_agents is None or money.agents <= money.max_agents, f"{money.agents} of {money.max_agents} agents"


def _check_row(row: TaskRow) -> None:
    match row.status:
        case TaskStatus.RUNNING:
            assert _has_both_ids_or_none(row), f"{row.name}: agent id and run id are set together: {row}"
            assert row.launch is not None or row.run_id is not None, f"{row.name} runs without an intent: {row}"
        case TaskStatus.PENDING:
            assert row.launch is None, f"{row.name} waits and has an intent: {row}"
            assert (row.agent_id, row.run_id) == (None, None), f"{row.name} waits and has a run: {row}"
        case TaskStatus.HANDED_OFF:
            assert _has_both_ids_or_none(row), f"{row.name}: agent id and run id are set together: {row}"
            assert row.handoff_path is not None, f"{row.name} handed off without a handoff: {row}"
        case _:
            pass


def _has_both_ids_or_none(row: TaskRow) -> bool:
    return (row.agent_id is None) == (row.run_id is None)


def _check_counts(state: State) -> None:
    fresh = counted(state)
    assert state.waiting == fresh.waiting, f"waiting {state.waiting} is {fresh.waiting}"
    assert {key: value for key, value in state.counts.items() if value} == dict(fresh.counts.items())
    assert (state.awaiting, state.postponed) == (fresh.awaiting, fresh.postponed)
    assert (state.held, state.delayed, state.planners) == (fresh.held, fresh.delayed, fresh.planners)
    assert {key: value for key, value in state.to_come.items() if value} == dict(fresh.to_come.items())
    assert state.accounts == fresh.accounts, f"accounts {state.accounts} are {fresh.accounts}"
    assert _ready_names(state) == _ready_names(fresh), "a ready task is not in the queue"
    assert _called_names(state) == _called_names(fresh), "a task that has a message is not in the queue"


def _ready_names(state: State) -> set[TaskName]:
    return {name for name in _queued(state.ready) if may_start(state, name)}


def _called_names(state: State) -> set[TaskName]:
    return {name for name in _queued(state.called) if state.rows[name].is_called}


def _queued(queue: Queue[TaskName] | None) -> Iterator[TaskName]:
    stack = [queue]
    while stack:
        each = stack.pop()
        if each is not None:
            stack += [each.left, each.right]
            yield each.item


def _is_start(before: TaskRow | None, after: TaskRow) -> bool:
    """True for a launch, and for a task that is over and runs again with a message."""
    return after.status == TaskStatus.RUNNING and (before is None or before.status != TaskStatus.RUNNING)


def _is_sent_on(before: TaskRow | None, after: TaskRow) -> bool:
    """True where a task that runs goes on with its next message."""
    return is_between_runs(after) and before is not None and not is_between_runs(before)
