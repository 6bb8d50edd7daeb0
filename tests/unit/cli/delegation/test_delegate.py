import json
import os
import stat

import pytest

from tests.support.delegations import REPO, desk, desk_at, offline_desk, prompt

__all__ = ["desk", "offline_desk"]


def test_an_agent_is_launched_and_its_record_is_for_its_owner_only(desk):
    code, told = desk.delegate(key="k1")

    assert code == 0
    assert told["idempotencyKey"] == "k1"
    (agent,) = desk.agents
    assert agent["id"] == told["agentId"]
    assert agent["metadata"] == {"orchestrateKey": "k1", "orchestrateAttempt": "1", "orchestrateDepth": "1"}
    (path,) = desk.records
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    record = json.loads(path.read_text())
    assert (record["phase"], record["agentId"], record["runId"]) == ("launched", agent["id"], told["runId"])
    assert "null-runner" not in path.read_text()
    assert "targetBranch" not in told


def test_a_key_in_flight_is_refused_without_a_call(desk, monkeypatch):
    _, first = desk.delegate(key="k1")
    monkeypatch.setenv("CURSOR_BACKEND_URL", "http://127.0.0.1:9")

    code, told = desk.delegate(key="k1")

    assert (code, told["error"]["code"]) == (1, "DUPLICATE_LAUNCH")
    assert (told["idempotencyKey"], told["agentId"]) == ("k1", first["agentId"])
    assert f"agent-status --agent-id {first['agentId']} --reconcile" in told["error"]["recoveryAction"]


def test_after_its_end_a_key_may_be_used_again_and_is_another_agent(desk):
    _, first = desk.delegate("--wait", seconds=0, key="k1")
    code, second = desk.delegate(seconds=0, key="k1")

    assert code == 0
    assert first["status"] == "FINISHED"
    assert first["agentId"] != second["agentId"]
    assert len(desk.agents) == 2


def test_a_key_is_the_same_agent_where_its_record_was_lost(desk):
    _, first = desk.delegate(key="k1")
    desk.records[0].unlink()

    code, told = desk.delegate(key="k1")

    assert (code, told["agentId"]) == (0, first["agentId"])
    assert len(desk.agents) == 1


def test_a_key_whose_record_was_lost_and_that_comes_with_another_prompt_is_no_second_agent(desk):
    _, first = desk.delegate(key="k1")
    desk.records[0].unlink()

    code, told = desk.delegate(seconds=61, key="k1")

    assert (code, told["error"]["code"]) == (1, "DUPLICATE_LAUNCH")
    assert told["agentId"] == first["agentId"]
    assert len(desk.agents) == 1


def test_a_lost_answer_is_looked_up(offline_desk, monkeypatch):
    with desk_at(offline_desk, monkeypatch, faults={"rules": [{"call": "create", "do": "no-answer"}]}) as desk:
        code, told = desk.delegate(key="k1")
        assert (code, told["adopted"]) == (0, True)
        assert [agent["id"] for agent in desk.agents] == [told["agentId"]]


def test_what_nobody_can_tell_has_its_own_code_and_is_never_sent_again(offline_desk, monkeypatch):
    rules = [{"call": "create", "do": "no-answer"}, {"call": "get", "do": "refuse", "status": 400, "times": 1}]
    with desk_at(offline_desk, monkeypatch, faults={"rules": rules}) as desk:
        code, told = desk.delegate(key="k1")
        assert (code, told["error"]["code"], told["error"]["retryable"]) == (1, "UNKNOWN_OUTCOME", False)
        agent_id = told["agentId"]
        assert desk.delegate(key="k1")[1]["error"]["code"] == "DUPLICATE_LAUNCH"
        assert len(desk.agents) == 1

        _, mended = desk.call("agent-status", "--agent-id", agent_id, "--reconcile")

        assert mended["repaired"][0].startswith(f"key k1: unknown became launched with run {mended['runId']}")


def test_what_was_not_done_leaves_the_key_free(offline_desk, monkeypatch):
    rules = [{"call": "create", "do": "refuse", "status": 503, "times": 3}]
    with desk_at(offline_desk, monkeypatch, faults={"rules": rules}) as desk:
        code, told = desk.delegate(key="k1")
        assert (code, told["error"]["code"], told["error"]["retryable"]) == (1, "SERVICE_UNAVAILABLE", True)
        assert desk.delegate(key="k1")[0] == 0
        assert len(desk.agents) == 1


def test_a_refused_key_is_free_and_reaches_the_service_as_another_one(offline_desk, monkeypatch):
    rules = [{"call": "create", "do": "refuse", "status": 400, "code": "repository_access", "times": 1}]
    with desk_at(offline_desk, monkeypatch, faults={"rules": rules}) as desk:
        assert desk.delegate(key="k1")[1]["error"]["code"] == "REPO_ACCESS"
        code, _ = desk.delegate(key="k1")
        assert code == 0
        assert desk.agents[0]["metadata"]["orchestrateAttempt"] == "2"


def test_active_agents_of_the_repository_are_counted_against_the_bound(desk):
    desk.delegate(key="k1")
    desk.delegate(key="k2")
    desk.delegate(key="k3", seconds=0)

    code, told = desk.delegate("--max-active", "2", key="k4")

    assert (code, told["error"]["code"], len(told["activeAgents"])) == (1, "CONCURRENCY_LIMIT", 2)
    assert desk.delegate("--max-active", "3", key="k4")[0] == 0
    other = ("--repo", "https://github.example/octo/other", "--max-active", "1")
    assert desk.call("delegate", *other, "--prompt", prompt(60), "--yes")[0] == 0


def test_reservations_count_as_well(desk):
    desk.delegate(key="k1")
    record = json.loads(desk.records[0].read_text())
    agent = "bc-00000000-0000-4000-8000-000000000009"
    path = desk.records[0].with_name("0" * 40 + ".json")
    path.write_text(json.dumps({**record, "key": "k9", "agentId": agent, "phase": "reserved"}))

    _, told = desk.delegate("--max-active", "2", key="k2")

    assert agent in told["activeAgents"]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--repo", "http://github.example/o/r"), "--repo"),
        (("--repo", "https://ana:pw@github.example/o/r"), "--repo"),
        (("--repo", "https://github.example:8443/o/r"), "--repo"),
        (("--repo", "https://github.example/o/r#x"), "--repo"),
        (("--repo", "https://github.example/o/../r"), "--repo"),
        (("--repo", "https://127.0.0.1/o/r"), "--repo"),
        (("--repo", "git@github.example:o/r"), "--repo"),
        (("--repo", "."), "--repo"),
        (("--ref", "a..b"), "--ref"),
        (("--ref=-x",), "--ref"),
        (("--model", "a b"), "--model"),
        (("--name", " "), "--name"),
        (("--name", "x" * 101), "--name"),
        (("--idempotency-key", "a b"), "--idempotency-key"),
        (("--idempotency-key", "x" * 129), "--idempotency-key"),
        (("--prompt", "  "), "the prompt"),
        (("--prompt", "a\0b"), "the prompt"),
        (("--prompt", "x" * 1_000_001), "the prompt"),
        (("--prompt", "\ud800"), "the prompt"),
    ],
)
def test_what_is_wrong_is_told_before_any_call(offline_desk, words, named):
    usual = {"--repo": REPO, "--prompt": "work"}
    rest = [word for option, value in usual.items() if option != words[0] for word in (option, value)]

    code, told = offline_desk.refused("delegate", *rest, *words, "--yes")

    assert code == "INVALID_INPUT"
    assert told["faults"][0].startswith(named)
    assert told["idempotencyKey"]


def test_all_faults_are_told_at_once(offline_desk):
    _, told = offline_desk.refused("delegate", "--repo", "http://x/y", "--prompt", "", "--model", "a b", "--yes")
    assert len(told["faults"]) == 3


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--repo", REPO),
        ("--repo", REPO, "--prompt", "a", "-"),
        ("--repo", REPO, "--prompt", "a", "extra"),
        ("--repo", REPO, "--prompt", "a", "--max-active", "3abc"),
        ("--repo", REPO, "--prompt", "a", "--bogus"),
    ],
)
def test_a_line_that_cannot_be_read_is_one_object_with_its_key(offline_desk, words):
    code, told = offline_desk.refused("delegate", "--idempotency-key", "k7", *words, exit_code=2)
    assert (code, told["idempotencyKey"]) == ("INVALID_INPUT", "k7")
    code, told = offline_desk.refused("delegate", *words, exit_code=2)
    assert told["idempotencyKey"] not in ("", "k7")


def test_hosts_can_be_narrowed(offline_desk, monkeypatch):
    monkeypatch.setenv("ORCHESTRATE_REPO_HOSTS", "github.com, git.example")
    _, told = offline_desk.refused("delegate", "--repo", REPO, "--prompt", "x", "--yes")
    assert told["faults"] == ["--repo names a host that is not in ORCHESTRATE_REPO_HOSTS (github.com, git.example)"]
    assert offline_desk.call("delegate", "--repo", "https://git.example/o/r", "--prompt", "x", "--dry-run")[0] == 0


def test_a_dry_run_touches_no_network_and_needs_no_key(offline_desk):
    code, told = offline_desk.call("delegate", "--repo", REPO, "--prompt", "work", "--ref", "main", "--dry-run")
    assert code == 0
    assert told["idempotencyKey"]
    assert (told["plan"]["repo"], told["plan"]["ref"], told["plan"]["prompt"]["bytes"]) == (REPO, "main", 4)
    assert offline_desk.records == []


def test_without_a_yes_it_is_refused_with_the_line_to_type(offline_desk):
    code, told = offline_desk.refused("delegate", "--repo", REPO, "--prompt", "it's", "--idempotency-key", "k1")
    assert code == "CONFIRMATION_REQUIRED"
    assert "'--prompt=it'\"'\"'s'" in told["error"]["recoveryAction"]
    assert "--idempotency-key=k1 --yes`" in told["error"]["recoveryAction"]


def test_without_a_key_it_is_refused(offline_desk):
    code, _ = offline_desk.refused("delegate", "--repo", REPO, "--prompt", "x", "--yes")
    assert code == "AUTH_FAILED"


def test_a_wrong_key_is_refused_and_nothing_is_kept(desk, monkeypatch):
    monkeypatch.setenv("CURSOR_API_KEY", "wrong")
    code, told = desk.delegate(key="k1")
    assert (code, told["error"]["code"]) == (1, "AUTH_FAILED")
    assert desk.records == []


def test_agents_do_not_delegate(offline_desk, monkeypatch):
    monkeypatch.setenv("ORCHESTRATE_AGENT_DEPTH", "1")
    assert offline_desk.refused("delegate", "--repo", REPO, "--prompt", "x", "--yes")[0] == "NESTED_DELEGATION"
    monkeypatch.setenv("ORCHESTRATE_AGENT_DEPTH", "0")
    monkeypatch.setenv("CURSOR_API_KEY", "subtree.bc-1.x")
    assert offline_desk.refused("delegate", "--repo", REPO, "--prompt", "x", "--dry-run")[0] == "NESTED_DELEGATION"


def test_the_prompt_may_come_from_a_file(desk):
    (desk.home / "task.md").write_text(prompt(0))
    assert desk.call("delegate", "--repo", REPO, "--prompt-file", "task.md", "--yes")[0] == 0
    assert desk.refused("delegate", "--repo", REPO, "--prompt-file", "gone.md", "--yes")[0] == "INVALID_INPUT"
    os.mkfifo(desk.home / "pipe")
    assert desk.refused("delegate", "--repo", REPO, "--prompt-file", "pipe", "--yes")[0] == "INVALID_INPUT"
    (desk.home / "latin").write_bytes(b"\xff")
    assert desk.refused("delegate", "--repo", REPO, "--prompt-file", "latin", "--yes")[0] == "INVALID_INPUT"


def test_for_people_there_are_lines(desk):
    code, out, err = desk.lines("delegate", "--repo", REPO, "--prompt", prompt(0), "--yes")
    assert (code, err) == (0, "")
    assert out.startswith("bc-")
    code, out, err = desk.lines("delegate", "--repo", REPO, "--prompt", "", "--yes")
    assert (code, out) == (1, "")
    assert err.startswith("error: the prompt is empty. Nothing was sent. (INVALID_INPUT)\n")


def test_a_model_that_the_account_lacks_is_refused_before_anything_is_reserved(offline_desk, monkeypatch):
    with desk_at(offline_desk, monkeypatch, models=("composer-2",)) as desk:
        code, told = desk.delegate("--model", "composer-3", key="k1")
        assert (code, told["error"]["code"]) == (1, "INVALID_INPUT")
        assert "did you mean composer-2" in told["error"]["message"]
        assert desk.records == []
