"""Agents that are sent more work once they have ended."""

import base64

import pytest

from tests.support.repositories import git, make_remote
from tests.support.server import ServerCalls, running_server, text_of, wait_until

LASTING = 'null-runner: {"seconds": 3600}'
FIRST = [{"write": {"path": "first.txt", "text": "1"}}, {"commit": "first"}]
SECOND = [{"write": {"path": "second.txt", "text": "2"}}, {"commit": "second"}, {"print": "on {branch}"}]


@pytest.fixture
def remote(tmp_path):
    return make_remote(tmp_path / "remote.git")


@pytest.fixture
def calls(tmp_path):
    with running_server(tmp_path / "state", grace_seconds=0.5) as server, ServerCalls(server) as calls:
        yield calls


def error_of(response):
    return response.status_code, response.json()["error"]["code"]


def branches_of(run):
    return [branch.get("branch") for branch in run["git"]["branches"]]


def clone_of(tmp_path, created):
    return tmp_path / "state" / "agents" / created.agent["id"] / "clone"


def test_a_follow_up_is_a_run_of_its_own(calls):
    first = calls.create('null-runner: {"reply": "one"}')
    calls.end(first)

    second = calls.follow_up(first, 'null-runner: {"reply": "two"}')

    assert calls.end(second)["result"] == "two"
    assert calls.run(first)["result"] == "one"
    assert [run["id"] for run in calls.ask(first, "runs")["items"]] == [second.run["id"], first.run["id"]]
    assert calls.http.get(first.agent_path).json()["latestRunId"] == second.run["id"]
    assert text_of(calls.frames(second), "assistant") == "two"


def test_pages_of_runs_end(calls):
    created = calls.create()
    calls.end(created)
    for _ in range(2):
        calls.end(calls.follow_up(created))

    page = calls.ask(created, "runs", limit=2)
    rest = calls.ask(created, "runs", limit=2, cursor=page["nextCursor"])

    assert (len(page["items"]), [run["id"] for run in rest["items"]]) == (2, [created.run["id"]])
    assert "nextCursor" not in rest


def test_an_agent_at_work_takes_no_follow_up(calls):
    created = calls.create(LASTING)

    assert error_of(calls.try_follow_up(created)) == (409, "agent_busy")

    calls.cancel(created)
    calls.end(created)
    second = calls.follow_up(created, LASTING)
    assert error_of(calls.try_follow_up(created)) == (409, "agent_busy")
    calls.cancel(second)
    assert calls.end(second)["status"] == "CANCELLED"


def test_an_archived_agent_takes_no_follow_up_until_it_is_unarchived(calls):
    created = calls.create()
    calls.end(created)
    for _ in range(2):
        assert calls.http.post(f"{created.agent_path}/archive").json() == {"id": created.agent["id"]}

    assert error_of(calls.try_follow_up(created)) == (409, "agent_archived")
    assert calls.http.get(created.agent_path).json()["status"] == "ARCHIVED"

    for _ in range(2):
        assert calls.http.post(f"{created.agent_path}/unarchive").json() == {"id": created.agent["id"]}
    calls.end(calls.follow_up(created))
    assert calls.http.get(created.agent_path).json()["status"] == "IDLE"


def test_a_follow_up_that_is_sent_again_is_one_run(calls):
    created = calls.create(key="k1")
    calls.end(created)

    first, again = (calls.try_follow_up(created, LASTING, key="k2").json() for _ in range(2))

    assert first == again
    assert len(calls.ask(created, "runs")["items"]) == 2


def test_a_key_is_for_one_request_to_one_agent(calls):
    one, other = calls.create(), calls.create(key="k1")
    for created in (one, other):
        calls.end(created)
    calls.end(calls.follow_up(one, "more", key="k2"))

    for key, prompt in (("k2", "else"), ("k1", "work")):
        assert error_of(calls.try_follow_up(one, prompt, key=key)) == (409, "idempotency_conflict")
    assert error_of(calls.try_follow_up(other, "more", key="k2")) == (409, "idempotency_conflict")


@pytest.mark.parametrize(
    "body",
    [{"prompt": {"text": " "}}, {"prompt": {}}, {"envVars": {"1": "x"}}, {"agentId": "x"}, {"repos": []}],
)
def test_a_wrong_follow_up_is_refused_and_makes_nothing(calls, body):
    created = calls.create()
    calls.end(created)

    answer = calls.http.post(f"{created.agent_path}/runs", json={"prompt": {"text": "x"}, **body})

    assert error_of(answer) == (400, "validation_error")
    assert len(calls.ask(created, "runs")["items"]) == 1


def test_what_the_runner_does_not_understand_is_refused_at_once(calls):
    null, scripted = calls.create(), calls.create_scripted([])
    for created in (null, scripted):
        calls.end(created)

    assert error_of(calls.try_follow_up(null, "null-runner: {")) == (400, "validation_error")
    assert error_of(calls.try_follow_up(scripted, "scripted-runner: [1]")) == (400, "validation_error")


def test_a_follow_up_to_nobody_is_404(calls):
    created = calls.create()

    assert error_of(calls.http.post("/v1/agents/bc-none/runs", json={"prompt": {"text": "x"}}))[0] == 404
    assert error_of(calls.http.post("/v1/agents/bc-none/archive"))[0] == 404
    assert created


def test_the_work_goes_on_in_the_clone_as_it_was_left(calls, remote, tmp_path):
    left = {"write": {"path": "left.txt", "text": "not committed"}}
    first = calls.create_scripted([*FIRST, {"print": "{branch}"}, left], repos=[{"url": remote.url}])
    branch = calls.end(first)["result"]
    assert (clone_of(tmp_path, first) / "left.txt").exists()

    second = calls.end(calls.follow_up_scripted(first, [{"commit": "left"}, *SECOND]))

    assert second["result"] == f"on {branch}"
    assert branches_of(second) == [branch]
    assert remote.read(branch, "left.txt") == "not committed"
    assert remote.read(branch, "second.txt") == "2"


def test_a_clone_that_was_removed_is_made_again_from_the_agents_branch(calls, remote, tmp_path):
    first = calls.create_scripted([*FIRST, {"push": True}], repos=[{"url": remote.url}])
    (branch,) = branches_of(calls.end(first))
    assert not clone_of(tmp_path, first).exists()

    run = calls.end(calls.follow_up_scripted(first, SECOND))

    assert run["result"] == f"on {branch}"
    assert [remote.read(branch, name) for name in ("first.txt", "second.txt")] == ["1", "2"]


def test_what_others_pushed_to_the_agents_branch_meanwhile_is_there(calls, remote):
    first = calls.create_scripted([*FIRST, {"push": "feature/mine"}], repos=[{"url": remote.url}])
    assert branches_of(calls.end(first)) == ["feature/mine"]
    remote.commit("feature/mine", {"theirs.txt": "3"})

    run = calls.end(calls.follow_up_scripted(first, SECOND))

    assert run["result"] == "on feature/mine"
    assert remote.read("feature/mine", "theirs.txt") == "3"
    assert remote.read("feature/mine", "second.txt") == "2"


def test_a_branch_that_is_gone_ends_the_follow_up_and_says_so(calls, remote):
    first = calls.create_scripted([*FIRST, {"push": True}], repos=[{"url": remote.url}])
    (branch,) = branches_of(calls.end(first))
    git("branch", "--delete", "--force", branch, at=remote.path)

    run = calls.end(calls.follow_up_scripted(first, SECOND))

    assert (run["status"], run["error"]["code"]) == ("ERROR", "launch_failed")
    assert f"its branch {branch} is not on the remote any more" in run["error"]["message"]


def test_an_agent_that_pushed_nothing_starts_where_it_started(calls, remote):
    first = calls.create_scripted([{"print": "looked"}], repos=[{"url": remote.url}])
    calls.end(first)
    remote.commit("main", {"more.txt": "more"})

    run = calls.end(calls.follow_up_scripted(first, SECOND))

    (branch,) = branches_of(run)
    assert branch.startswith("cursor/")
    assert remote.read(branch, "second.txt") == "2"
    assert branches_of(calls.run(first)) == [branch]


def test_branches_belong_to_the_agent(calls, remote):
    first = calls.create_scripted([*FIRST, {"push": True}], repos=[{"url": remote.url}])
    (branch,) = branches_of(calls.end(first))

    second = calls.follow_up_scripted(first, [{"checkout": "other"}, *SECOND, {"push": True}])
    frames = calls.frames(second)

    assert branches_of(calls.run(second)) == ["other", branch]
    assert branches_of(calls.run(first)) == ["other", branch]
    result = next(frame.data for frame in frames if frame.event == "result")
    assert branches_of(result) == ["other", branch]


def test_each_run_has_its_own_variables_and_model(calls, tmp_path):
    first_seen, second_seen = tmp_path / "1.json", tmp_path / "2.json"
    first = calls.create_scripted(
        [{"saveEnvironment": str(first_seen)}], runEnvVars={"ONCE": "1"}, envVars={"ALWAYS": "2"}, model={"id": "small"}
    )
    calls.end(first)
    script = [{"saveEnvironment": str(second_seen)}]
    calls.end(calls.follow_up_scripted(first, script, envVars={"NOW": "3"}, model={"id": "large"}))

    first_text, second_text = first_seen.read_text(), second_seen.read_text()
    assert all(word in first_text for word in ('"ONCE": "1"', '"ALWAYS": "2"', '"ORCHESTRATE_MODEL": "small"'))
    assert all(word in second_text for word in ('"NOW": "3"', '"ALWAYS": "2"', '"ORCHESTRATE_MODEL": "large"'))
    assert "ONCE" not in second_text


def test_values_that_are_never_kept_are_asked_for_again(calls):
    passed = {"X-Orchestrate-Pass-Env": base64.b64encode(b'{"KEY": "value"}').decode()}
    created = calls.create_scripted([], agent={"passEnv": ["KEY"]}, headers=passed)
    calls.end(created)

    refused = calls.try_follow_up(created, "scripted-runner: []")

    assert error_of(refused) == (400, "validation_error")
    assert "KEY" in refused.json()["error"]["message"]
    assert calls.end(calls.follow_up(created, "scripted-runner: []", headers=passed))["status"] == "FINISHED"


def test_a_follow_up_outlives_the_server(tmp_path):
    ready, go = tmp_path / "ready", tmp_path / "go"
    with running_server(tmp_path / "state") as server, ServerCalls(server) as calls:
        first = calls.create_scripted([{"print": "one"}])
        calls.end(first)
        second = calls.follow_up_scripted(first, [{"touch": str(ready)}, {"waitFor": str(go)}, {"print": "two"}])
        wait_until(ready.exists, what="the agent")
    with running_server(tmp_path / "state") as server, ServerCalls(server) as calls:
        assert error_of(calls.try_follow_up(first)) == (409, "agent_busy")
        go.touch()
        assert calls.end(second)["result"] == "two"
