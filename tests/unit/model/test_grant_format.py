"""Shares and grants on disk."""

import pytest

from orchestrate.model.fields import Fields
from orchestrate.model.grant_format import decode_own_grant, decode_share, own_grant_document, shares_document
from orchestrate.model.grants import Grant, OwnGrant, Share, Used
from orchestrate.model.names import AgentId

AGENT = AgentId("bc-1")


@pytest.mark.parametrize("used", [None, Used(agents=0), Used(agents=3, cents=1.5)])
def test_a_share_is_read_as_it_was_written(used):
    share = Share(2, AGENT, Grant(agents=8, cents=400.0, levels=1, reserve=50.0), used)
    (document,) = shares_document([share])
    assert decode_share(Fields(document, where="row")) == share


@pytest.mark.parametrize(
    "own", [OwnGrant(AGENT, Grant()), OwnGrant(AGENT, Grant(agents=2, cents=5.0, levels=0), 3, 12.5)]
)
def test_the_own_grant_is_read_as_it_was_written(own):
    assert decode_own_grant(Fields(own_grant_document(own), where="state")) == own


@pytest.mark.parametrize(
    "document", [{}, {"attempt": 1}, {"attempt": 1, "agentId": "bc-1"}, {"agentId": "bc-1", "grant": {}}]
)
def test_what_is_no_share_is_none(document):
    assert decode_share(Fields(document, where="row")) is None


def test_what_says_no_agent_is_no_grant():
    assert decode_own_grant(Fields({"agents": 2}, where="state")) is None


def test_a_use_without_a_number_of_agents_is_none():
    share = decode_share(Fields({"attempt": 1, "agentId": "bc-1", "grant": {}, "used": {"cents": 1}}, where="row"))
    assert share == Share(1, AGENT, Grant())
