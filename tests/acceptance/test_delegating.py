"""Delegation as processes of their own: one key is one agent, whatever is lost, and the agent knows how deep it is."""

import json
import signal
import sys

import pytest

from orchestrate.server.serve import stop_server
from tests.support.delegations import AGENT
from tests.support.runs import SOURCES, Command, Project, machine, project
from tests.support.server import wait_until

__all__ = ["machine", "project"]

pytestmark = pytest.mark.slow

FAULTS = {"rules": [{"call": "create", "do": "no-answer", "times": 2}]}
PROCESSES, KEYS = 9, 3


@pytest.fixture
def faulty(project: Project) -> Project:
    """A machine whose server loses answers; one of its own."""
    stop_server(project.machine.server_folder)
    project.variables["ORCHESTRATE_SERVER_FAULTS"] = json.dumps(FAULTS)
    return project


def delegate(project: Project, prompt: str, *words: str, key: str) -> Command:
    where = ("--runtime", "local", "--repo", str(project.remote.path), "--idempotency-key", key)
    return project.command("delegate", *where, "--prompt", prompt, "--yes", *words)


def agents(project: Project) -> list[dict]:
    return project.command("agents", "--all", "--runtime", "local").end().json()["agents"]


def test_one_key_is_one_agent_among_processes_that_lose_answers(faulty: Project) -> None:
    prompt = 'null-runner: {"seconds": 300}'
    started = [
        delegate(faulty, prompt, "--agent", "null", "--max-active", "100", key=f"key-{number % KEYS}")
        for number in range(PROCESSES)
    ]

    told = [each.end().json() for each in started]

    keys = [agent["idempotencyKey"] for agent in agents(faulty)]
    assert sorted(keys) == [f"key-{number}" for number in range(KEYS)]
    assert all(each["idempotencyKey"] in keys for each in told)
    assert sum(each["ok"] for each in told) == KEYS, told
    assert {each["error"]["code"] for each in told if not each["ok"]} == {"DUPLICATE_LAUNCH"}


def test_an_agent_knows_its_depth_and_does_not_delegate(project: Project) -> None:
    out = project.folder / "told.json"
    inner = f"delegate --runtime local --repo {project.remote.path} --prompt x --yes"
    script = project.folder / "agent.sh"
    script.write_text(
        f'echo "$ORCHESTRATE_AGENT_DEPTH" > {project.folder}/depth\n'
        f"PYTHONPATH={SOURCES} {sys.executable} -m orchestrate {inner} > {out}\necho done\n"
    )
    words = ("--agent-command", f"/bin/sh {script}", "--wait")

    first = delegate(project, "work", *words, key="outer").end().json()
    assert first["status"] == "FINISHED", first
    assert (project.folder / "depth").read_text() == "1\n"
    assert json.loads(out.read_text())["error"]["code"] == "NESTED_DELEGATION"

    follow_up = ("--prompt", "more", "--wait", "--yes", "--runtime", "local")
    (project.folder / "depth").unlink()
    again = project.command("follow-up", "--agent-id", first["agentId"], *follow_up).end().json()
    assert again["status"] == "FINISHED", again
    assert (project.folder / "depth").read_text() == "1\n"


def test_a_signal_is_answered_by_one_object_and_the_agent_goes_on(project: Project) -> None:
    command = delegate(project, 'null-runner: {"seconds": 300}', "--agent", "null", "--wait", key="waited")
    wait_until(lambda: any(each["idempotencyKey"] == "waited" for each in agents(project)), what="the agent")
    command.send(signal.SIGTERM)

    done = command.end()

    told = done.json()
    assert (done.code, told["error"]["code"]) == (130, "INTERRUPTED")
    assert told["agentId"] in told["error"]["recoveryAction"]
    (agent,) = [each for each in agents(project) if each["idempotencyKey"] == "waited"]
    assert agent["agentStatus"] == "ACTIVE"


@pytest.mark.parametrize("verb", ["agent-status", "usage", "artifacts"])
def test_an_agent_that_is_not_there_is_one_object(project: Project, verb: str) -> None:
    done = project.command(verb, "--agent-id", AGENT, "--runtime", "local").end()
    assert (done.code, done.json()["error"]["code"]) == (1, "NOT_FOUND")
