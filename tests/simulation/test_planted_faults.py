"""Faults planted into the machine, one line each: the world must notice every one of them within a few seeds."""

import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType

import pytest

from orchestrate.core import (
    branches,
    budgets,
    cancelling,
    capacity,
    finishing,
    grants,
    holding,
    launching,
    measuring,
    operating,
    recovery,
    requesting,
    respawning,
    retrying,
    returning,
    scheduling,
    sightings,
    slots,
    spending,
    state,
    stopping,
    turns,
    verdicts,
    watching,
)
from orchestrate.engine import measuring as engine_measuring
from orchestrate.text import comparing
from tests.support.world import World, WorldBroken

pytestmark = pytest.mark.slow

#: Seeds within which a fault must show.
_SEEDS = 3000

_FAULTS = [
    pytest.param(
        capacity.taken_up,
        "line = _joined(state, line, row.name)",
        "pass",
        id="launches that waited for room are forgotten by the next engine",
    ),
    pytest.param(
        capacity._tried,
        "replace(_trying(state, line), has_timer=False)",
        "replace(line, has_timer=False)",
        id="the timer tries nobody, and a full service is full for ever",
    ),
    pytest.param(
        launching.on_launch_outcome_unknown,
        "return change(RowChanged(row), effects=[LookUpAgent(row=row, code=event.code)])",
        "return change(RowChanged(replace(row, status=TaskStatus.PENDING, launch=None)))",
        id="silence is taken for refusal, and a second agent is launched",
    ),
    pytest.param(
        launching.awaits,
        "row.launch.agent_id == agent_id",
        "True",
        id="a late answer to a former attempt counts for the present one",
    ),
    pytest.param(
        launching.awaits_just,
        "or row.launch.delay is not None or row.launch.delays != event.delays",
        "",
        id="that a former request made nothing counts for the last one too",
    ),
    pytest.param(
        watching.watched, "row.run_id == run_id", "True", id="the late end of a former run ends the present one"
    ),
    pytest.param(
        state.releases,
        "row.status != TaskStatus.HANDED_OFF",
        "row.status in (TaskStatus.PENDING, TaskStatus.RUNNING)",
        id="an error releases the dependants",
    ),
    pytest.param(
        state.releases,
        "row.handoff_status != HandoffStatus.BLOCKED",
        "True",
        id="a blocked handoff releases the dependants",
    ),
    pytest.param(retrying.may_retry, "mode not in task.retry.on", "False", id="every failure is tried again"),
    pytest.param(
        retrying._from_where,
        "ref.sha is not None and ref.sha not in (ref.start_sha, row.starting_sha)",
        "True",
        id="a retry goes on from a branch that is not there",
    ),
    pytest.param(
        retrying._waiting,
        "*retry_timer(row, now=at), *look",
        "*look,",
        id="a retry waits for ever for a look at its branch",
    ),
    pytest.param(
        retrying.may_retry,
        "attempts < task.retry.attempts",
        "True",
        id="a task is tried more often than the plan allows",
    ),
    pytest.param(
        finishing.on_run_ended,
        "return _cancelled(row)",
        "return _in_error(state, row, event)",
        id="a cancel is tried again",
    ),
    pytest.param(
        finishing._hands_off,
        "return not event.reply.is_empty if rule is None else",
        "return True if rule is None else",
        id="an empty message counts as a handoff",
    ),
    pytest.param(
        finishing._hands_off,
        "rule == OnUnstructured.HANDED_OFF",
        "rule != OnUnstructured.HANDED_OFF",
        id="what the plan says of messages that are no handoff is turned round",
    ),
    pytest.param(
        comparing._holds,
        "return abs(pair.other - pair.one) <= tolerance * abs(pair.one)",
        "return True",
        id="a measured value is whatever was claimed",
    ),
    pytest.param(
        comparing._holds,
        "bound(pair.other, pair.one)",
        "bound(pair.one, pair.other)",
        id="a bound that was claimed is turned round",
    ),
    pytest.param(
        engine_measuring.judged,
        "if ran.failure is not None:",
        "if False:",
        id="what a failed command printed is compared",
    ),
    pytest.param(
        measuring._taken_in,
        "each.outcome not in _NO_FINDING",
        "False",
        id="a measurement that says something else is no finding",
    ),
    pytest.param(
        branches.propagate,
        "row.starting_ref == placeholder or",
        "False or",
        id="a dependant starts from a placeholder that is not there",
    ),
    pytest.param(recovery.taken_up_row, "[WatchRun(row=row), ", "[", id="a resumed engine does not watch what runs"),
    pytest.param(
        recovery.taken_up_row,
        "return change(RowChanged(asked), effects=[LookUpAgent(row=asked)])",
        "return change(RowChanged(replace(row, status=TaskStatus.PENDING, launch=None)))",
        id="a resumed engine launches again without a look-up",
    ),
    pytest.param(
        scheduling._has_ready,
        "< slots(state)",
        "<= slots(state)",
        id="one task more starts than there are slots",
    ),
    pytest.param(
        scheduling.hold_reason,
        "state.workspace.andon is not None and state.workspace.andon.is_raised",
        "False",
        id="the andon holds no task",
    ),
    pytest.param(
        turns.next_turn,
        "charged_for_message(state, called(row, at=at))",
        "called(row, at=at)",
        id="the run of a message sets nothing aside",
    ),
    pytest.param(
        scheduling._has_turn,
        "state.running < slots(state)",
        "True",
        id="a task runs again with a message where no slot is free",
    ),
    pytest.param(
        launching.on_relaunch_due, "if _is_held_by_andon(state):", "if False:", id="the andon holds no request"
    ),
    pytest.param(
        operating._is_all_handed_off, "return all(", "return True or all(", id="the exit code is 0 whatever happened"
    ),
    pytest.param(
        operating.end_if_over,
        "state.running - _shelved(state) > _unwatched(state) or",
        "",
        id="the engine leaves while tasks run",
    ),
    pytest.param(
        launching.on_agent_not_found,
        "return sent_again(state, counted, at=event.at)",
        "return NOTHING",
        id="a request that never arrived is not sent again",
    ),
    pytest.param(
        launching.on_launch_refused,
        'return _in_error(state, row, note=note, told=f"{words} No agent was made.", at=event.at)',
        "return change(RowChanged(withdrawn(row, TaskStatus.PENDING, at=event.at)))",
        id="a refusal is tried again",
    ),
    pytest.param(
        verdicts.judged, "for word in _PRECEDENCE", "for word in reversed(_PRECEDENCE)", id="the weakest verdict wins"
    ),
    pytest.param(
        budgets._needs_of_launch,
        "units(reserve_cents(state, row.type)) + units(",
        "units(",
        id="a launch sets nothing aside before it starts",
    ),
    pytest.param(
        budgets._bound,
        "state.accounts.agents_taken + needs.agents > bounds.max_agents",
        "state.accounts.agents_taken + needs.agents > bounds.max_agents + 1",
        id="an agent too many is launched",
    ),
    pytest.param(
        budgets._needs_of_launch,
        "1 + (share.agents or 0)",
        "1",
        id="the agents of a subplanner are not taken off when it is launched",
    ),
    pytest.param(
        budgets._needs_of_launch,
        "units(share.cents or 0.0)",
        "0",
        id="the cents of a subplanner are not taken off when it is launched",
    ),
    pytest.param(
        budgets.shared_with,
        "(*others, Share(",
        "(Share(",
        id="what the planner before took is forgotten when the next one is launched",
    ),
    pytest.param(
        returning.on_subtree_counted,
        "used = share.used if event.agents is None",
        "used = Used(0, 0.0) if event.agents is None",
        id="what nobody knows of a subtree counts as not used",
    ),
    pytest.param(
        grants.on_grant_read,
        "change(WorkspaceChanged(replace(state.workspace, grant=own)))",
        "NOTHING",
        id="what the planner above granted is read and not kept",
    ),
    pytest.param(
        scheduling.hold_reason,
        "if state.session.awaits_grant:",
        "if False:",
        id="the engine launches before it knows what was granted",
    ),
    pytest.param(
        slots._most_planners, "max(1, room // 2)", "room", id="planners take the slots of those that they wait for"
    ),
    pytest.param(
        state._with_session,
        "ready = added(ready, name, rank=state.blueprint.rank(name))",
        "pass",
        id="a planner that let others go first never has its turn",
    ),
    pytest.param(
        launching.intended,
        "charges=charged(state, row, attempt=attempt, agent_id=agent_id),",
        "",
        id="an attempt is not counted",
    ),
    pytest.param(
        budgets.charged,
        "(*uncharged(row, attempt), _charge(",
        "(*(), _charge(",
        id="a retry forgets what the attempt before it cost",
    ),
    pytest.param(
        spending.on_usage_answered,
        "row, settled)",
        "row, charge)",
        id="a cost that was told is not kept",
    ),
    pytest.param(
        spending.awaits_costs,
        "return any(not inquiry.is_given_up",
        "return any(inquiry.is_given_up",
        id="the engine leaves although a cost may still make room",
    ),
    pytest.param(
        holding.holds,
        "source.on_remote.is_there is False",
        "False",
        id="a task starts from a branch that is not there",
    ),
    pytest.param(
        holding.holds,
        "source.on_remote is None or",
        "source.on_remote is not None and",
        id="a task starts before its branch was looked up",
    ),
    pytest.param(
        recovery._taken_up,
        "return decision + look_up(apply(state, decision.changes), handed_off)",
        "return decision",
        id="a resumed engine looks no branch up",
    ),
    pytest.param(
        sightings.on_look_up_late,
        "event.timer.attempt",
        "-1",
        id="who waits for a look waits for ever",
    ),
    pytest.param(
        requesting.was_done,
        "request in state.workspace.handled_requests",
        "False",
        id="a request that is told twice is carried out twice",
    ),
    pytest.param(stopping.on_stop_found, "hold=hold, ", "", id="a killed workspace launches on"),
    pytest.param(
        launching.on_agent_launched,
        "if row.cancel is None:",
        "if True:",
        id="an agent that comes late is not cancelled",
    ),
    pytest.param(
        cancelling.asked_for,
        "() if is_between_runs(row) else cancel_orders(row)",
        "()",
        id="a cancel reaches nobody",
    ),
    pytest.param(recovery._cancel_asked_for, "row.cancel is None", "True", id="a cancel is forgotten after a crash"),
    pytest.param(
        recovery._planned, "and row.cancel is None", "", id="a task that was cancelled before its launch comes back"
    ),
    pytest.param(
        finishing._in_error,
        "is_first_run and not was_to_end else",
        "is_first_run else",
        id="a cancelled task that failed is tried again by itself",
    ),
    pytest.param(respawning._reset, "attempts=row.attempts,", "", id="a new try has the id of a former one"),
    pytest.param(
        respawning._reset_all,
        "decision += _back_to_placeholders(apply(state, decision.changes), reset, at=event.at)",
        "pass",
        id="a dependant starts from the branch of a former try",
    ),
    pytest.param(
        recovery.on_plan_read,
        "with_ad_hoc_tasks(event.plan, state.rows.values())",
        "event.plan",
        id="a task that was added is forgotten by the next engine",
    ),
    pytest.param(
        state.has_left_plan,
        "row.name not in state.plan.tasks_by_name",
        "False",
        id="a task is launched out of the plan",
    ),
]


@pytest.mark.parametrize(("function", "sound", "faulty"), _FAULTS)
def test_the_world_notices(function, sound, faulty):
    with _planted(function, sound, faulty):
        assert _first_broken_seed() is not None


def test_the_figures_name_every_fault():
    figures = (Path(__file__).parents[2] / "docs" / "figures.md").read_text()
    assert [line[2:] for line in figures.splitlines() if line.startswith("- ")] == [fault.id for fault in _FAULTS]


@contextmanager
def _planted(function: Callable[..., object], sound: str, faulty: str) -> Iterator[None]:
    """The function with one piece of its source replaced, for everybody who holds it."""
    assert isinstance(function, FunctionType)
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(sound) == 1, f"{sound!r} is {source.count(sound)} times in {function.__name__}"
    namespace = dict(function.__globals__)
    exec(compile(source.replace(sound, faulty), f"planted in {function.__name__}", "exec"), namespace)
    code = function.__code__
    function.__code__ = namespace[function.__name__].__code__
    try:
        yield
    finally:
        function.__code__ = code


def _first_broken_seed() -> int | None:
    for seed in range(_SEEDS):
        try:
            World(seed).run()
        except WorldBroken:
            return seed
    return None
