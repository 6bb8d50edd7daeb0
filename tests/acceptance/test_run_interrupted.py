"""Runs that are interrupted, killed or robbed of their server: agents go on, and the next run goes on with them."""

import os
import signal

import pytest

from orchestrate.store.lock import LOCK
from tests.support.runs import Command, Project, machine, project, task
from tests.support.server import wait_until

__all__ = ["machine", "project"]

pytestmark = pytest.mark.slow


def waiting_project(project: Project) -> None:
    """A task whose agent waits at the gate ``go``, and one behind it."""
    project.agent("slow", f"commit slow.txt; {project.make_gate('go')}; push; handoff success")
    project.write_plan(task("slow"), task("next", dependsOn=["slow"]))


def start_and_wait(project: Project, *arguments: str) -> Command:
    command = project.start(*arguments)
    project.wait_until_works("slow")
    project.wait_until_row("slow", status="running")
    wait_until(lambda: project.rows()["slow"]["runId"] is not None, what="the run's id")
    return command


def finish(project: Project) -> None:
    """Run on to the end: no second agent, every handoff is there."""
    command = project.start()
    project.open_gate("go")
    done = command.end()
    assert done.code == 0, done.said
    assert (project.launches("slow"), project.launches("next")) == (1, 1)
    assert project.statuses() == {"slow": "handed-off", "next": "handed-off"}
    assert sorted(path.name for path in (project.workspace / "handoffs" / "attempts").iterdir()) == [
        "next.1.md",
        "slow.1.md",
    ]
    assert project.remote.read(project.rows()["slow"]["branch"], "slow.txt") == "text\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_saves_and_leaves_and_agents_go_on(project: Project, number) -> None:
    waiting_project(project)
    command = start_and_wait(project, "--json")
    command.send(number)

    done = command.end()

    document = done.json()
    assert (done.code, document["ok"], document["exitCode"]) == (130, False, 130), done.said
    assert document["error"]["code"] == "interrupted"
    assert project.statuses() == {"slow": "running", "next": "pending"}
    assert project.is_at_work("slow")
    assert (project.workspace / LOCK).read_bytes() == b""
    finish(project)


def test_an_interrupted_run_says_what_goes_on_and_what_to_type(project: Project) -> None:
    waiting_project(project)
    command = start_and_wait(project)
    command.send(signal.SIGINT)

    done = command.end()

    assert "1 agent" in done.err
    assert "run " in done.err.splitlines()[-1] or "run " in done.err.splitlines()[-2], done.err


def test_a_second_interrupt_leaves_at_once_with_a_valid_state(project: Project) -> None:
    waiting_project(project)
    command = start_and_wait(project, "--json")
    for _ in range(2):
        command.send(signal.SIGINT)

    done = command.end()

    assert done.code == 130, done.said
    assert done.json()["exitCode"] == 130
    assert "Traceback" not in done.err
    assert project.statuses() == {"slow": "running", "next": "pending"}
    finish(project)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_anything_was_launched_is_130_with_one_object(project: Project, number) -> None:
    project.write_plan(task("slow"))
    started = project.folder / "git-started"
    os.mkfifo(started)
    git = project.folder / "bin" / "git"
    git.parent.mkdir()
    git.write_text(f"#!/bin/sh\necho > '{started}'\nexec tail -f /dev/null\n")
    git.chmod(0o755)
    command = project.start("--json", environment={"PATH": f"{git.parent}:{os.environ['PATH']}"})
    with started.open("rb"):  # returns once the look at the repository has begun
        command.send(number)
        done = command.end()

    assert (done.code, done.json()["exitCode"]) == (130, 130), done.said
    assert not (project.workspace / "state.json").exists()


def test_a_run_under_nohup_outlives_its_terminal(project: Project) -> None:
    waiting_project(project)
    command = project.start(prefix=("nohup",))
    project.wait_until_works("slow")
    project.wait_until_row("slow", status="running")
    command.send(signal.SIGHUP)
    project.open_gate("go")

    assert command.end().code == 0


def test_a_killed_engine_is_followed_by_one_that_makes_no_second_agent(project: Project) -> None:
    waiting_project(project)
    command = start_and_wait(project)
    command.send(signal.SIGKILL)
    assert command.end().code == -signal.SIGKILL

    finish(project)


def test_agents_that_ended_while_no_engine_ran_are_handed_off(project: Project) -> None:
    waiting_project(project)
    command = start_and_wait(project)
    command.send(signal.SIGKILL)
    command.end()
    project.open_gate("go")
    wait_until(lambda: not project.is_at_work("slow"), what="the end of the agent")

    done = project.run()

    assert done.code == 0, done.said
    assert (project.launches("slow"), project.launches("next")) == (1, 1)


def test_a_second_engine_is_refused_and_told_who_runs(project: Project) -> None:
    waiting_project(project)
    first = start_and_wait(project)

    second = project.run("--json")
    for_people = project.run()

    assert second.code == 2
    assert second.json()["error"]["message"].startswith("an engine already runs this workspace (pid ")
    assert f"(pid {first.pid}, since " in for_people.err
    assert for_people.err.splitlines()[-2].startswith("error: an engine already runs this workspace (pid ")
    project.open_gate("go")
    assert first.end().code == 0
    assert (project.launches("slow"), project.launches("next")) == (1, 1)


def test_a_server_that_is_killed_comes_back_and_the_run_goes_on(project: Project) -> None:
    waiting_project(project)
    project.agent("apart", f"{project.make_gate('other')}; handoff success '(none)'")
    project.write_plan(task("slow"), task("apart"), task("next", dependsOn=["slow"]))
    command = start_and_wait(project)
    project.wait_until_works("apart")
    before = project.machine.server_pid
    project.machine.kill_server()
    project.open_gate("go")

    wait_until(lambda: project.machine.server_pid not in (None, before), what="the new server", seconds=60)
    project.open_gate("other")
    done = command.end()

    assert done.code == 0, done.said
    assert project.statuses() == dict.fromkeys(("slow", "apart", "next"), "handed-off")
    assert [project.launches(name) for name in ("slow", "apart", "next")] == [1, 1, 1]
    assert "the local server was gone; it was started again" in done.err


def test_a_server_that_died_between_two_runs_is_started_again(project: Project) -> None:
    waiting_project(project)
    command = start_and_wait(project)
    command.send(signal.SIGINT)
    command.end()
    project.machine.kill_server()

    finish(project)
