from orchestrate.model.fields import Fields
from orchestrate.model.usage_format import decode_spent, decode_usage, usage_document
from tests.support.builders import a_charge, agent_of


def test_sums_stand_before_the_attempts_where_something_is_known():
    charges = (a_charge("a"), a_charge("a", attempt=2, cents=1.5, tokens=3))
    document = usage_document(charges)
    assert (document["cents"], document["totalTokens"], len(document["attempts"])) == (1.5, 3, 2)
    assert decode_usage(Fields(document, where="row")) == charges
    assert usage_document(charges[:1]) == {
        "attempts": [{"attempt": 1, "agentId": agent_of("a"), "type": "worker", "reservedCents": 500.0}]
    }


def test_the_usage_of_another_tool_is_none_of_ours():
    assert decode_usage(Fields({"totalTokens": 5}, where="row")) is None
    assert decode_usage(Fields({"attempts": [{"attempt": 1}]}, where="row")) is None


def test_what_is_no_amount_was_not_spent():
    told = [5, 1.5, 0, -1, float("inf"), True, "5", None]
    assert [decode_spent(Fields({"cents": cents}, where="s")) for cents in told] == [5, 1.5, 0, *[None] * 5]
