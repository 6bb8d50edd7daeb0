"""``cancel-run``, ``archive`` and ``unarchive``."""

from tests.support.delegations import AGENT, RUN, desk, desk_at, offline_desk

__all__ = ["desk", "offline_desk"]


def test_a_run_is_cancelled_once_and_then_it_is_over_already(desk):
    _, told = desk.delegate(key="k1")
    words = ("cancel-run", "--agent-id", told["agentId"], "--run-id", told["runId"], "--yes")
    code, first = desk.call(*words)
    assert (code, first["status"], first["alreadyTerminal"], first["confirmed"]) == (0, "CANCELLED", False, True)
    code, second = desk.call(*words)
    assert (code, second["alreadyTerminal"]) == (0, True)
    assert desk.delegate(key="k1")[0] == 0


def test_an_agent_at_work_is_not_archived_unless_forced(desk):
    _, told = desk.delegate()
    words = ("archive", "--agent-id", told["agentId"], "--yes")
    code, refused = desk.refused(*words)
    assert code == "AGENT_BUSY"
    assert (
        f"cancel-run --agent-id {told['agentId']} --run-id {told['runId']} --yes`" in refused["error"]["recoveryAction"]
    )
    assert desk.call(*words, "--force")[1]["agentStatus"] == "ARCHIVED"
    assert desk.call(*words)[1]["alreadyDone"] is True


def test_an_agent_is_taken_back(desk):
    _, told = desk.delegate("--wait", seconds=0)
    words = ("--agent-id", told["agentId"], "--yes")
    desk.call("archive", *words)
    assert desk.call("unarchive", *words)[1]["alreadyDone"] is False
    assert desk.call("unarchive", *words)[1]["alreadyDone"] is True


def test_what_changes_something_wants_a_yes(offline_desk):
    for words in (
        ("archive", "--agent-id", AGENT),
        ("unarchive", "--agent-id", AGENT),
        ("cancel-run", "--agent-id", AGENT, "--run-id", RUN),
    ):
        code, told = offline_desk.refused(*words)
        assert code == "CONFIRMATION_REQUIRED"
        assert "--yes`" in told["error"]["recoveryAction"]


def test_ids_have_shapes(offline_desk):
    words = ("--agent-id", "x", "--yes")
    assert offline_desk.refused("archive", *words)[0] == "INVALID_INPUT"
    assert len(offline_desk.refused("cancel-run", *words, "--run-id", "y")[1]["faults"]) == 2


def test_a_cancel_whose_answer_was_lost_came_through(offline_desk, monkeypatch):
    faults = {"rules": [{"call": "cancel", "do": "no-answer", "times": 1}]}
    with desk_at(offline_desk, monkeypatch, faults=faults) as desk:
        _, told = desk.delegate(seconds=60)
        words = ("cancel-run", "--agent-id", told["agentId"], "--run-id", told["runId"], "--yes")
        code, ended = desk.call(*words)
        assert (code, ended["status"], ended["alreadyTerminal"]) == (0, "CANCELLED", False)
