import json

import pytest

from orchestrate.cli.main import main
from tests.support.builders import a_row, a_running_row, a_task
from tests.support.fake_cloud import fake_cloud
from tests.support.workspaces import a_plan_document, write_plan, write_state


@pytest.fixture
def cloud(monkeypatch):
    with fake_cloud() as cloud:
        for name, value in cloud.environment.items():
            monkeypatch.setenv(name, value)
        yield cloud


@pytest.fixture
def workspace(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("a"), a_task("b"), runtime={"kind": "cloud"}))
    write_state(tmp_path, [a_running_row("a"), a_row("b")])
    return tmp_path


def test_victims_are_listed_and_nothing_is_done(workspace, cloud, capsys):
    assert main(["kill", str(workspace), "--dry-run", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["operation"], told["dryRun"], [each["task"] for each in told["victims"]]) == ("kill", True, ["a"])
    assert told["expectedSeconds"] == 13.0
    assert main(["kill", str(workspace), "-n"]) == 0
    assert "shop: 1 agent may be alive" in capsys.readouterr().err
    assert main(["kill", str(workspace), "b", "-n", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["victims"] == []
    assert not (workspace / "stop.json").exists()


@pytest.mark.parametrize("verb", ["kill", "kill-tree"])
def test_without_a_yes_it_is_refused(workspace, cloud, capsys, verb):
    assert main([verb, str(workspace), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["error"]["code"], len(told["victims"])) == (False, "not_confirmed", 1)
    assert main([verb, str(workspace)]) == 1
    assert "Nothing was stopped." in capsys.readouterr().err


def test_a_service_that_refuses_the_key_leaves_the_plan_stopped(workspace, cloud, monkeypatch, capsys):
    monkeypatch.setenv("CURSOR_API_KEY", "another")
    assert main(["kill", str(workspace), "-y", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["stopped"]) == (False, [str(workspace)])
    assert [each["task"] for each in told["victims"]] == ["a"]
    assert json.loads((workspace / "stop.json").read_bytes())["scope"] == "tree"


def test_without_a_key_at_all_the_plan_is_stopped_too(workspace, monkeypatch, capsys):
    monkeypatch.delenv("CURSOR_API_KEY", raising=False)
    assert main(["kill", str(workspace), "-y"]) == 2
    assert "1 agent may be alive still; stop.json is in place" in capsys.readouterr().err
    assert (workspace / "stop.json").exists()
