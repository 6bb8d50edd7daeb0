"""What is counted from the rows stays what counting anew would say."""

from dataclasses import replace

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies

from orchestrate.core import invariants
from orchestrate.core.changes import AttentionRaised, PlanTaken, RowChanged, SessionChanged, WorkspaceChanged
from orchestrate.core.state import (
    State,
    apply,
    counted,
    has_left_plan,
    is_awaiting,
    is_postponed,
    is_ready,
    releases,
    with_error,
)
from orchestrate.model.vocabulary import HandoffStatus, LaunchDelay, TaskStatus
from tests.support.builders import (
    a_handed_off_row,
    a_launching_row,
    a_plan,
    a_row,
    a_running_row,
    a_task,
    an_intent,
    an_unread_state,
    moment,
)

PLAN = a_plan("a", a_task("b", depends_on=("a",)), a_task("c", depends_on=("a", "b"), priority=3), "d")
_ROWS = {task.name: a_row(task.name, depends_on=task.depends_on) for task in PLAN.tasks}
_BECOMES = {
    "pending": lambda row: replace(
        row, status=TaskStatus.PENDING, launch=None, agent_id=None, run_id=None, not_before=None
    ),
    "postponed": lambda row: replace(
        row, status=TaskStatus.PENDING, launch=None, agent_id=None, run_id=None, not_before=moment(9)
    ),
    "launching": lambda row: replace(a_launching_row(row.name), depends_on=row.depends_on),
    "running": lambda row: replace(a_running_row(row.name), depends_on=row.depends_on),
    "done": lambda row: replace(a_handed_off_row(row.name), depends_on=row.depends_on),
    "blocked": lambda row: replace(
        a_handed_off_row(row.name, handoff_status=HandoffStatus.BLOCKED), depends_on=row.depends_on
    ),
    "error": lambda row: replace(row, status=TaskStatus.ERROR),
}


def loaded() -> State:
    return apply(an_unread_state(*_ROWS.values()), [PlanTaken(PLAN)])


@given(strategies.lists(strategies.tuples(strategies.sampled_from("abcd"), strategies.sampled_from(sorted(_BECOMES)))))
@hypothesis_settings(max_examples=150, deadline=None)
def test_counts_are_right_after_any_changes_of_rows(steps):
    state = loaded()
    for name, word in steps:
        state = apply(state, [RowChanged(_BECOMES[word](state.rows[name]))])
        invariants.check(state)
    if state.ready is not None:
        assert is_ready(state.rows[state.ready.item])


def test_a_loaded_state_counts_once_the_plan_is_read():
    state = an_unread_state(a_running_row("a"), a_row("b", depends_on=("a",)))
    assert (state.running, state.waiting.get("b"), state.ready) == (0, None, None)
    state = apply(state, [PlanTaken(PLAN)])
    assert (state.running, state.waiting.get("b"), state.plan) == (1, 1, PLAN)


def test_a_row_that_appears_later_is_counted():
    state = apply(loaded(), [RowChanged(a_row("extra", depends_on=("a",)))])
    assert state.waiting["extra"] == 1
    invariants.check(state)


def test_a_row_whose_dependencies_changed_is_counted_anew():
    state = apply(loaded(), [RowChanged(replace(_ROWS["b"], depends_on=()))])
    assert state.waiting["b"] == 0
    invariants.check(state)


def test_a_dependency_that_nobody_knows_stays_open():
    state = apply(loaded(), [RowChanged(a_row("extra", depends_on=("unknown",)))])
    assert state.waiting["extra"] == 1


def test_the_workspace_the_session_and_attention():
    state = loaded()
    workspace = replace(state.workspace, root_slug="other")
    session = replace(state.session, hold="no key")
    after = apply(state, [WorkspaceChanged(workspace), SessionChanged(session), AttentionRaised("look")])
    assert (after.workspace, after.session) == (workspace, session)
    assert after.rows == state.rows


def test_counting_anew_says_what_is_counted():
    state = loaded()
    assert counted(state).waiting == state.waiting


def test_rows_come_in_the_order_of_their_ranks_and_then_by_name():
    state = apply(loaded(), [RowChanged(a_row("y")), RowChanged(a_row("x"))])
    assert [row.name for row in state.rows_in_order()] == ["c", "a", "b", "d", "x", "y"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (a_launching_row(), True),
        (a_launching_row(launch=an_intent("a", delay=LaunchDelay.QUOTA)), False),
        (a_running_row(), False),
        (a_row(status=TaskStatus.RUNNING), False),
        (a_row(launch=an_intent("a")), False),
    ],
)
def test_an_answer_is_awaited_while_a_request_is_out(row, expected):
    assert is_awaiting(row) is expected


def test_a_task_waits_for_its_moment_only_while_it_is_pending():
    assert is_postponed(a_row(not_before=moment(1)))
    assert not is_ready(a_row(not_before=moment(1)))
    assert not is_postponed(a_running_row(not_before=moment(1)))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (a_row("a"), False),
        (a_running_row("a"), False),
        (a_handed_off_row("a"), True),
        (a_handed_off_row("a", handoff_status=HandoffStatus.BLOCKED), False),
        (a_handed_off_row("free", handoff_status=HandoffStatus.BLOCKED), True),
        (a_handed_off_row("unknown", handoff_status=HandoffStatus.BLOCKED), False),
        (a_handed_off_row("a", status=TaskStatus.CANCELLED), False),
        (a_handed_off_row("a", status=TaskStatus.PRUNED), False),
    ],
)
def test_only_a_handoff_releases_and_a_blocked_one_if_the_plan_says_so(row, expected):
    assert releases(row, a_plan("a", a_task("free", onBlocked="release"))) is expected


def test_a_task_has_left_when_the_plan_does_not_have_it_and_never_asked_for_it_ad_hoc():
    state = loaded()
    assert has_left_plan(state, a_row("gone"))
    assert not has_left_plan(state, a_row("a"))
    assert not has_left_plan(state, a_row("gone", extra={"adHoc": True}))


def test_an_error_is_new_unless_its_task_left_the_plan_and_stays_so():
    state = loaded()
    assert not with_error(state, a_row("gone")).has_new_error
    seen = replace(state, session=with_error(state, a_row("a")))
    assert seen.session.has_new_error
    assert with_error(seen, a_row("gone")).has_new_error
