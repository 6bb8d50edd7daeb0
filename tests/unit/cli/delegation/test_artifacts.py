import stat

import pytest

from tests.support.delegations import AGENT, desk, desk_at, offline_desk

__all__ = ["desk", "offline_desk"]

REPORT = {"run": ["sh", "-c", 'printf "%s" "the report" > "$ORCHESTRATE_ARTIFACTS_DIR/report.txt"']}


@pytest.fixture
def agent_id(desk):
    """An agent that left a file."""
    created = desk.server.create_scripted([REPORT])
    desk.server.end(created)
    return created.agent["id"]


def download(agent_id, *words):
    return ("artifacts", "--agent-id", agent_id, "--download", "artifacts/report.txt", *words)


def test_they_are_listed(desk, agent_id):
    code, told = desk.call("artifacts", "--agent-id", agent_id)
    assert (code, told["artifacts"][0]["path"], told["artifacts"][0]["sizeBytes"]) == (0, "artifacts/report.txt", 10)


def test_one_is_fetched_into_a_new_file_of_its_owner(desk, agent_id):
    code, told = desk.call(*download(agent_id, "--out", "deep/copy.txt"))
    path = desk.home / "deep" / "copy.txt"
    assert (code, told["sizeBytes"], path.read_text()) == (0, 10, "the report")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["copy.txt"]
    assert desk.call(*download(agent_id))[1]["out"] == "report.txt"


def test_nothing_is_replaced_and_no_link_followed(desk, agent_id):
    (desk.home / "there.txt").write_text("mine")
    (desk.home / "elsewhere").mkdir()
    (desk.home / "link").symlink_to(desk.home / "elsewhere")
    (desk.home / "dangling.txt").symlink_to(desk.home / "elsewhere" / "x")
    for out in ("there.txt", "link/copy.txt", "dangling.txt"):
        assert desk.refused(*download(agent_id, "--out", out))[0] == "INVALID_INPUT"
    assert (desk.home / "there.txt").read_text() == "mine"
    assert list((desk.home / "elsewhere").iterdir()) == []


def test_more_than_was_allowed_is_not_kept(desk, agent_id):
    code, told = desk.refused(*download(agent_id, "--out", "copy.txt", "--max-bytes", "9"))
    assert code == "INVALID_INPUT"
    assert "more than 9 bytes" in told["error"]["message"]
    assert not (desk.home / "copy.txt").exists()
    assert not [each for each in desk.home.iterdir() if each.name.endswith(".tmp")]


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "a//b", "a\0b", ".", "", "a\\b", "a/\x1b[1m"])
def test_paths_lead_down_only(offline_desk, path):
    words = ("artifacts", "--agent-id", AGENT)
    assert offline_desk.refused(*words, "--download", path, "--out", "x")[0] == "INVALID_INPUT"
    assert offline_desk.refused(*words, "--download", "x", "--out", path)[0] == "INVALID_INPUT"


def test_what_is_not_there(desk, agent_id):
    code, _ = desk.refused("artifacts", "--agent-id", agent_id, "--download", "artifacts/gone", "--out", "x")
    assert code == "NOT_FOUND"
    assert not (desk.home / "x").exists()
    assert desk.refused("artifacts", "--agent-id", agent_id, "--out", "x")[0] == "INVALID_INPUT"


def test_a_link_that_is_refused_is_no_matter_of_the_key(offline_desk, monkeypatch):
    faults = {"rules": [{"path": "/v1/downloads/", "do": "refuse", "status": 403, "times": 1}]}
    with desk_at(offline_desk, monkeypatch, faults=faults) as desk:
        created = desk.server.create_scripted([REPORT])
        desk.server.end(created)
        code, told = desk.refused(*download(created.agent["id"]))
        assert (code, told["error"]["retryable"]) == ("SERVICE_UNAVAILABLE", True)
        assert told["error"]["recoveryAction"].startswith("Type the same command again, which asks for a new link")
        assert not (desk.home / "report.txt").exists()
        assert desk.call(*download(created.agent["id"]))[0] == 0
