import json

import pytest

from orchestrate.model.vocabulary import RunStatus
from orchestrate.server.records import RunRecord
from orchestrate.server.usage import UsageUnreadable, read_usage, usage_answer

TOKENS = {"inputTokens": 3, "outputTokens": 2}


def run(number, usage=None, *, status=RunStatus.FINISHED, started_at="2026"):
    return RunRecord(
        f"run-{number}", "bc-1", "null", status, "2026", "2026", started_at=started_at, usage=usage, number=number
    )


def report(content):
    return read_usage(json.dumps(content).encode())


def test_a_report_is_kept_as_far_as_we_know_it():
    told = {"usage": TOKENS, "cost": {"chargedCents": 1.5}}

    assert report({**told, "model": "x"}) == told
    assert report({"usage": {**TOKENS, "outputTokens": None, "imageTokens": 7}}) == {"usage": {"inputTokens": 3}}


@pytest.mark.parametrize("content", [{}, {"usage": {}}, {"usage": None, "cost": {}}])
def test_a_report_that_says_nothing_is_none(content):
    assert report(content) is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file"),
        (b"{", "the file"),
        (b"[]", "the file"),
        (b'{"usage": {"inputTokens": "many"}}', "usage.inputTokens"),
        (b'{"usage": {"inputTokens": -1}}', "usage.inputTokens: must be 0 or more"),
        (b'{"cost": {"chargedCents": NaN}}', "cost.chargedCents: must be 0 or more"),
        (b'{"cost": {"chargedCents": 1e999}}', "cost.chargedCents: must be 0 or more"),
    ],
)
def test_a_report_that_makes_no_sense_says_where(content, words):
    with pytest.raises(UsageUnreadable, match=words):
        read_usage(content)


def test_what_nobody_told_is_absent():
    assert usage_answer([]) == {"totalUsage": {}, "runs": []}
    assert usage_answer([run(1)]) == {"totalUsage": {}, "runs": []}


def test_a_total_needs_the_share_of_every_run_that_was_at_work():
    told = {"usage": TOKENS, "cost": {"chargedCents": 1.5}}
    part = {"usage": {"inputTokens": 1}}

    assert usage_answer([run(1, told), run(2, told)])["totalUsage"] == {"inputTokens": 6, "outputTokens": 4}
    assert usage_answer([run(1, told), run(2, told)])["cost"] == {"chargedCents": 3.0}
    assert usage_answer([run(1, told), run(2, part)]) == {
        "totalUsage": {"inputTokens": 4},
        "runs": [{"id": "run-1", **told}, {"id": "run-2", **part}],
    }
    assert usage_answer([run(1, told), run(2)])["totalUsage"] == {}


def test_a_run_that_lives_or_was_never_begun_has_no_share():
    living = run(2, status=RunStatus.RUNNING)
    never_begun = run(3, status=RunStatus.CANCELLED, started_at=None)

    assert usage_answer([run(1, {"usage": TOKENS}), living, never_begun])["totalUsage"] == TOKENS


def test_a_run_that_told_only_its_cost_has_an_empty_usage():
    cost = {"cost": {"rawCostCents": 2.0}}

    assert usage_answer([run(1, cost)]) == {"totalUsage": {}, **cost, "runs": [{"id": "run-1", "usage": {}, **cost}]}
