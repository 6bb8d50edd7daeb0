import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.wire import METADATA_ROOT, METADATA_TASK, METADATA_WORKSPACE
from tests.support.builders import a_row
from tests.support.fake_cloud import fake_cloud
from tests.support.pushed_trees import PushedTree, agent_in, planner, worker, workspace_of
from tests.support.repositories import git, make_remote

REPO = "https://git.example.org/team/shop.git"
ID = "bc-11111111-1111-4111-8111-111111111111"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["x", "y"], "kill-tree takes PLAN, or REPO BRANCH SLUG"),
        ([REPO, "-x", "shop"], "BRANCH:"),
        ([REPO, "main", "Not A Slug"], "SLUG:"),
        (["", "main", "shop"], "REPO:"),
        ([REPO, "main", "shop", "--agent-id", "7"], "--agent-id:"),
        ([REPO, "main", "shop"], "no runtime chosen"),
    ],
)
def test_a_call_that_cannot_be_meant_is_refused(monkeypatch, capsys, words, said):
    monkeypatch.delenv("CURSOR_API_KEY", raising=False)
    monkeypatch.delenv("ORCHESTRATE_RUNTIME", raising=False)
    arguments = ["--", *words] if "-x" in words else words
    assert main(["kill-tree", "--yes", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_by_the_service_alone_the_name_of_the_plan_tells_the_tree(monkeypatch, capsys):
    with fake_cloud() as cloud:
        for name, value in cloud.environment.items():
            monkeypatch.setenv(name, value)
        for slug in ("shop", "other"):
            cloud.create(None, {"name": f"{slug}/a", "metadata": {METADATA_ROOT: slug, METADATA_TASK: "a"}})
        assert main(["kill-tree", REPO, "main", "shop", "-n", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert [each["task"] for each in told["victims"]] == ["a"]
        assert main(["kill-tree", REPO, "main", "shop", "--agent-id", ID, "-n", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["victims"], len(told["outOfReach"])) == ([], 1)


@pytest.fixture
def cloud(monkeypatch):
    with fake_cloud() as cloud:
        for name, value in cloud.environment.items():
            monkeypatch.setenv(name, value)
        yield cloud


@pytest.fixture
def pushed(tmp_path):
    tree = PushedTree(make_remote(tmp_path / "remote.git"))
    tree.push("orch-state/shop", "shop", [planner("shop", "sub"), a_row("later")])
    tree.push("orch-state/sub", "sub", [worker("sub", "leaf")], of=agent_in("shop", "sub"))
    return tree


def victims(capsys, *words):
    assert main(["kill-tree", *words, "-n", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    return [each["task"] for each in told["victims"]], [each["task"] for each in told["otherWorkspaces"]]


def test_what_was_pushed_tells_of_agents_that_no_list_shows(cloud, pushed, capsys):
    assert victims(capsys, pushed.remote.url, "main", "shop") == (["sub", "leaf"], [])


def test_agents_of_another_workspace_with_the_same_name_are_left_alone_and_told(cloud, pushed, capsys):
    metadata = {METADATA_ROOT: "shop", METADATA_TASK: "theirs", METADATA_WORKSPACE: workspace_of("another")}
    cloud.create(None, {"name": "shop/theirs", "metadata": metadata})
    assert victims(capsys, pushed.remote.url, "main", "shop") == (["sub", "leaf"], ["theirs"])
    assert main(["kill-tree", pushed.remote.url, "main", "shop", "-n"]) == 0
    assert "note: 1 agent of the same rootSlug, of other workspaces: left alone" in capsys.readouterr().err


def test_a_state_cannot_claim_an_agent_that_the_service_knows_to_be_of_another_workspace(cloud, pushed, capsys):
    metadata = {METADATA_ROOT: "else", METADATA_TASK: "theirs", METADATA_WORKSPACE: workspace_of("else")}
    cloud.create(None, {"agentId": agent_in("sub", "leaf"), "name": "else/theirs", "metadata": metadata})
    assert victims(capsys, pushed.remote.url, "main", "shop") == (["sub"], [])


def test_the_agents_of_a_state_of_another_tool_are_of_the_tree(cloud, tmp_path, capsys):
    rows = [{"name": n, "status": "running", "agentId": f"bc-{n}", "runId": f"run-{n}"} for n in ("one", "two")]
    tree = PushedTree(make_remote(tmp_path / "remote.git"))
    tree.put("main", {".orchestrate/shop/state.json": json.dumps({"rootSlug": "shop", "tasks": rows})})
    metadata = {METADATA_TASK: "theirs", METADATA_WORKSPACE: workspace_of("else")}
    cloud.create(None, {"agentId": "bc-two", "name": "x/theirs", "metadata": metadata})
    assert victims(capsys, tree.remote.url, "main", "shop") == (["one"], [])


def test_a_service_that_refuses_the_key_keeps_nobody_from_being_told_to_stop(cloud, pushed, monkeypatch, capsys):
    monkeypatch.setenv("CURSOR_API_KEY", "another")
    words = ["kill-tree", pushed.remote.url, "main", "shop"]
    assert main([*words, "-y"]) == 1
    said = capsys.readouterr().err
    assert "shop of " in said
    assert "note: the service's list could not be read" in said
    assert "stopped: orch-state/shop" in said
    assert "2 agents may be alive still; stop.json is in place" in said
    for slug in ("shop", "sub"):
        assert "stop.json" in git("ls-tree", "-r", "--name-only", f"orch-state/{slug}", at=pushed.remote.path)
    assert main([*words, "-y", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["stopped"]) == (False, ["orch-state/shop", "orch-state/sub"])
    assert [each["task"] for each in told["victims"]] == ["sub", "leaf"]
    assert main([*words, "-n"]) == 1


def test_a_remote_that_takes_no_tombstone_is_told(cloud, pushed, monkeypatch, capsys):
    monkeypatch.setenv("CURSOR_API_KEY", "another")
    hook = pushed.remote.path / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    clone = pushed.remote.path.parent / "clone"
    git("clone", "--quiet", pushed.remote.url, str(clone), at=clone.parent)
    assert main(["kill-tree", str(clone), "main", "shop", "-y", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [each["place"] for each in told["notStopped"]] == ["orch-state/shop", "orch-state/sub"]
    assert "no tombstone could be put anywhere" in told["error"]["message"]
    assert main(["kill-tree", str(clone), "main", "shop", "-y"]) == 1
    assert "attention: no tombstone on orch-state/shop: " in capsys.readouterr().err
