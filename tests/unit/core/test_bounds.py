"""The limits in force."""

import pytest

from orchestrate.core.bounds import Bounds, bounds_of
from orchestrate.core.changes import Settings
from orchestrate.model.grants import Grant, OwnGrant
from orchestrate.model.rows import Workspace
from tests.support.builders import SLUG, WORKSPACE, a_plan, a_state, agent_of

OWN = agent_of("p")


def bounds(limits, grant=None, *, depth=0, before=(0, 0.0)) -> Bounds:
    own = None if grant is None else OwnGrant(OWN, grant, *before)
    workspace = Workspace(WORKSPACE, SLUG, grant=own)
    settings = Settings(max_concurrent=8, depth=depth)
    return bounds_of(a_state(a_plan("a", limits=limits), settings=settings, workspace=workspace))


@pytest.mark.parametrize(
    ("limits", "grant", "expected"),
    [
        ({}, None, Bounds()),
        ({}, Grant(), Bounds()),
        ({"budgetCents": 5, "maxAgents": 3}, None, Bounds(5, 3)),
        ({"budgetCents": 5, "maxAgents": 3}, Grant(agents=4, cents=6.0), Bounds(5, 3)),
        ({"budgetCents": 5, "maxAgents": 3}, Grant(agents=2, cents=4.0), Bounds(4.0, 2, None, True, True)),
        ({}, Grant(agents=2, cents=4.0, levels=1), Bounds(4.0, 2, 1, True, True)),
    ],
)
def test_the_lesser_of_plan_and_grant_binds(limits, grant, expected):
    assert bounds(limits, grant) == expected


def test_what_was_taken_under_another_grant_is_added():
    assert bounds({}, Grant(agents=2, cents=4.0), before=(3, 1.5)) == Bounds(5.5, 5, None, True, True)


def test_levels_are_counted_from_the_root_in_the_plan_and_from_here_in_the_grant():
    assert bounds({"maxDepth": 3}, depth=1).levels == 2
    assert bounds({"maxDepth": 3}, depth=5).levels == 0
    assert bounds({"maxDepth": 3}, Grant(levels=1), depth=1).levels == 1
