import base64

import pytest

from orchestrate.server.access import OWNER, Caller, Keyring

AGENT = "bc-0f8fad5b-d9cb-469f-a165-70867728950e"
CHILD = "bc-1f8fad5b-d9cb-469f-a165-70867728950e"
KEYRING = Keyring("the-token")


def basic(text):
    return "Basic " + base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("header", ["Bearer the-token", "bearer  the-token ", basic("the-token:"), basic("the-token")])
def test_the_token_is_the_owners(header):
    assert KEYRING.caller(header) == OWNER


@pytest.mark.parametrize(
    "header",
    [
        "",
        "the-token",
        "Bearer",
        "Bearer the-toke",
        "Bearer \xe4",
        "Basic x",
        "Basic /w==",
        "Digest the-token",
        basic(":"),
    ],
)
def test_anything_else_is_nobodys(header):
    assert KEYRING.caller(header) is None


def test_a_subtree_token_is_its_agents():
    assert KEYRING.caller(f"Bearer {KEYRING.subtree_token(AGENT)}") == Caller(AGENT)


def test_a_subtree_token_of_another_server_or_agent_is_nobodys():
    foreign = Keyring("another").subtree_token(AGENT)
    forged = KEYRING.subtree_token(AGENT).replace(AGENT, CHILD)

    assert KEYRING.caller(f"Bearer {foreign}") is None
    assert KEYRING.caller(f"Bearer {forged}") is None
    assert KEYRING.caller("Bearer subtree.x.y") is None


def test_a_caller_reaches_itself_and_what_is_below():
    assert Caller(AGENT).can_reach(f"/{AGENT}/")
    assert Caller(AGENT).can_reach(f"/{AGENT}/{CHILD}/")
    assert not Caller(CHILD).can_reach(f"/{AGENT}/")
    assert OWNER.can_reach(f"/{AGENT}/")


def test_keys_of_different_callers_are_kept_apart():
    assert len({OWNER.scope, Caller(AGENT).scope, Caller(CHILD).scope}) == 3
