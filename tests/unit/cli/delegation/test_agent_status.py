import json

from tests.support.delegations import AGENT, RUN, desk, offline_desk

__all__ = ["desk", "offline_desk"]


def test_agent_and_run_as_they_stand(desk):
    _, told = desk.delegate()
    code, status = desk.call("agent-status", "--agent-id", told["agentId"])
    assert (code, status["runId"], status["agentStatus"], status["isOver"]) == (0, told["runId"], "ACTIVE", False)
    assert "targetBranch" not in status
    assert "repaired" not in status
    code, status = desk.call("agent-status", "--agent-id", told["agentId"], "--run-id", told["runId"])
    assert status["runId"] == told["runId"]


def test_what_is_not_there(desk):
    assert desk.refused("agent-status", "--agent-id", AGENT)[0] == "NOT_FOUND"
    _, told = desk.delegate()
    code, refused = desk.refused("agent-status", "--agent-id", told["agentId"], "--run-id", RUN)
    assert (code, bool(refused["error"]["requestId"])) == ("NOT_FOUND", True)


def test_ids_have_shapes(offline_desk):
    _, told = offline_desk.refused("agent-status", "--agent-id", "BC-1", "--run-id", "x")
    assert len(told["faults"]) == 2


def test_reconcile_frees_the_key_of_an_agent_that_is_not_there(offline_desk, monkeypatch):
    from tests.support.delegations import desk_at

    with desk_at(offline_desk, monkeypatch) as desk:
        monkeypatch.setattr("orchestrate.cli.delegation.calls.LOOK_UP_SECONDS", 0.0)
        desk.delegate(key="k1")
        path = desk.records[0]
        record = json.loads(path.read_text())
        path.write_text(json.dumps({**record, "agentId": AGENT, "phase": "unknown", "key": "k1", "generation": 7}))
        code, told = desk.call("agent-status", "--agent-id", AGENT, "--reconcile")
        assert (code, told["isLive"], told["repaired"]) == (
            0,
            False,
            ["key k1: the service has no such agent; the key may be used again"],
        )


def test_reconcile_finds_an_agent_that_got_another_id_by_its_key(desk, monkeypatch):
    monkeypatch.setattr("orchestrate.cli.delegation.calls.LOOK_UP_SECONDS", 0.0)
    _, told = desk.delegate(key="k1")
    path = desk.records[0]
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "agentId": AGENT, "phase": "unknown", "runId": None}))

    _, mended = desk.call("agent-status", "--agent-id", AGENT, "--reconcile")

    assert mended["agentId"] == told["agentId"]
    assert json.loads(path.read_text())["agentId"] == told["agentId"]


def test_reconcile_of_an_agent_that_nobody_knows(desk, monkeypatch):
    monkeypatch.setattr("orchestrate.cli.delegation.calls.LOOK_UP_SECONDS", 0.0)
    assert desk.refused("agent-status", "--agent-id", AGENT, "--reconcile")[0] == "NOT_FOUND"
