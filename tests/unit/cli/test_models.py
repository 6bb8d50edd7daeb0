import json

import pytest

from orchestrate.cli.main import main
from tests.support.builders import a_task, a_verifier
from tests.support.fake_cloud import fake_cloud
from tests.support.server import running_server
from tests.support.workspaces import a_plan_document, write_plan

EFFORT = {"id": "effort", "values": [{"value": "low"}, {"value": "high"}]}
FAR = {"repoUrl": "git@example.invalid:team/shop.git"}


@pytest.fixture
def cloud(monkeypatch, tmp_path):
    monkeypatch.delenv("ORCHESTRATE_RUNTIME", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with fake_cloud() as cloud:
        for name, value in cloud.environment.items():
            monkeypatch.setenv(name, value)
        cloud.models = [
            {"id": "gpt-5.4", "displayName": "GPT", "aliases": ["latest"], "parameters": [EFFORT], "description": "d"},
            "composer-2",
        ]
        yield cloud


@pytest.fixture
def told(tmp_path, capsys):
    def models(*tasks, code=0, words=("--check",), **fields):
        write_plan(tmp_path, a_plan_document(*tasks, **{**FAR, **fields}))
        assert main(["models", str(tmp_path), "--json", *words]) == code
        return json.loads(capsys.readouterr().out)

    return models


def test_the_catalogue_needs_no_plan(cloud, capsys):
    assert main(["models", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["operation"], found["anyName"]) == (True, "models", False)
    assert found["models"] == [
        {
            "id": "gpt-5.4",
            "displayName": "GPT",
            "aliases": ["latest"],
            "parameters": [{"id": "effort", "values": ["low", "high"]}],
            "description": "d",
        },
        {"id": "composer-2", "displayName": "composer-2", "aliases": [], "parameters": []},
    ]


def test_a_check_says_what_each_task_would_use_and_why(cloud, told):
    found = told(
        a_task("own", model={"id": "latest", "params": [{"id": "effort", "value": "high"}]}),
        a_task("listed"),
        a_verifier("v", of="own"),
        a_task("open", model="default"),
        models={"worker": ["gone", "composer-2"]},
    )
    assert found["exitCode"] == 0
    assert found["tasks"] == [
        {
            "name": "own",
            "type": "worker",
            "exists": True,
            "chosenBy": "task",
            "model": "gpt-5.4",
            "params": [{"id": "effort", "value": "high"}],
            "named": "latest",
        },
        {
            "name": "listed",
            "type": "worker",
            "exists": True,
            "chosenBy": "plan",
            "model": "composer-2",
            "passedOver": ["gone"],
        },
        {"name": "v", "type": "verifier", "exists": True, "chosenBy": "account", "model": "gpt-5.4"},
        {"name": "open", "type": "worker", "exists": True, "chosenBy": "service"},
    ]


def test_a_model_that_is_missing_is_exit_code_2_with_the_nearest_name(cloud, told):
    found = told(a_task("a", model="gpt-5.5"), a_task("b"), code=2)
    assert found["ok"] is False
    assert found["error"]["message"] == 'model "gpt-5.5" is not in this account.'
    assert [task["exists"] for task in found["tasks"]] == [False, True]
    assert found["tasks"][0]["do"].startswith('use "gpt-5.4"')


def test_the_screen_has_the_tasks_first_then_the_catalogue(cloud, tmp_path, capsys):
    tasks = a_task("a", model="gpt-5.5"), a_task("b", model="latest"), a_task("c")
    write_plan(tmp_path, a_plan_document(*tasks, **FAR, models={"worker": ["x", "default"]}))
    assert main(["models", str(tmp_path), "--check"]) == 2
    shown = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert shown == [
        "task type model",
        '✗ a worker model "gpt-5.5" is not in this account.',
        "✓ b worker gpt-5.4, as latest",
        "! c worker the service's own default; not in this account: x",
        'do use "gpt-5.4"',
        "",
        "the Cloud Agents API 2 models",
        "model name also called settings",
        "○ gpt-5.4 GPT latest effort: low, high",
        "○ composer-2 composer-2",
    ]


def test_a_plan_alone_only_says_whose_models_are_meant(cloud, told):
    found = told(a_task("a", model="gpt-5.5"), words=(), runtime={"kind": "local", "agent": {"name": "null"}})
    assert found["runtime"] == {"kind": "local", "origin": "the plan's runtime"}
    assert "tasks" not in found


def test_the_local_server_takes_any_name_whether_it_runs_or_not(cloud, capsys, tmp_path):
    assert main(["models", "--runtime", "local"]) == 0
    assert capsys.readouterr().out.startswith("the local server: no local server runs; any name is handed")
    with running_server(tmp_path / "state" / "orchestrate" / "server"):
        assert main(["models", "--runtime", "local"]) == 0
    assert capsys.readouterr().out.startswith("the local server: it lists no models of its own; any name is handed")


def test_what_the_service_names_cannot_act_on_the_terminal(cloud, capsys):
    cloud.models = [{"id": "x\x1b[2J", "displayName": "\u202e", "aliases": ["\x07"]}]
    assert main(["models"]) == 0
    assert not {"\x1b", "\u202e", "\x07"} & set(capsys.readouterr().out)
