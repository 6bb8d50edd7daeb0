"""``kickoff``: what is refused before any call, and one planner for one goal at a real server."""

import json

import pytest

from orchestrate.cli.main import main
from tests.support.delegations import REPO, Desk, desk, desk_at, offline_desk
from tests.support.repositories import git, make_remote

__all__ = ["desk", "offline_desk"]

LASTING = 'Dates are read. null-runner: {"seconds": 60}'
SHORT = 'Dates are written. null-runner: {"seconds": 0}'


def kick(desk: Desk, goal: str, *words: str) -> tuple[int, dict]:
    return desk.call("kickoff", goal, "--repo", REPO, "--ref", "main", "--json", *words)


def test_the_ids_and_the_place_are_told(desk):
    code, told = kick(desk, LASTING, "--runtime", "cloud", "--yes")

    (agent,) = desk.agents
    assert code == 0
    assert (told["agentId"], told["adopted"], told["repo"], told["ref"]) == (agent["id"], False, REPO, "main")
    assert told["url"] == agent["url"]
    assert told["runId"] == agent["latestRunId"]
    assert agent["metadata"]["orchestrateRoot"] == told["rootSlug"]


def test_the_same_goal_is_adopted_while_its_planner_lives(desk):
    _, first = kick(desk, LASTING, "--yes")
    _, again = kick(desk, LASTING.replace(". ", ".\n  ", 1), "--yes")

    assert (again["agentId"], again["runId"], again["adopted"]) == (first["agentId"], first["runId"], True)
    assert len(desk.agents) == 1


def test_force_launches_another_one(desk):
    _, first = kick(desk, LASTING, "--yes")
    _, second = kick(desk, LASTING, "--yes", "--force")

    assert second["agentId"] != first["agentId"]
    assert not second["adopted"]
    _, third = kick(desk, LASTING, "--yes")
    assert third["agentId"] == first["agentId"]


def test_a_goal_whose_planner_has_ended_gets_a_new_one(desk):
    _, first = kick(desk, SHORT, "--yes")
    _wait_until_over(desk, first)

    _, second = kick(desk, SHORT, "--yes")

    assert second["agentId"] != first["agentId"]


def test_a_lost_answer_launches_nothing_twice(offline_desk, monkeypatch):
    lost = {"rules": [{"call": "create", "do": "no-answer", "times": 1}]}
    with desk_at(offline_desk, monkeypatch, faults=lost) as desk:
        code, told = kick(desk, LASTING, "--yes")

        assert code == 0
        assert [agent["id"] for agent in desk.agents] == [told["agentId"]]


def test_for_people_the_link_is_shown_and_an_adoption_said(desk, capsys):
    words = ["kickoff", LASTING, "--repo", REPO, "--ref", "main", "--yes"]
    assert main(words) == 0
    assert "link   " in capsys.readouterr().out
    assert main(words) == 0
    assert "no second one was launched" in capsys.readouterr().err


def test_nothing_is_launched_without_a_yes(desk):
    code, told = kick(desk, LASTING)

    assert (code, told["error"]["code"]) == (1, "not_confirmed")
    assert desk.agents == []


def test_a_dry_run_touches_no_service(offline_desk, monkeypatch, capsys):
    monkeypatch.setenv("CURSOR_API_KEY", "k")
    monkeypatch.setenv("CURSOR_BACKEND_URL", "http://127.0.0.1:9")

    code, told = kick(offline_desk, "Dates are read.", "--dry-run", "--model", "big")

    assert (code, told["dryRun"], told["model"]) == (0, True, "big")
    assert main(["kickoff", "Dates are read.", "--repo", REPO, "--ref", "main", "--dry-run"]) == 0
    assert "rootSlug" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["  ", "--repo", REPO, "--ref", "main"], "GOAL is empty"),
        (["\udcff", "--repo", REPO, "--ref", "main"], "GOAL is no text in UTF-8"),
        (["x", "--repo", REPO, "--ref=-x"], "no ref that git takes"),
        (["x", "--repo", "/there/shop.git", "--ref", "main"], "Nothing was launched"),
        (["x", "--repo", "http://example.org/shop", "--ref", "main"], "Nothing was launched"),
        (["x"], "in no git repository"),
        (["x", "--repo", "https://127.0.0.1:9/shop.git"], "Nothing was launched"),
    ],
)
def test_what_is_wrong_is_told_before_any_call(offline_desk, monkeypatch, capsys, words, told):
    monkeypatch.setenv("CURSOR_API_KEY", "k")

    assert main(["kickoff", *words, "--yes"]) == 2
    assert told in capsys.readouterr().err


def test_an_unknown_model_is_refused_and_nothing_launched(offline_desk, monkeypatch):
    with desk_at(offline_desk, monkeypatch, models=("big", "small")) as desk:
        code, told = kick(desk, LASTING, "--yes", "--model", "bog")

        assert code == 1
        assert told["error"]["recoveryAction"] == 'use "big"'
        assert desk.agents == []


def test_an_agent_does_not_kick_off(offline_desk, monkeypatch):
    monkeypatch.setenv("CURSOR_API_KEY", "subtree.x")

    assert kick(offline_desk, "x", "--yes")[0] == 1


def test_the_repository_comes_from_the_remote_without_its_credentials(offline_desk, monkeypatch, tmp_path):
    git("init", "--quiet", "--initial-branch=main", "work", at=tmp_path)
    git("remote", "add", "origin", "https://user:pass@github.example/octo/shop.git", at=tmp_path / "work")
    git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main", at=tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("CURSOR_API_KEY", "k")

    code, told = offline_desk.call("kickoff", "x", "--json", "--dry-run", "--ref", "main")

    assert (code, told["repo"]) == (0, "https://github.example/octo/shop.git")


def test_the_default_branch_is_asked_for(offline_desk, tmp_path):
    remote = make_remote(tmp_path / "remote.git")
    words = ("--runtime", "local", "--agent", "null", "--dry-run", "--json")

    code, told = offline_desk.call("kickoff", "x", "--repo", remote.url, *words)

    assert (code, told["repo"], told["ref"]) == (0, remote.url, "main")


def _wait_until_over(desk: Desk, told: dict) -> None:
    from tests.support.server import wait_until

    def is_over() -> bool:
        (agent,) = desk.agents
        return agent["status"] != "ACTIVE"

    wait_until(is_over, what=json.dumps(told))
