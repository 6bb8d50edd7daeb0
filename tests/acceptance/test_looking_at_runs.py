"""The verbs that look, beside an engine that really runs, and after it."""

import json
import signal

import pytest

from tests.support.runs import Command, Project, machine, project, task

__all__ = ["machine", "project"]

pytestmark = pytest.mark.slow

PLAN = "workspace"


def started(project: Project):
    """A run whose second task waits at a gate."""
    project.agent("slow", project.make_gate("gate") + "; handoff success '(none)'")
    project.write_plan(task("quick"), task("slow", dependsOn=["quick"]), task("last", dependsOn=["slow"]))
    run = project.start()
    project.wait_until_row("slow", status="running")
    return run


def first_line(command: Command) -> str:
    """What the command says first: from then on it watches."""
    return command.process.stdout.readline()


def test_a_run_is_seen_while_it_runs_and_afterwards(project):
    run = started(project)
    tree = project.command("tree", PLAN).end()
    assert "engine running, pid " in tree.out
    assert "● slow" in tree.out
    listed = project.command("list", PLAN, "--status", "waiting", "--json").end().json()
    assert [each["name"] for each in listed["tasks"]] == ["last"]
    assert project.command("timeline", PLAN).end().out.splitlines()[3].startswith("slow")
    watch = project.command("watch", PLAN)
    lines = project.command("watch", PLAN, "--json-lines")
    begun = [first_line(each) for each in (watch, lines)]
    project.open_gate("gate")
    assert run.end().code == 0
    seen = watch.end()
    assert (seen.code, seen.err) == (0, "")
    assert "handed-off last" in seen.out
    assert "demo finished   3 of 3 handed off" in seen.out
    events = [json.loads(line) for line in (begun[1] + lines.end().out).splitlines()]
    assert (events[0]["event"], events[-1]["event"], events[-1]["exitCode"]) == ("snapshot", "end", 0)
    assert {each["task"]["name"] for each in events if each["event"] == "task"} >= {"slow", "last"}
    story = project.command("story", PLAN, "last").end().out
    assert "ready: slow had handed off" in story
    assert "handed off, success" in story


def test_the_exit_code_of_watching_is_that_of_the_run(project):
    project.agent("bad", project.make_gate("gate") + "; exit 3")
    project.write_plan(task("bad"), task("behind", dependsOn=["bad"]))
    run = project.start()
    project.wait_until_row("bad", status="running")
    watch = project.command("watch", PLAN, "--json")
    assert "progress" in watch.process.stderr.readline()
    project.open_gate("gate")
    assert run.end().code == 1
    seen = watch.end()
    assert seen.code == 1
    assert seen.json()["error"]["message"] == "not handed off: bad, behind"
    assert "error bad" in seen.err


def test_a_checkpoint_is_waited_over(project):
    project.agent("slow", project.make_gate("gate") + "; handoff success '(none)'")
    project.write_plan(task("slow"))
    assert project.run("--max-runtime-sec", "0.5").code == 100
    assert project.command("watch", PLAN).end().code == 100
    watch = project.command("watch", PLAN, "--until-done")
    assert "progress" in first_line(watch)
    run = project.start()
    project.open_gate("gate")
    assert run.end().code == 0
    assert watch.end().code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_stops_watching_stops_nothing_else(project, number):
    run = started(project)
    watch = project.command("watch", PLAN)
    assert "progress" in first_line(watch)
    watch.send(number)
    assert watch.end().code == 130
    project.open_gate("gate")
    assert run.end().code == 0
