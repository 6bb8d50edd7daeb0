import pytest

from tests.support.delegations import AGENT, desk, desk_at, offline_desk

__all__ = ["desk", "offline_desk"]


@pytest.mark.parametrize("verb", ["usage", "artifacts"])
def test_a_service_without_it_is_no_agent_that_is_not_there(offline_desk, monkeypatch, verb):
    faults = {"rules": [{"path": f"/{verb}", "do": "refuse", "status": 404, "code": "not_found"}]}
    with desk_at(offline_desk, monkeypatch, faults=faults) as desk:
        _, told = desk.delegate()
        code, refused = desk.refused(verb, "--agent-id", told["agentId"])
        assert (code, refused["error"]["retryable"]) == ("UNSUPPORTED", False)
        assert desk.refused(verb, "--agent-id", AGENT)[0] == "NOT_FOUND"
