"""``orchestrate run`` with the cloud runtime, against a fake of the service on a loopback port."""

import json
import socket
from collections.abc import Iterator

import pytest

from tests.support.fake_cloud import NO_ANSWER, REPLY, FakeCloud, fake_cloud
from tests.support.runs import Project, machine, project, task
from tests.support.server import wait_until

__all__ = ["machine", "project"]

pytestmark = pytest.mark.slow


@pytest.fixture
def cloud(project: Project) -> Iterator[FakeCloud]:
    """The service that this project's commands talk to."""
    with fake_cloud() as cloud:
        # the repository cannot be looked at from here, at once and without a network
        project.variables.update({**cloud.environment, "GIT_SSH_COMMAND": "false"})
        yield cloud


def write_plan(project: Project, *tasks: dict, **fields: object) -> None:
    project.write_plan(*tasks, runtime=None, repoUrl="git@example.invalid:some/repo.git", **fields)


def test_a_key_alone_chooses_the_cloud_and_the_first_line_says_so(project: Project, cloud: FakeCloud) -> None:
    cloud.replies.update(one=REPLY.format(branch="cursor/one-1"), two=REPLY.format(branch=""))
    cloud.branches["two"] = "cursor/two-2"
    write_plan(
        project,
        task("one", openPR=True, model="composer-2"),
        task("two", dependsOn=["one"], startingRef="orch/demo/one"),
    )

    done = project.run()

    assert done.code == 0, done.said
    assert done.err.startswith("runtime: cloud (CURSOR_API_KEY is set)\n")
    assert "attention: the base branch could not be checked from here" in done.err
    rows = project.rows()
    assert (rows["one"]["branch"], rows["two"]["branch"]) == ("cursor/one-1", "cursor/two-2")
    assert rows["one"]["verification"] == "unit-test-verified"


def test_what_is_sent_is_what_is_on_disk_and_holds_nothing_of_the_local_runtime(
    project: Project, cloud: FakeCloud
) -> None:
    cloud.replies["one"] = REPLY.format(branch="cursor/one-1")
    write_plan(
        project, task("one", openPR=True, model="composer-2"), selfAgentId="bc-0b5b1e2c-6f0a-4b52-9a55-000000000001"
    )

    assert project.run().code == 0

    ((key, body),) = cloud.creates
    assert body == json.loads(project.file("requests/one.1.json"))
    assert key == project.rows()["one"]["launch"]["idempotencyKey"]
    assert body["name"] == "demo/one"
    assert body["autoCreatePR"] is True
    assert body["model"] == {"id": "composer-2"}
    assert body["repos"] == [{"url": "git@example.invalid:some/repo.git", "startingRef": "main"}]
    assert "localAgent" not in body
    assert project.rows()["one"]["parentAgentId"] == "bc-0b5b1e2c-6f0a-4b52-9a55-000000000001"


def test_a_subplanner_is_told_the_models_of_the_account_and_how_to_install_the_engine(
    project: Project, cloud: FakeCloud
) -> None:
    cloud.replies["part"] = REPLY.format(branch="cursor/part-1")
    write_plan(project, task("part", type="subplanner"), models={"worker": "composer-2"})

    done = project.run(environment={"ORCHESTRATE_INSTALL": "pip install ./engine.whl"})

    assert done.code == 0, done.said
    ((_, body),) = cloud.creates
    assert "  - `composer-2` (for worker)\n  - `gpt-5.4`\n" in body["prompt"]["text"]
    assert "Install the engine: `pip install ./engine.whl`" in body["prompt"]["text"]
    assert [path for _, path, _ in cloud.calls if path == "/v1/models"] == ["/v1/models"]


def test_the_key_is_in_no_file_and_in_no_output(project: Project, cloud: FakeCloud) -> None:
    cloud.replies["one"] = f"the key is {cloud.key}\n" + REPLY.format(branch="cursor/one-1")
    write_plan(project, task("one"))

    done = project.run("--json", "-v")

    shown = [path for path in project.workspace.rglob("*") if path.is_file() and path.parent.name != "raw"]
    assert done.code == 0, done.said
    assert cloud.key not in done.said
    assert [path.name for path in shown if cloud.key.encode() in path.read_bytes()] == []


def test_a_wrong_key_is_refused_in_these_words(project: Project, cloud: FakeCloud) -> None:
    write_plan(project, task("one"))

    done = project.run(environment={"CURSOR_API_KEY": "another"})

    assert done.code == 2
    assert "error: the service refused the key in CURSOR_API_KEY (401). Nothing was launched." in done.err.splitlines()
    assert cloud.creates == []
    assert not (project.workspace / "state.json").exists()


@pytest.mark.parametrize("key", ["two\nlines", "smörgås", " "])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(project: Project, cloud: FakeCloud, key) -> None:
    write_plan(project, task("one"))

    done = project.run("--json", "--runtime", "cloud", environment={"CURSOR_API_KEY": key})

    assert done.code == 2, done.said
    assert done.json()["ok"] is False
    assert key == " " or key not in done.said


def test_no_network_is_refused_at_the_start(project: Project, cloud: FakeCloud) -> None:
    write_plan(project, task("one"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"

        done = project.run(environment={"CURSOR_BACKEND_URL": f"http://{address}"})

    assert done.code == 2
    assert f"{address} cannot be reached: nothing listens there. Nothing was launched." in done.err
    assert done.err.splitlines()[-1] == "  do     check the network, then try again"


@pytest.mark.parametrize("url", ["http://example.com", "https://user:pass@example.com", "ftp://127.0.0.1", "nonsense"])
def test_an_address_that_the_key_must_not_go_to_is_refused(project: Project, cloud: FakeCloud, url) -> None:
    write_plan(project, task("one"))

    done = project.run(environment={"CURSOR_BACKEND_URL": url})

    assert done.code == 2, done.said
    assert "Traceback" not in done.err


def test_the_address_is_taken_from_the_real_environment_only(project: Project, cloud: FakeCloud) -> None:
    write_plan(project, task("one"))
    env_file = project.folder / "file.env"
    env_file.write_text("CURSOR_BACKEND_URL=http://127.0.0.1:9\n")

    done = project.run("--env-file", str(env_file))

    assert done.code == 2, done.said
    assert "CURSOR_BACKEND_URL is taken from the real environment only" in done.err
    assert cloud.calls == []


def test_a_redirect_is_not_followed_with_the_key(project: Project, cloud: FakeCloud) -> None:
    write_plan(project, task("one"))
    with fake_cloud() as other:
        cloud.answer_next("GET", "/v1/me", 307, headers={"Location": f"http://127.0.0.1:{other.port}/v1/me"})

        done = project.run()

        assert other.calls == []
    assert done.code == 2, done.said


def test_an_unknown_model_is_refused_before_anything_is_launched(project: Project, cloud: FakeCloud) -> None:
    write_plan(project, task("api"), task("docs", model="gpt-5.5"))

    done = project.run()

    assert done.code == 2
    error, do = done.err.splitlines()[-2:]
    assert error == 'error: model "gpt-5.5" (task docs) is not in this account. Nothing was launched.'
    assert do.startswith('  do     use "gpt-5.4"; all: `')
    assert cloud.creates == []


def test_a_refused_launch_is_an_error_at_once_and_is_not_repeated(project: Project, cloud: FakeCloud) -> None:
    cloud.answer_next("POST", "/v1/agents", 400, "validation_error")
    write_plan(project, task("one"))

    done = project.run()

    assert done.code == 1, done.said
    assert project.rows()["one"]["status"] == "error"
    assert "the fake says validation_error" in project.rows()["one"]["note"]
    assert [call for call in cloud.calls if call[0] == "POST"] == [("POST", "/v1/agents", True)]


def test_a_rate_limited_launch_is_sent_again_with_the_same_bytes(project: Project, cloud: FakeCloud) -> None:
    cloud.replies["one"] = REPLY.format(branch="cursor/one-1")
    cloud.answer_next("POST", "/v1/agents", 429, "rate_limit_exceeded", headers={"Retry-After": "1"})
    write_plan(project, task("one"))

    done = project.run()

    assert done.code == 0, done.said
    assert project.rows()["one"]["attempts"] == 1
    assert len(cloud.creates) == 1
    assert len([call for call in cloud.calls if call[0] == "POST"]) == 2


def test_a_launch_without_an_answer_is_looked_up_and_makes_no_second_agent(project: Project, cloud: FakeCloud) -> None:
    cloud.replies["one"] = REPLY.format(branch="cursor/one-1")
    cloud.answer_next("POST", "/v1/agents", NO_ANSWER, is_done=True)
    write_plan(project, task("one"))

    done = project.run()

    assert done.code == 0, done.said
    assert len(cloud.agents) == 1
    assert len(cloud.creates) == 1
    assert "one: the launch had no answer; looked up, it runs. No second agent was made." in project.attention()


def test_answers_that_fail_in_mid_run_are_no_tasks_error(project: Project, cloud: FakeCloud) -> None:
    write_plan(project, task("one"))
    command = project.start()
    wait_until(lambda: cloud.agents, what="the agent")
    for status in (502, NO_ANSWER):
        cloud.answer_next("GET", f"/runs/{next(iter(cloud.agents.values()))['latestRunId']}", status)
    cloud.replies["one"] = REPLY.format(branch="cursor/one-1")

    done = command.end()

    assert done.code == 0, done.said
    assert project.rows()["one"]["status"] == "handed-off"


def test_a_key_that_is_lost_in_mid_run_stops_launching_and_says_what_to_do(project: Project, cloud: FakeCloud) -> None:
    good_key = cloud.key
    write_plan(project, task("one"), task("two", dependsOn=["one"]))
    command = project.start("--json")
    wait_until(lambda: cloud.agents, what="the agent")
    project.wait_until_row("one", status="running")
    cloud.key = "revoked"

    done = command.end()

    assert done.code == 1, done.said
    assert done.json()["exitCode"] == 1
    assert project.statuses() == {"one": "running", "two": "pending"}
    assert "Nothing more is launched" in project.attention()
    assert "CURSOR_API_KEY" in project.attention()
    cloud.key = good_key
    cloud.replies.update(one=REPLY.format(branch="cursor/one-1"), two=REPLY.format(branch="cursor/two-2"))
    again = project.run()
    assert again.code == 0, again.said
    assert len(cloud.agents) == 2


def test_a_path_as_repository_is_refused_for_the_cloud(project: Project, cloud: FakeCloud) -> None:
    project.write_plan(task("one"), runtime=None)

    done = project.run("--runtime", "cloud")

    assert done.code == 2
    assert "repoUrl" in done.err
    assert cloud.calls == []
