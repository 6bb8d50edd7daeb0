"""Lists of agents and repositories, and what was reported of usage."""

import json

import pytest

from tests.support.server import ServerCalls, running_server, wait_until

USAGE = {"usage": {"inputTokens": 5, "outputTokens": 1}, "cost": {"chargedCents": 1.5}}


@pytest.fixture
def server(tmp_path):
    with running_server(tmp_path / "state") as server:
        yield server


@pytest.fixture
def calls(server):
    with ServerCalls(server) as calls:
        yield calls


def error_of(response):
    return response.status_code, response.json()["error"]["code"]


def ids(page):
    return [agent["id"] for agent in page["items"]]


def prompt(**orders):
    return f"null-runner: {json.dumps(orders)}"


def test_agents_are_listed_newest_first_as_get_tells_them(calls):
    created = [calls.create(name=f"root/task-{number}", metadata={"n": str(number)}) for number in range(3)]
    for each in created:
        calls.end(each)

    page = calls.agents()

    assert ids(page) == [each.agent["id"] for each in reversed(created)]
    assert page["items"] == [calls.http.get(each.agent_path).json() for each in reversed(created)]
    assert "nextCursor" not in page


def test_every_agent_is_on_one_page_however_many_come_meanwhile(calls):
    created = [calls.create().agent["id"] for _ in range(5)]

    first = calls.agents(limit=2)
    calls.create()
    second = calls.agents(limit=2, cursor=first["nextCursor"])
    calls.create()
    third = calls.agents(limit=2, cursor=second["nextCursor"])

    assert ids(first) + ids(second) + ids(third) == created[::-1]
    assert "nextCursor" not in third


def test_twenty_agents_are_a_page_and_a_hundred_at_most(calls):
    for _ in range(21):
        calls.create()

    assert len(calls.agents()["items"]) == 20
    assert len(calls.agents(limit=100)["items"]) == 21


@pytest.mark.parametrize("query", [{"limit": "0"}, {"limit": "101"}, {"cursor": "x"}, {"includeArchived": "yes"}])
def test_a_list_that_makes_no_sense_is_refused(calls, query):
    assert error_of(calls.http.get("/v1/agents", params=query)) == (400, "validation_error")


def test_archived_agents_are_listed_on_request_only(calls):
    kept, archived = calls.create(), calls.create()
    calls.http.post(f"{archived.agent_path}/archive").raise_for_status()

    assert ids(calls.agents()) == ids(calls.agents(includeArchived="false")) == [kept.agent["id"]]
    assert ids(calls.agents(includeArchived="true")) == [archived.agent["id"], kept.agent["id"]]


def test_agents_are_found_by_their_pull_request(calls):
    pull_request = "https://example.com/x/pull/1"
    found = calls.create(repos=[{"url": "https://example.com/x", "prUrl": pull_request}])
    calls.create(repos=[{"url": "https://example.com/y"}])

    assert ids(calls.agents(prUrl=pull_request)) == [found.agent["id"]]
    assert ids(calls.agents(prUrl="https://example.com/x/pull/2")) == []


def test_repositories_are_those_of_the_agents(calls):
    assert calls.http.get("/v1/repositories").json() == {"items": []}
    for url in ("https://example.com/y", "https://example.com/x", "https://example.com/y"):
        calls.create(repos=[{"url": url}])
    calls.create()

    urls = [item["url"] for item in calls.http.get("/v1/repositories").json()["items"]]
    assert urls == ["https://example.com/x", "https://example.com/y"]


def test_a_token_of_an_agent_lists_its_own_subtree_only(calls, server, tmp_path):
    saved = tmp_path / "environment.json"
    stranger = calls.create(repos=[{"url": "https://example.com/secret"}])
    calls.end(stranger)
    parent = calls.create_scripted(
        [{"saveEnvironment": str(saved)}, {"waitFor": "/never"}], metadata={"orchestrateMayLaunch": "true"}
    )
    wait_until(lambda: saved.exists() and saved.stat().st_size > 0, what="the agent's environment")
    with ServerCalls(server, token=json.loads(saved.read_text())["CURSOR_API_KEY"]) as own:
        child = own.create(repos=[{"url": "https://example.com/own"}])
        own.end(child)

        assert ids(own.agents()) == [child.agent["id"], parent.agent["id"]]
        assert own.http.get("/v1/repositories").json() == {"items": [{"url": "https://example.com/own"}]}
        for path in ("usage", "artifacts", "artifacts/download?path=artifacts/x"):
            assert own.http.get(f"{stranger.agent_path}/{path}").status_code == 404
        for verb in ("archive", "unarchive"):
            assert own.http.post(f"{stranger.agent_path}/{verb}").status_code == 404
        assert own.try_follow_up(stranger).status_code == 404
        own.end(own.follow_up(child))

        calls.cancel(parent)
        calls.end(parent)
        assert error_of(own.try_follow_up(child)) == (403, "forbidden")
    assert calls.http.get(stranger.agent_path).json()["status"] == "IDLE"


def test_usage_that_nobody_reported_is_absent(calls):
    created = calls.create()
    calls.end(created)

    assert calls.ask(created, "usage") == {"totalUsage": {}, "runs": []}


def test_usage_adds_up_over_runs_and_is_told_for_each(calls):
    first = calls.create(prompt(usage=USAGE))
    calls.end(first)
    second = calls.follow_up(first, prompt(usage={"usage": {"inputTokens": 2}, "cost": {"chargedCents": 0.5}}))
    calls.end(second)

    usage = calls.ask(first, "usage")

    assert usage["totalUsage"] == {"inputTokens": 7}
    assert usage["cost"] == {"chargedCents": 2.0}
    assert usage["runs"] == [
        {"id": first.run["id"], **USAGE},
        {"id": second.run["id"], "usage": {"inputTokens": 2}, "cost": {"chargedCents": 0.5}},
    ]
    assert calls.ask(first, "usage", runId=first.run["id"])["cost"] == {"chargedCents": 1.5}
    assert error_of(calls.http.get(f"{first.agent_path}/usage?runId=run-none")) == (404, "run_not_found")


def test_a_program_reports_its_usage_in_a_file(calls):
    write = f"echo '{json.dumps(USAGE)}' > \"$ORCHESTRATE_USAGE_FILE\""
    created = calls.create_scripted([{"run": ["sh", "-c", write]}])
    calls.end(created)

    assert calls.ask(created, "usage")["runs"] == [{"id": created.run["id"], **USAGE}]


@pytest.mark.parametrize("report", ["echo {", 'echo \'{"usage": {"inputTokens": -1}}\''])
def test_a_report_that_makes_no_sense_is_noted_and_counts_for_nothing(calls, report):
    created = calls.create_scripted([{"run": ["sh", "-c", f'{report} > "$ORCHESTRATE_USAGE_FILE"']}])
    said = "".join(frame.data["text"] for frame in calls.frames(created) if frame.event == "thinking")

    assert "[server] the usage that was reported cannot be read" in said
    assert calls.run(created)["status"] == "FINISHED"
    assert calls.ask(created, "usage") == {"totalUsage": {}, "runs": []}
