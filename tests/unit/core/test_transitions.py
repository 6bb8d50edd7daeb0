"""The table of legal steps, and its diagram."""

import itertools

import pytest

from orchestrate.core.transitions import TABLE, diagram, is_legal
from orchestrate.model.vocabulary import TaskStatus


@pytest.mark.parametrize(("source", "target"), list(itertools.product(TaskStatus, TaskStatus)))
def test_only_the_table_s_steps_are_legal_and_a_status_may_stay(source, target):
    in_table = any((step.source, step.target) == (source, target) for step in TABLE)
    assert is_legal(source, target) is (in_table or source == target)


@pytest.mark.parametrize("status", [TaskStatus.HANDED_OFF, TaskStatus.ERROR, TaskStatus.CANCELLED])
def test_an_end_is_never_left_by_itself(status):
    by_somebody = ("AcceptanceWritten", "RespawnRequested", "SteerRequested")
    steps = [step for step in TABLE if step.source == status]
    assert all(cause.startswith(by_somebody) for step in steps for cause in step.causes)


def test_nothing_hands_off_without_having_run_unless_a_person_stands_for_it():
    steps = {step.source: step.causes for step in TABLE if step.target == TaskStatus.HANDED_OFF}
    assert set(steps) == {TaskStatus.RUNNING, TaskStatus.PENDING, TaskStatus.ERROR, TaskStatus.CANCELLED}
    assert all("AcceptanceWritten" in causes[0] for source, causes in steps.items() if source != TaskStatus.RUNNING)


def test_each_step_is_in_the_table_once():
    assert len({(step.source, step.target) for step in TABLE}) == len(TABLE)


def test_the_diagram_draws_each_cause_of_each_step_and_each_end():
    lines = diagram().splitlines()
    assert lines[:2] == ["stateDiagram-v2", "    [*] --> pending"]
    assert "    running --> handed_off: RunEnded FINISHED with a message" in lines
    assert "    running --> error: LaunchRefused" in lines
    assert len(lines) == 2 + sum(len(step.causes) for step in TABLE) + 3
    assert not any(";" in line for line in lines)
