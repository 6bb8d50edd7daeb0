import os

import pytest

from orchestrate.cli.checks.findings import Check, Finding, Verdict
from orchestrate.cli.checks.limits import check_limits
from orchestrate.model.vocabulary import RuntimeKind
from tests.support.builders import a_plan, a_task

PLANNER = a_task("p", type="subplanner")
CORES = os.cpu_count() or 1


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({}, []),
        ({"maxConcurrentPerRepo": 8}, []),
        (
            {"maxConcurrentPerRepo": 9},
            ["limits.maxConcurrentPerRepo is 9 and never reached: 8 run at a time at most"],
        ),
        # a first launch fits exactly
        ({"budgetCents": 500}, []),
        ({"reserveCents": 900}, []),
        (
            {"budgetCents": 499},
            [
                "the reserve of a launch (limits.reserveCents) is 500 and limits.budgetCents 499:"
                " nothing would be launched"
            ],
        ),
        (
            {"budgetCents": 10, "reserveCents": 11},
            ["limits.reserveCents is 11 and limits.budgetCents 10: nothing would be launched"],
        ),
        ({"budgetCents": 10, "reserveCents": 10}, []),
        ({"maxAgents": 2}, []),
        ({"maxAgents": 1}, ["limits.maxAgents is 1 and the plan has 2 tasks: the rest would not be launched"]),
        ({"maxDepth": 2}, []),
    ],
)
def test_bounds_that_contradict_are_warnings(limits, told):
    plan = a_plan("a", PLANNER, limits=limits)
    found = check_limits(plan, kind=RuntimeKind.CLOUD, max_concurrent=8, depth=0)
    assert [finding.message for finding in found if finding.verdict is Verdict.WARNING] == told
    assert bool(told) is all(finding.verdict is Verdict.WARNING for finding in found)


@pytest.mark.parametrize(("deepest", "depth"), [(1, 0), (3, 2), (0, 0)])
def test_subplanners_that_could_launch_nobody_are_a_fault(deepest, depth):
    plan = a_plan("a", PLANNER, limits={"maxDepth": deepest})
    words = f"limits.maxDepth is {deepest}: the subplanners p stand at depth {depth + 1} and can launch nothing"
    hint = "set limits.maxDepth higher, or have workers do it"
    assert check_limits(plan, kind=RuntimeKind.CLOUD, max_concurrent=8, depth=depth) == [
        Finding(Check.LIMITS, Verdict.FAULT, words, hint)
    ]


def test_more_agents_than_the_machine_can_carry_are_told_where_they_would_run():
    plan = a_plan(*(f"t-{number}" for number in range(CORES * 8 + 1)))
    crowd = CORES * 8 + 1
    (here,) = check_limits(plan, kind=RuntimeKind.LOCAL, max_concurrent=crowd, depth=0)
    (there,) = check_limits(plan, kind=RuntimeKind.CLOUD, max_concurrent=crowd, depth=0)
    (few,) = check_limits(a_plan("a"), kind=RuntimeKind.LOCAL, max_concurrent=crowd, depth=0)
    assert here.message == f"{crowd} agents at a time share {CORES} cores of this machine"
    assert (there.verdict, few.verdict) == (Verdict.GOOD, Verdict.GOOD)
