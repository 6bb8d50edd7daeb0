"""Whatever a plan is: its faults are told, nothing is raised, and ``parse_plan`` agrees with ``check_plan``."""

import json

import pytest
from hypothesis import given, strategies as st

from orchestrate.errors import PlanRefused
from orchestrate.model.checking import check_plan, parse_plan
from orchestrate.model.faults import Fault
from tests.support.fuzzing import damaged, fuzzed, json_values, mutated, odd_text

PLAN = {
    "$schema": "plan.schema.json",
    "goal": "Ship it.",
    "summary": "in two steps",
    "rootSlug": "ship",
    "baseBranch": "main",
    "repoUrl": "https://git.example.org/team/project.git",
    "acceptanceCriteria": ["tests pass"],
    "runtime": {"kind": "local", "agent": {"command": ["agent", "--fast"], "promptVia": "stdin", "passEnv": ["HOME"]}},
    "limits": {"maxConcurrent": 4, "taskTimeoutSec": 600},
    "models": {"worker": ["a", {"id": "b", "params": [{"id": "effort", "value": "high"}]}]},
    "tasks": [
        {
            "name": "build",
            "type": "worker",
            "scopedGoal": "It is built.",
            "pathsAllowed": ["src/**"],
            "measurements": [{"name": "lines", "command": "wc -l a", "parser": {"kind": "regex", "pattern": "(\\d+)"}}],
            "retry": {"attempts": 2, "on": ["oom"], "backoffSec": 5},
        },
        {"name": "split", "type": "subplanner", "scopedGoal": "It is split.", "dependsOn": ["build"], "model": "a"},
        {"name": "merge-all", "type": "worker", "scopedGoal": "Joined.", "startingRef": "main", "openPR": True},
        {"name": "check", "type": "verifier", "verifies": "build", "scopedGoal": "It works.", "onBlocked": "release"},
    ],
}
TEXT = json.dumps(PLAN, indent=1, ensure_ascii=False).encode()


def told(source):
    """The faults, each of them fit to be shown; a plan without any is one that can be used."""
    faults = check_plan(source)
    assert all(isinstance(fault, Fault) and fault.message for fault in faults)
    assert len(set(faults)) == len(faults)
    assert refusal_of(source) == faults
    return faults


def refusal_of(source):
    try:
        parse_plan(source)
    except PlanRefused as refused:
        return list(refused.faults)
    return []


def test_the_plan_that_is_mutated_here_is_good():
    assert told(PLAN) == told(TEXT) == []


@fuzzed
@given(st.one_of(st.binary(max_size=200), odd_text))
def test_bytes_and_text_of_any_kind_are_told_what_is_wrong(source):
    assert told(source)


@fuzzed
@given(damaged(TEXT))
def test_a_damaged_file_is_told_what_is_wrong_with_lines_that_it_has(source):
    lines = source.count(b"\n") + source.count(b"\r") + 1
    assert all(fault.line is None or 1 <= fault.line <= lines for fault in told(source))


@fuzzed
@given(mutated(PLAN))
def test_a_mutated_plan_has_the_same_faults_as_a_mapping_and_as_text(document):
    if isinstance(document, dict):
        from_mapping = {(fault.path, fault.message) for fault in told(document)}
        try:
            text = json.dumps(document, allow_nan=False, ensure_ascii=False).encode()
        except ValueError:
            return  # no JSON can say it: NaN, or half a character
        from_text = {(fault.path, fault.message) for fault in told(text)}
        assert from_mapping == from_text


@fuzzed
@given(json_values)
def test_any_json_is_told_what_is_wrong(document):
    assert told(json.dumps(document))


@fuzzed
@given(st.dictionaries(odd_text, json_values, max_size=3))
def test_any_mapping_is_told_what_is_wrong(document):
    assert told(document)


@pytest.mark.parametrize("value", [object(), b"bytes", {1, 2}, 1j, {3: 4}, (1, 2), range(3), print], ids=repr)
def test_a_mapping_with_what_json_cannot_say_is_told_what_is_wrong(value):
    assert told({**PLAN, "goal": value})
    assert told({**PLAN, "tasks": [value]})
    assert told({**PLAN, "runtime": {"kind": value}})


def test_a_mapping_that_holds_itself_is_told_what_is_wrong():
    circle = dict(PLAN)
    circle["limits"] = circle

    assert told(circle)
