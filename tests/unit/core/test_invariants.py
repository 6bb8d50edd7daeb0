"""The invariants notice each state that cannot be."""

from dataclasses import replace

import pytest
from immutables import Map

from orchestrate.core import invariants
from orchestrate.core.changes import RowChanged, Settings
from orchestrate.core.state import apply
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import (
    a_handed_off_row,
    a_launching_row,
    a_plan,
    a_row,
    a_running_row,
    a_state,
    a_task,
    agent_of,
    an_intent,
    an_unread_state,
    run_of,
)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (a_row(status=TaskStatus.RUNNING), "runs without an intent"),
        (a_launching_row(agent_id=agent_of("a")), "set together"),
        (a_launching_row(run_id=run_of("a")), "set together"),
        (a_row(launch=an_intent("a")), "has an intent"),
        (a_row(agent_id=agent_of("a"), run_id=run_of("a")), "has a run"),
        (a_handed_off_row(handoff_path=None), "without a handoff"),
    ],
)
def test_a_row_that_cannot_be_is_noticed(row, words):
    with pytest.raises(AssertionError, match=words):
        invariants.check(an_unread_state(row))


@pytest.mark.parametrize(
    "row",
    [
        a_row(),
        a_launching_row(),
        a_running_row(),
        a_handed_off_row(),
        a_row(status=TaskStatus.CANCELLED),
        a_row(status=TaskStatus.ERROR, agent_id=agent_of("a")),  # a foreign row that nobody could watch
    ],
)
def test_a_row_that_can_be_is_left_alone(row):
    invariants.check(an_unread_state(row))


@pytest.mark.parametrize(
    "wrong",
    [
        {"waiting": Map({"b": 0})},
        {"counts": Map({TaskStatus.RUNNING: 7})},
        {"awaiting": 3},
        {"postponed": 1},
        {"ready": None},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_wrong_count_is_noticed(wrong):
    plan = a_plan("a", a_task("b", depends_on=("a",)), "c", "d")
    state = a_state(plan, settings=Settings(max_concurrent=2))
    invariants.check(state)
    with pytest.raises(AssertionError):
        invariants.check(replace(state, **wrong))


def test_a_start_before_a_dependency_is_noticed():
    before = a_state(a_plan("a", a_task("b", depends_on=("a",))), a_running_row())
    after = apply(before, [RowChanged(a_launching_row("b", depends_on=("a",)))])
    with pytest.raises(AssertionError, match="b started before"):
        invariants.check_starts(before, after)


def test_a_start_without_a_slot_is_noticed():
    before = a_state(a_plan("a", "b"), settings=Settings(max_concurrent=1))
    after = apply(before, [RowChanged(a_launching_row("b"))])
    with pytest.raises(AssertionError, match="2 tasks run in 1 slots"):
        invariants.check_starts(before, after)


def test_runs_above_the_limit_are_no_fault_of_a_turn_that_starts_none():
    state = a_state(a_plan("a", "b"), a_running_row("a"), a_running_row("b"), settings=Settings(max_concurrent=1))
    invariants.check_starts(state, state)
