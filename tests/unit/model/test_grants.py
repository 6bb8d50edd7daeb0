"""Grants as they travel, and what is counted of them."""

import pytest

from orchestrate.model.grants import Grant, OwnGrant, Share, Used, least, read_tag, tag_of
from orchestrate.model.names import AgentId

AGENT = AgentId("bc-1")


@pytest.mark.parametrize("grant", [Grant(), Grant(agents=8, cents=400.5, levels=1, reserve=100.0), Grant(levels=0)])
def test_a_grant_arrives_as_it_was_given(grant):
    assert read_tag(tag_of(grant)) == grant


@pytest.mark.parametrize(
    "tag",
    [
        *("", "[]", "8", '{"agents":-1}', '{"agents":true}', '{"agents":1.5}', '{"cents":"4"}', '{"cents":false}'),
        *("NaN", '{"cents":NaN}', '{"cents":Infinity}', '{"levels":"1"}', '{"reserveCents":-0.5}'),
    ],
)
def test_of_a_grant_that_makes_no_sense_nothing_is_guessed(tag):
    assert read_tag(tag) is None


def test_a_share_counts_as_a_whole_until_it_is_certain_what_was_used():
    share = Share(1, AGENT, Grant(agents=8, cents=400.0))
    assert (share.given_agents, share.given_cents, share.used_agents, share.used_cents) == (8, 400.0, 0, 0.0)
    assert share.is_open
    counted = Share(1, AGENT, share.grant, Used(agents=3))
    assert (counted.given_agents, counted.given_cents, counted.used_agents, counted.used_cents) == (0, 400.0, 3, 0.0)
    assert counted.is_open
    known = Share(1, AGENT, share.grant, Used(agents=3, cents=12.5))
    assert (known.given_agents, known.given_cents, known.used_agents, known.used_cents) == (0, 0.0, 3, 12.5)
    assert not known.is_open


def test_nothing_comes_back_of_what_is_not_bounded():
    assert not Share(1, AGENT, Grant(levels=2)).is_open
    assert not Share(1, AGENT, Grant(agents=2), Used(agents=1)).is_open
    assert Share(1, AGENT, Grant(levels=2)).given_cents == 0.0
    assert Grant().is_free
    assert not Grant(levels=2).is_free


def test_what_another_planner_took_before_is_no_part_of_the_grant():
    own = OwnGrant(AGENT, Grant(agents=4, cents=100.0), agents_before=3, cents_before=50.0)
    assert (own.max_agents, own.budget_cents) == (7, 150.0)
    assert (OwnGrant(AGENT, Grant()).max_agents, OwnGrant(AGENT, Grant()).budget_cents) == (None, None)


def test_the_least_bound_binds():
    assert (least(None, None), least(3, None), least(3, 2.5)) == (None, 3, 2.5)
