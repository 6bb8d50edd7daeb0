import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.names import EngineId
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.store.files import Folder
from orchestrate.store.lock import WorkspaceLock
from orchestrate.system import SystemClock
from tests.support.builders import a_handed_off_row, a_row, a_running_row, a_task, a_verifier
from tests.support.fake_cloud import fake_cloud
from tests.support.repositories import make_remote
from tests.support.workspaces import a_plan_document, write_plan, write_reply, write_request, write_state

LOCAL = {"runtime": {"kind": "local", "agent": {"name": "null"}}, "repoUrl": "../remote.git"}


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A folder beside a remote; nothing of the machine's own set-up counts."""
    for name in ("CURSOR_API_KEY", "CURSOR_BACKEND_URL", "ORCHESTRATE_RUNTIME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    make_remote(tmp_path / "remote.git")
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def cloud(monkeypatch):
    """A service on this machine, and its key."""
    with fake_cloud() as cloud:
        for name, value in cloud.environment.items():
            monkeypatch.setenv(name, value)
        yield cloud


@pytest.fixture
def told(workspace, capsys):
    """The one object, for a plan with these tasks."""

    def run(*tasks: dict, code: int = 0, words: tuple[str, ...] = (), **fields: object) -> dict:
        write_plan(workspace, a_plan_document(*tasks, **{**LOCAL, **fields}))
        assert main(["run", str(workspace), "--dry-run", "--json", *words]) == code
        return json.loads(capsys.readouterr().out)

    return run


def fates(found: dict) -> dict[str, str]:
    return {task["name"]: task["fate"] for task in found["tasks"]}


def test_a_new_plan_tells_what_each_launch_would_send(told):
    found = told(a_task("a"), a_task("b", depends_on=("a",), model="composer-2"), words=("--max-concurrent", "3"))
    first, second = found["tasks"]
    assert (found["ok"], found["exitCode"], found["maxConcurrent"]) == (True, 0, 3)
    assert found["runtime"] == {"kind": "local", "origin": "the plan's runtime"}
    assert (first["fate"], first["wave"], first["startingRef"], first["handoffsToCome"]) == ("launched", 0, "main", 0)
    assert (second["fate"], second["wave"], second["waitsFor"], second["model"]) == ("waits", 1, ["a"], "composer-2")
    assert first["promptBytes"] > 1000
    assert second["handoffsToCome"] == 1


def test_nothing_is_written_and_no_server_is_started(told, workspace, tmp_path):
    told(a_task("a"))
    assert {path.name for path in workspace.iterdir()} == {"plan.json"}
    assert not (tmp_path / "state").exists()


def test_a_half_done_workspace_says_what_becomes_of_each_task(told, workspace):
    write_state(
        workspace,
        [
            a_handed_off_row("done"),
            a_running_row("runs"),
            a_row("lost", status=TaskStatus.RUNNING),
            a_handed_off_row("bad", status=TaskStatus.ERROR, note="no disk"),
            a_row("gone"),
        ],
    )
    write_reply(workspace, "done", handoff=b"went well")
    found = told(
        a_task("done"),
        a_task("runs"),
        a_task("lost"),
        a_task("bad"),
        a_task("next", depends_on=("done",)),
        a_task("held", depends_on=("bad",)),
    )
    assert fates(found) == {
        "next": "launched",
        "done": "stays",
        "runs": "watched",
        "lost": "lost",
        "bad": "stays",
        "held": "held",
        "gone": "pruned",
    }
    by_name = {task["name"]: task for task in found["tasks"]}
    assert by_name["held"]["heldBy"] == ["bad"]
    assert (by_name["bad"]["status"], by_name["bad"]["note"]) == ("error", "no disk")
    assert by_name["next"]["handoffsToCome"] == 0


def test_a_definition_that_changed_since_it_ran_is_told_and_not_run_again(told, workspace):
    write_state(workspace, [a_handed_off_row("a"), a_handed_off_row("b"), a_handed_off_row("c")])
    write_request(workspace, "a", prompt="## Your goal\n\na is done.\n")
    write_request(workspace, "b", prompt="## Your goal\n\nan older goal\n")
    (workspace / "requests" / "c.1.json").write_text("[]")
    found = told(a_task("a"), a_task("b"), a_task("c"))
    changed = {task["name"]: task.get("changedSinceItRan") for task in found["tasks"]}
    assert changed == {"a": None, "b": ["scopedGoal"], "c": None}
    assert set(fates(found).values()) == {"stays"}


def test_a_finished_run_asks_nobody_anything(told, workspace):
    write_state(workspace, [a_handed_off_row("a")])
    assert told(a_task("a"), repoUrl="../missing.git")["exitCode"] == 0


def test_every_fault_is_told_at_once(told, workspace, tmp_path):
    templates = tmp_path / "templates"
    templates.mkdir()
    (templates / "verifier.md.j2").write_text("{{ nothing_of_that_name }}")
    lock = WorkspaceLock(Folder(workspace), engine=EngineId("e"))
    lock.acquire(SystemClock().now())
    try:
        tasks = a_task("a"), a_verifier("check-a", of="a")
        found = told(*tasks, code=2, baseBranch="trunk", words=("--templates", str(templates)))
    finally:
        lock.release()
    messages = [fault["message"] for fault in found["faults"]]
    assert (found["ok"], found["exitCode"], len(messages)) == (False, 2, 3)
    assert "an engine already runs this workspace" in messages[0]
    assert 'base branch "trunk" is not on the remote' in messages[1]
    assert messages[2].startswith("check-a: ")
    assert fates(found) == {"a": "launched", "check-a": "waits"}


def test_a_task_that_left_the_plan_has_no_definition_to_compare(told, workspace):
    write_state(workspace, [a_running_row("gone")])
    assert "changedSinceItRan" not in told(a_task("a"))["tasks"][1]


def test_what_the_plan_is_warned_of_and_what_is_not_kept_is_told(told):
    tasks = a_task("a", pathsAllowed=["x"], cpus=2), a_task("b", pathsAllowed=["x"])
    messages = [warning["message"] for warning in told(*tasks)["warnings"]]
    assert len(messages) == 2
    assert "tasks[].cpus" in messages[1]


def test_without_git_local_agents_cannot_work(told, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git was not found" in told(a_task("a"), code=2)["error"]["message"]


def test_a_plan_with_faults_is_refused_as_run_refuses_it(told):
    found = told(a_task("a", depends_on=("b",)), code=2)
    assert found["faults"][0]["path"] == "tasks[0].dependsOn[0]"


def test_the_cloud_is_asked_for_key_and_models_and_nothing_else(told, cloud):
    found = told(a_task("a", model="gpt-5.4"), code=0, runtime={"kind": "cloud"}, repoUrl="git@git.example.org:a/b")
    assert found["tasks"][0]["model"] == "gpt-5.4"
    assert {(method, path) for method, path, _ in cloud.calls} == {("GET", "/v1/me"), ("GET", "/v1/models")}
    assert "base branch could not be checked" in found["warnings"][0]["message"]


def test_a_model_that_the_account_lacks_is_a_fault(told, cloud):
    found = told(a_task("a", model="gpt-55"), code=2, runtime={"kind": "cloud"}, repoUrl="git@git.example.org:a/b")
    assert 'model "gpt-55" (task a) is not in this account' in found["error"]["message"]
    assert cloud.creates == []


def test_a_wrong_or_missing_key_is_a_fault(told, cloud, monkeypatch):
    fields = {"runtime": {"kind": "cloud"}, "repoUrl": "git@git.example.org:a/b"}
    monkeypatch.setenv("CURSOR_API_KEY", "another")
    assert "(401)" in told(a_task("a"), code=2, **fields)["error"]["message"]
    monkeypatch.delenv("CURSOR_API_KEY")
    assert "CURSOR_API_KEY is not set" in told(a_task("a"), code=2, **fields)["error"]["message"]


def test_an_andon_that_is_raised_is_told(told, workspace):
    write_state(workspace, [])
    state = json.loads((workspace / "state.json").read_text())
    (workspace / "state.json").write_text(json.dumps({**state, "andon": {"raisedAt": "2026-03-04T14:00:00.000Z"}}))
    found = told(a_task("a"))
    assert (found["hold"], fates(found)) == ("the andon is raised", {"a": "held"})


def test_people_get_a_screen_and_faults_below_it(workspace, capsys):
    write_plan(workspace, a_plan_document(a_task("a"), **{**LOCAL, "baseBranch": "trunk"}))
    assert main(["-n", "run", str(workspace)]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("shop dry run   1 launched at once\n")
    assert "run would be refused, see below" in out
    assert err.startswith('error: base branch "trunk" is not on the remote; it has main.')


def test_a_state_of_another_plan_is_refused(workspace, capsys):
    write_plan(workspace, a_plan_document(a_task("a"), **{**LOCAL, "rootSlug": "other"}))
    write_state(workspace, [a_row("a")])
    assert main(["run", str(workspace), "-n"]) == 2
    assert 'belongs to the plan "shop"' in capsys.readouterr().err


def test_the_plan_of_the_current_folder_will_do(workspace, monkeypatch, capsys):
    write_plan(workspace, a_plan_document(a_task("a"), **LOCAL))
    monkeypatch.chdir(workspace)
    assert main(["run", "-n"]) == 0
    assert "launched from main" in capsys.readouterr().out
    assert [path.name for path in workspace.iterdir()] == ["plan.json"]


def test_faults_and_warnings_are_told_without_what_is_secret_here(told, workspace, monkeypatch):
    monkeypatch.setenv("DEPLOY_TOKEN", "blue-heron-7")
    found = told(a_task("a", startingRef="blue-heron-7"), code=2)
    assert "blue-heron-7" not in json.dumps([found["error"], found["faults"], found["warnings"]])
    assert "[redacted]" in json.dumps(found["faults"])
