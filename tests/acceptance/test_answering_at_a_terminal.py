"""The yes that is typed: before an agent is launched, before a run is killed. Whatever else is typed does nothing."""

import json

import pytest

from tests.support.runs import Project, machine, project, task
from tests.support.terminals import QUESTION, Terminal

__all__ = ["machine", "project"]

pytestmark = pytest.mark.slow


def delegate(project: Project, *, key: str) -> Terminal:
    where = ("--runtime", "local", "--agent", "null", "--repo", str(project.remote.path))
    return Terminal(project, "delegate", *where, "--prompt", 'null-runner: {"seconds": 300}', "--idempotency-key", key)


def agents_of(project: Project, key: str) -> list[str]:
    """The agents that this key has made."""
    told = project.command("agents", "--all", "--runtime", "local").end().json()
    return [each["agentId"] for each in told["agents"] if each.get("idempotencyKey") == key]


def answer_of(terminal: Terminal) -> dict:
    """The one object that stands among the lines for people."""
    lines = [line for line in terminal.shown.decode().splitlines() if line.startswith("{")]
    assert len(lines) == 1, terminal.shown
    return json.loads(lines[0])


def test_a_yes_launches_the_agent_that_was_shown(project: Project) -> None:
    terminal = delegate(project, key="yes")
    terminal.wait_for(QUESTION)
    assert b'null-runner: {"seconds": 300}' in terminal.shown
    assert str(project.remote.path).encode() in terminal.shown
    terminal.types(b"y\n")

    assert terminal.end() == 0, terminal.shown
    told = answer_of(terminal)
    assert (told["ok"], told["idempotencyKey"]) == (True, "yes")
    assert agents_of(project, "yes") == [told["agentId"]]


@pytest.mark.parametrize("typed", [b"n\n", b"\n", b"\x04"])
def test_anything_else_launches_nothing_and_keeps_no_key(project: Project, typed: bytes) -> None:
    key = f"no-{typed.hex()}"
    terminal = delegate(project, key=key)
    terminal.wait_for(QUESTION)
    terminal.types(typed)

    assert terminal.end() == 1, terminal.shown
    told = answer_of(terminal)
    assert (told["error"]["code"], told["idempotencyKey"]) == ("CONFIRMATION_REQUIRED", key)
    assert agents_of(project, key) == []


def test_a_yes_kills_the_run_and_all_of_its_agents(project: Project) -> None:
    project.agent("a", project.make_gate("work"))
    project.write_plan(task("a"), task("b", dependsOn=["a"]))
    engine = project.start()
    project.wait_until_works("a")
    refused = Terminal(project, "kill", str(project.workspace))
    refused.wait_for(QUESTION)
    refused.types(b"n\n")
    assert refused.end() == 1, refused.shown
    assert project.statuses()["a"] == "running"

    terminal = Terminal(project, "kill", str(project.workspace))
    terminal.wait_for(QUESTION)
    assert b" a " in terminal.shown
    terminal.types(b"yes\n")

    assert terminal.end() == 0, terminal.shown
    assert engine.end().code == 1
    assert project.statuses()["a"] == "cancelled"
