import io

import pytest

from orchestrate.cli.main import main
from tests.support.delegations import AGENT, desk, desk_at, offline_desk, prompt

__all__ = ["desk", "offline_desk"]


def steer(agent_id: str, *words: str, seconds: float = 60) -> tuple[str, ...]:
    return ("steer", "--agent-id", agent_id, "--message", prompt(seconds), *words)


def runs(desk, agent_id: str) -> int:
    """How many runs the service has of this agent."""
    answer = desk.server.http.get(f"/v1/agents/{agent_id}/runs")
    return len(answer.json()["items"])


@pytest.fixture
def idle(desk):
    """An agent that is not at work."""
    return desk.delegate("--wait", seconds=0)[1]["agentId"]


def test_a_message_to_a_free_agent_is_sent_once_as_a_follow_up(desk, idle):
    words = steer(idle, "--idempotency-key", "s1", "--yes")
    code, told = desk.call(*words)
    assert (code, told["outcome"], told["sent"]) == (0, "revert_to_followup", True)
    assert (told["idempotencyKey"], told["agentId"]) == ("s1", idle)
    assert runs(desk, idle) == 2

    code, again = desk.refused(*words)

    assert (code, again["runId"]) == ("DUPLICATE_LAUNCH", told["runId"])
    assert runs(desk, idle) == 2


def test_one_to_an_agent_at_work_stays_with_the_caller_and_takes_no_key(desk):
    _, busy = desk.delegate(seconds=60)
    words = steer(busy["agentId"], "--idempotency-key", "s1", "--yes", seconds=0)
    code, told = desk.call(*words)
    assert (code, told["outcome"], told["sent"]) == (0, "revert_to_followup", False)
    assert told["runId"] == busy["runId"]
    assert told["sendWith"].endswith("--idempotency-key=s1 --wait-idle --yes")
    assert desk.call(*words)[1]["sent"] is False
    assert runs(desk, busy["agentId"]) == 1
    _, out, _ = desk.lines(*words)
    assert "The message is yours still." in out


def test_where_the_end_of_its_run_is_waited_for_it_is_sent(desk):
    _, busy = desk.delegate(seconds=2)
    code, told = desk.call(*steer(busy["agentId"], "--yes", "--wait-idle", "--wait", seconds=0))
    assert (code, told["sent"], told["status"]) == (0, True, "FINISHED")


def test_an_agent_that_became_busy_meanwhile_is_no_failure(offline_desk, monkeypatch):
    faults = {"rules": [{"call": "follow-up", "do": "refuse", "status": 409, "code": "agent_busy", "times": 1}]}
    with desk_at(offline_desk, monkeypatch, faults=faults) as desk:
        idle = desk.delegate("--wait", seconds=0)[1]["agentId"]
        assert desk.call(*steer(idle, "--idempotency-key", "s1", "--yes"))[1]["sent"] is False
        assert desk.call(*steer(idle, "--idempotency-key", "s1", "--yes"))[1]["sent"] is True


def test_a_lost_answer_is_an_unknown_outcome_and_is_never_sent_again(offline_desk, monkeypatch):
    faults = {"rules": [{"call": "follow-up", "do": "no-answer", "times": 1}]}
    with desk_at(offline_desk, monkeypatch, faults=faults) as desk:
        idle = desk.delegate("--wait", seconds=0)[1]["agentId"]
        words = steer(idle, "--idempotency-key", "s1", "--yes")
        assert desk.refused(*words)[0] == "UNKNOWN_OUTCOME"
        assert desk.refused(*words)[0] == "DUPLICATE_LAUNCH"
        assert runs(desk, idle) == 2


def test_an_archived_agent_is_refused_with_what_to_type(desk, idle):
    desk.call("archive", "--agent-id", idle, "--yes")
    code, told = desk.refused(*steer(idle, "--yes"))
    assert code == "INVALID_INPUT"
    assert f"orchestrate unarchive --agent-id {idle} --yes`" in told["error"]["recoveryAction"]


def test_it_is_refused_without_a_yes_and_inside_an_agent(offline_desk, monkeypatch):
    code, told = offline_desk.refused(*steer(AGENT))
    assert code == "CONFIRMATION_REQUIRED"
    assert f"--idempotency-key={told['idempotencyKey']} --yes`" in told["error"]["recoveryAction"]
    assert offline_desk.call(*steer(AGENT), "--dry-run")[1]["plan"]["agentId"] == AGENT
    monkeypatch.setenv("ORCHESTRATE_AGENT_DEPTH", "2")
    assert offline_desk.refused(*steer(AGENT, "--yes"))[0] == "NESTED_DELEGATION"


def test_a_queue_needs_a_workspace(offline_desk):
    code, told = offline_desk.refused(*steer(AGENT, "--queue", "--yes"))
    assert (code, told["error"]["retryable"]) == ("UNSUPPORTED", False)
    assert "--wait-idle" in told["error"]["recoveryAction"]


def test_what_is_wrong_is_told_before_any_call(offline_desk, tmp_path):
    code, told = offline_desk.refused("steer", "--agent-id", "bc-1", "--message", " ", "--model", "a b", "--yes")
    assert (code, len(told["faults"])) == ("INVALID_INPUT", 3)
    missing = ("--message-file", str(tmp_path / "none.md"))
    code, told = offline_desk.refused("steer", "--agent-id", AGENT, *missing, "--yes")
    assert told["error"]["message"].startswith("--message-file ")


@pytest.mark.parametrize(
    "words",
    [
        (".", "a", "--message", "x"),
        ("--list",),
        ("--drop", AGENT),
        (),
        ("--message", "x", "--message-file", "y"),
        ("--message",),
    ],
)
def test_a_line_that_cannot_be_read_is_one_object_with_its_key(offline_desk, words):
    line = ("steer", "--agent-id", AGENT, "--idempotency-key", "s1", *words)
    code, told = offline_desk.refused(*line, exit_code=2)
    assert (code, told["idempotencyKey"]) == ("INVALID_INPUT", "s1")


def test_a_message_from_stdin_is_not_repeated_in_a_command(offline_desk, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Keep it.")))
    code, told = offline_desk.refused("steer", "--agent-id", AGENT, "--message-file", "-")
    assert code == "CONFIRMATION_REQUIRED"
    assert told["error"]["recoveryAction"].startswith("Add --yes to the same command")


@pytest.mark.parametrize(
    "option", ["--wait-idle", "--wait", "--model=m", "--idempotency-key=k", "--runtime=local", "-n"]
)
def test_options_of_an_agent_are_refused_in_a_workspace(offline_desk, capsys, option):
    assert main(["steer", ".", "a", "--message", "x", option]) == 2
    assert "goes with --agent-id" in capsys.readouterr().err
