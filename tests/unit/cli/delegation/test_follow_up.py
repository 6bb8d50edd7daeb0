import pytest

from tests.support.delegations import AGENT, desk, desk_at, offline_desk, prompt

__all__ = ["desk", "offline_desk"]


@pytest.fixture
def idle(desk):
    """An agent that is not at work."""
    return desk.delegate("--wait", seconds=0)[1]["agentId"]


def test_a_follow_up_is_sent_once(desk, idle):
    words = ("follow-up", "--agent-id", idle, "--prompt", prompt(60), "--idempotency-key", "f1", "--yes")
    code, told = desk.call(*words)
    assert (code, told["idempotencyKey"], told["agentId"]) == (0, "f1", idle)

    code, again = desk.refused(*words)

    assert (code, again["runId"]) == ("DUPLICATE_LAUNCH", told["runId"])


def test_a_key_of_a_launch_is_none_of_a_follow_up(desk):
    _, told = desk.delegate(key="k1")
    words = ("--agent-id", told["agentId"], "--prompt", "more", "--idempotency-key", "k1", "--yes")
    assert desk.refused("follow-up", *words)[0] == "DUPLICATE_LAUNCH"


def test_an_agent_at_work_is_busy_unless_it_is_waited_for(desk):
    _, told = desk.delegate(seconds=2)
    words = ("follow-up", "--agent-id", told["agentId"], "--prompt", prompt(0), "--yes")
    code, busy = desk.refused(*words)
    assert (code, busy["error"]["retryable"], busy["runId"]) == ("AGENT_BUSY", True, told["runId"])

    code, sent = desk.call(*words, "--wait-idle", "--wait")

    assert (code, sent["status"]) == (0, "FINISHED")


def test_an_archived_agent_is_refused_with_what_to_type(desk, idle):
    desk.call("archive", "--agent-id", idle, "--yes")
    code, told = desk.refused("follow-up", "--agent-id", idle, "--prompt", "more", "--yes")
    assert code == "INVALID_INPUT"
    assert f"orchestrate unarchive --agent-id {idle} --yes`" in told["error"]["recoveryAction"]


def test_a_lost_answer_stays_unknown_until_somebody_looks(offline_desk, monkeypatch):
    faults = {"rules": [{"call": "follow-up", "do": "no-answer", "times": 1}]}
    with desk_at(offline_desk, monkeypatch, faults=faults) as desk:
        agent_id = desk.delegate("--wait", seconds=0)[1]["agentId"]
        words = ("follow-up", "--agent-id", agent_id, "--prompt", prompt(60), "--idempotency-key", "f1", "--yes")
        code, told = desk.refused(*words)
        assert (code, told["idempotencyKey"], told["agentId"]) == ("UNKNOWN_OUTCOME", "f1", agent_id)
        assert desk.refused(*words)[0] == "DUPLICATE_LAUNCH"

        _, mended = desk.call("agent-status", "--agent-id", agent_id, "--reconcile")

        assert mended["repaired"][0].startswith("key f1: unknown became launched")
        assert desk.refused(*words)[1]["runId"] == mended["runId"]


def test_it_is_refused_without_a_yes_and_inside_an_agent(offline_desk, monkeypatch):
    words = ("follow-up", "--agent-id", AGENT, "--prompt", "more")
    code, told = offline_desk.refused(*words)
    assert code == "CONFIRMATION_REQUIRED"
    assert f"--idempotency-key={told['idempotencyKey']} --yes`" in told["error"]["recoveryAction"]
    assert offline_desk.call(*words, "--dry-run")[1]["idempotencyKey"]
    monkeypatch.setenv("ORCHESTRATE_AGENT_DEPTH", "2")
    assert offline_desk.refused(*words, "--yes")[0] == "NESTED_DELEGATION"


def test_what_is_wrong_is_told_before_any_call(offline_desk):
    code, told = offline_desk.refused("follow-up", "--agent-id", "bc-1", "--prompt", "", "--model", "a b", "--yes")
    assert (code, len(told["faults"])) == ("INVALID_INPUT", 3)
    code, told = offline_desk.refused("follow-up", "--idempotency-key", "f1", exit_code=2)
    assert (code, told["idempotencyKey"]) == ("INVALID_INPUT", "f1")
