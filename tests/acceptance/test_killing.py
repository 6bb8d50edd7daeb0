"""``kill`` and ``kill-tree`` with real agents: beside an engine, after its death, and from elsewhere."""

import json
import signal

import pytest

from tests.support.runs import SLUG, machine, project, task
from tests.support.server import wait_until

__all__ = ["machine", "project"]


@pytest.fixture
def at_work(project):
    """An engine with two agents that never end by themselves, and a task that waits for one of them."""
    for name in ("one", "two"):
        project.agent(name, project.make_gate(name))
    project.write_plan(task("one"), task("two"), task("next", dependsOn=["one"]))
    engine = project.start("--max-concurrent", "4")
    project.wait_until_works("one", "two")
    return engine


def check_that_nobody_is_left(project):
    wait_until(lambda: not project.is_at_work("one") and not project.is_at_work("two"), what="the agents to end")
    assert project.statuses() == {"one": "cancelled", "two": "cancelled", "next": "pending"}
    assert all(project.rows()[name]["note"].startswith("cancelled by ") for name in ("one", "two"))


def test_without_a_yes_nothing_happens_and_everybody_knows_who_it_would_have_been(project, at_work):
    told = project.command("kill", str(project.workspace)).end()
    assert (told.code, told.out) == (1, "")
    assert "demo: 2 agents may be alive" in told.err
    assert "there is no terminal to ask at. Nothing was stopped." in told.err
    listed = project.command("kill", str(project.workspace), "--json").end()
    assert listed.code == 1
    assert (listed.json()["ok"], listed.json()["error"]["code"]) == (False, "not_confirmed")
    assert [each["task"] for each in listed.json()["victims"]] == ["one", "two"]
    assert project.is_at_work("one")
    assert not (project.workspace / "stop.json").exists()
    at_work.send(signal.SIGKILL)


def test_beside_a_running_engine_everybody_ends_and_the_run_does_not_begin_again(project, at_work):
    told = project.command("kill", str(project.workspace), "--yes", "--json").end()
    assert told.code == 0, told.said
    assert (told.json()["alive"], told.json()["looks"] >= 2) == ([], True)
    assert at_work.end().code == 1
    check_that_nobody_is_left(project)
    stop = json.loads(project.file("stop.json"))
    assert (stop["scope"], stop["by"] != "") == ("tree", True)
    assert project.run().code == 2
    project.agent("one", "handoff success '(none)'")
    assert project.run("--revive").code == 1
    assert project.statuses()["next"] == "pending"


def test_after_the_engine_was_killed_the_rows_say_so_all_the_same(project, at_work):
    at_work.send(signal.SIGKILL)
    at_work.end()
    told = project.command("kill", str(project.workspace), "-y").end()
    assert told.code == 0, told.said
    assert "2 cancelled, 0 over before; nobody is left alive" in told.out
    check_that_nobody_is_left(project)


def test_one_task_is_killed_and_the_rest_goes_on(project, at_work):
    told = project.command("kill", str(project.workspace), "two", "-y").end()
    assert told.code == 0, told.said
    project.wait_until_row("two", status="cancelled")
    assert project.is_at_work("one")
    assert not (project.workspace / "stop.json").exists()
    project.open_gate("one")
    at_work.end()


def test_from_elsewhere_the_service_alone_tells_who_belongs_to_the_tree(project, at_work):
    told = project.command(
        "kill-tree", project.remote.url, "main", SLUG, "-y", "--json", "--runtime", "local", at=project.folder
    ).end()
    assert told.code == 0, told.said
    assert {each["task"] for each in told.json()["victims"]} >= {"one", "two"}
    assert at_work.end().code == 1
    assert {project.statuses()[name] for name in ("one", "two")} == {"cancelled"}
