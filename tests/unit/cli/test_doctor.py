import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.names import EngineId
from orchestrate.store.files import Folder
from orchestrate.store.lock import WorkspaceLock
from orchestrate.system import SystemClock
from tests.support.builders import a_handed_off_row, a_task
from tests.support.fake_cloud import fake_cloud
from tests.support.repositories import make_remote
from tests.support.workspaces import a_plan_document, write_plan, write_state

LOCAL = {"runtime": {"kind": "local", "agent": {"name": "null"}}, "repoUrl": "../remote.git"}
#: git cannot reach it, at once and without a network.
FAR = {"repoUrl": "git@example.invalid:team/shop.git"}


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A folder beside a remote; nothing of the machine's own set-up counts."""
    for name in ("CURSOR_API_KEY", "CURSOR_BACKEND_URL", "ORCHESTRATE_RUNTIME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("GIT_SSH_COMMAND", "false")
    make_remote(tmp_path / "remote.git")
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def cloud(monkeypatch):
    with fake_cloud() as cloud:
        for name, value in cloud.environment.items():
            monkeypatch.setenv(name, value)
        yield cloud


@pytest.fixture
def told(workspace, capsys):
    """The one object, for a plan with these tasks."""

    def doctor(*tasks: dict, code: int = 0, words: tuple[str, ...] = (), **fields: object) -> dict:
        write_plan(workspace, a_plan_document(*tasks, **fields))
        assert main(["doctor", str(workspace), "--json", *words]) == code
        return json.loads(capsys.readouterr().out)

    return doctor


def verdicts(found: dict) -> list[tuple[str, str]]:
    return [(each["check"], each["verdict"]) for each in found["checks"]]


def test_a_local_plan_is_looked_at_without_starting_a_server_or_touching_a_file(told, workspace, tmp_path):
    found = told(a_task("a"), **LOCAL)
    assert (found["ok"], found["operation"], found["exitCode"], found["rootSlug"]) == (True, "doctor", 0, "shop")
    assert found["runtime"] == {"kind": "local", "origin": "the plan's runtime"}
    assert verdicts(found) == [
        ("plan", "good"),
        ("runtime", "good"),
        ("key", "skipped"),
        ("models", "skipped"),
        ("repository", "good"),
        ("prompts", "good"),
        ("limits", "good"),
    ]
    assert [path.name for path in workspace.iterdir()] == ["plan.json"]
    assert not (tmp_path / "state").exists()


def test_a_cloud_plan_is_asked_of_the_service(told, cloud):
    cloud.owner = {"userEmail": "ana@example.org"}
    found = told(a_task("a", model="composer-2"), **FAR)
    assert verdicts(found) == [
        ("plan", "good"),
        ("key", "good"),
        ("models", "good"),
        ("repository", "warning"),
        ("prompts", "good"),
        ("limits", "good"),
    ]
    assert found["checks"][1]["message"] == 'the service takes the key "test" of ana@example.org'
    assert cloud.creates == []


def test_all_faults_are_told_at_once(told, workspace):
    found = told(
        a_task("a", startingRef="nowhere"),
        code=2,
        **{**LOCAL, "runtime": {"kind": "local", "agent": {"command": ["./no-such-program"]}}, "baseBranch": "trunk"},
        words=("--templates", str(workspace / "none")),
    )
    assert [each["check"] for each in found["faults"]] == ["runtime", "repository", "repository", "prompts"]
    assert found["error"]["message"].endswith("And 3 more, see faults.")
    assert all("do" in each for each in found["faults"][:3])


def test_a_plan_with_faults_does_not_keep_the_key_from_being_looked_at(told, cloud):
    found = told(a_task("a", dependsOn=["b"]), a_task("A"), code=2, **FAR)
    assert {check for check, verdict in verdicts(found) if verdict == "fault"} == {"plan"}
    assert ("key", "good") in verdicts(found)
    assert ("repository", "skipped") in verdicts(found)
    assert "rootSlug" not in found
    local = told(a_task("a", dependsOn=["b"]), code=2, words=("--runtime", "local"), **LOCAL)
    assert "key" not in {check for check, _ in verdicts(local)}


def test_without_a_runtime_or_a_key_the_rest_is_looked_at(told):
    found = told(a_task("a"), code=2, **FAR)
    assert [each["check"] for each in found["faults"]] == ["runtime"]
    assert ("repository", "warning") in verdicts(found)
    assert "runtime" not in found
    found = told(a_task("a"), code=2, words=("--runtime", "cloud"), **FAR)
    assert [(each["check"], each["message"][:32]) for each in found["faults"]] == [
        ("key", "the cloud runtime needs a key, a")
    ]


def test_an_unknown_runtime_in_the_environment_is_a_fault(told, monkeypatch):
    monkeypatch.setenv("ORCHESTRATE_RUNTIME", "moon")
    found = told(a_task("a"), code=2, **LOCAL)
    assert [each["message"] for each in found["faults"]] == ['ORCHESTRATE_RUNTIME: unknown runtime "moon".']


def test_an_engine_at_work_and_a_foreign_state_are_told(told, workspace):
    write_state(workspace, [a_handed_off_row("a")])
    lock = WorkspaceLock(Folder(workspace), engine=EngineId("e"))
    lock.acquire(SystemClock().now())
    try:
        found = told(a_task("a"), a_task("b"), **LOCAL)
        assert found["checks"][-1]["check"] == "workspace"
        assert "an engine already runs this workspace" in found["checks"][-1]["message"]
        other = told(a_task("a"), code=2, rootSlug="other", **LOCAL)
    finally:
        lock.release()
    assert [each["check"] for each in other["faults"]] == ["workspace"]


def test_the_screen_has_a_line_a_finding_and_says_what_to_type(workspace, cloud, capsys):
    write_plan(workspace, a_plan_document(a_task("a", model="gpt-9"), **FAR))
    assert main(["doctor", str(workspace)]) == 2
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "shop   runtime cloud (CURSOR_API_KEY is set)"
    assert '✗ models     model "gpt-9" (task a) is not in this account.' in shown
    assert shown[-1] == "  1 fault, 1 warning; a run would not start. Nothing was changed."
    assert main(["doctor", str(workspace), "-q"]) == 2
    assert not any(each.startswith("✓") for each in capsys.readouterr().out.splitlines())


def test_what_the_plan_is_warned_of_is_told(told):
    found = told(a_task("a", pathsAllowed=["x"]), a_task("b", pathsAllowed=["x"], cpus=2), **LOCAL)
    assert ("plan", "warning") in verdicts(found)
    assert ("limits", "warning") in verdicts(found)
