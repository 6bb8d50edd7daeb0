"""``tree --live``: a tree by the service's list alone."""

import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.wire import METADATA_DEPTH, METADATA_PARENT, METADATA_ROOT, METADATA_TASK, METADATA_WORKSPACE
from tests.support.fake_cloud import fake_cloud

LIVE = ["tree", "--live", "--root", "shop"]


@pytest.fixture
def cloud(monkeypatch):
    with fake_cloud() as cloud:
        for name, value in cloud.environment.items():
            monkeypatch.setenv(name, value)
        yield cloud


def launched(cloud, agent_id, task, *, root="shop", workspace="w", parent=None, **metadata):
    told = {METADATA_ROOT: root, METADATA_TASK: task, METADATA_WORKSPACE: workspace, METADATA_DEPTH: "1", **metadata}
    if parent is not None:
        told[METADATA_PARENT] = parent
    cloud.create(None, {"agentId": agent_id, "name": f"{root}/{task}", "metadata": told})


def test_agents_stand_below_those_that_launched_them(cloud, capsys):
    launched(cloud, "bc-1", "sub")
    launched(cloud, "bc-2", "leaf", root="sub", workspace="w1", parent="bc-1")
    launched(cloud, "bc-3", "other", root="else", workspace="w2")
    cloud.agents["bc-2"]["status"] = "IDLE"
    assert main([*LIVE, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(each["task"], each["depth"], each["mayRun"]) for each in told["agents"]] == [
        ("sub", 1, True),
        ("leaf", 2, False),
    ]
    assert main([*LIVE, "--color", "never"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "shop  2 agents, 1 may be running; by the service's list alone",
        "└─ ● sub  active  plan shop  bc-1",
        "   └─ ✓ leaf  not active  plan sub  bc-2",
    ]


def test_many_agents_are_folded_and_their_names_are_not_obeyed_by_the_terminal(cloud, capsys):
    for n in range(50):
        launched(cloud, f"bc-{n}", "\x1b[2Jname")
    assert main([*LIVE, "--color", "never"]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert said.splitlines()[-1] == "└─ + 30 more (--all shows them)"
    assert main([*LIVE, "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 51


def test_a_long_lineage_and_one_in_a_circle_are_shown_whole(cloud, capsys):
    launched(cloud, "bc-a", "a", parent="bc-b")
    launched(cloud, "bc-b", "b", parent="bc-a")
    for n in range(300):
        launched(cloud, f"bc-{n}", "deep", parent=f"bc-{n - 1}" if n else None)
    assert main([*LIVE, "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 303
    assert main([*LIVE, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["agents"]) == 302


def test_nobody_is_an_answer(cloud, capsys):
    assert main(LIVE) == 0
    assert capsys.readouterr().out.startswith("shop  0 agents")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tree", "--live"], "--live and --root go together"),
        (["tree", "--root", "shop"], "--live and --root go together"),
        (["tree", ".", "--live", "--root", "shop"], "it takes no PLAN"),
        (["tree", "--live", "--deep", "--root", "shop"], "no --deep"),
        (["tree", "--no-fetch"], "--no-fetch goes with --deep"),
        (["tree", "--live", "--root", "No Slug"], "is no rootSlug"),
        (LIVE, "no runtime chosen"),
    ],
)
def test_a_call_that_cannot_be_meant_is_refused(monkeypatch, capsys, words, said):
    monkeypatch.delenv("CURSOR_API_KEY", raising=False)
    monkeypatch.delenv("ORCHESTRATE_RUNTIME", raising=False)
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_a_service_that_refuses_the_key_says_so(cloud, monkeypatch, capsys):
    monkeypatch.setenv("CURSOR_API_KEY", "another")
    assert main(LIVE) == 1
    assert "key" in capsys.readouterr().err
