"""``orchestrate run`` at a terminal: the one question, the live block, and nothing that a terminal would obey."""

import os
import subprocess
import sys

import pytest

from tests.support.runs import Project, machine, project, task
from tests.support.terminals import PATIENCE_SECONDS, QUESTION, Terminal

__all__ = ["machine", "project"]

pytestmark = pytest.mark.slow


def run_at_terminal(project: Project, *arguments: str, **options: dict) -> Terminal:
    return Terminal(project, "run", str(project.workspace), *arguments, **options)


def test_a_yes_runs_the_plan(project: Project) -> None:
    project.write_plan(task("one"), task("two"))
    terminal = run_at_terminal(project)
    terminal.wait_for(QUESTION)
    terminal.types(b"y\n")

    assert terminal.end() == 0, terminal.shown
    assert b"Run 2 tasks with the local runtime? [y/N] " in terminal.shown
    assert project.statuses() == {"one": "handed-off", "two": "handed-off"}


@pytest.mark.parametrize("answer", [b"n\n", b"\n", b"\x04", b"nonsense\n"])
def test_everything_but_a_yes_launches_nothing(project: Project, answer) -> None:
    project.write_plan(task("one"))
    terminal = run_at_terminal(project)
    terminal.wait_for(QUESTION)
    terminal.types(answer)

    assert terminal.end() == 1, terminal.shown
    assert b"error: not confirmed. Nothing was launched." in terminal.shown
    assert not (project.workspace / "state.json").exists()


def test_ctrl_c_at_the_question_is_130(project: Project) -> None:
    project.write_plan(task("one"))
    terminal = run_at_terminal(project)
    terminal.wait_for(QUESTION)
    terminal._process.send_signal(2)

    assert terminal.end() == 130, terminal.shown
    assert b"Traceback" not in terminal.shown


def test_yes_is_not_asked_again(project: Project) -> None:
    project.write_plan(task("one"))
    terminal = run_at_terminal(project, "--yes")

    assert terminal.end() == 0, terminal.shown
    assert QUESTION not in terminal.shown
    assert b"demo finished" in terminal.shown
    assert b"\x1b[?1049h" not in terminal.shown


def test_a_plan_with_a_fault_is_refused_without_a_question(project: Project) -> None:
    project.write_plan(task("one", dependsOn=["eins"]))
    terminal = run_at_terminal(project)

    assert terminal.end() == 2
    assert QUESTION not in terminal.shown


def test_what_agents_say_is_shown_and_not_obeyed(project: Project) -> None:
    project.agent("loud", r"printf '## Status\nsuccess \033]0;owned\007\n\n## Branch\n\033[2Jx\n'; exit 4")
    project.agent("stderr", r"printf '\033]0;owned\007 fatal \033[31m\n' >&2; exit 4")
    project.write_plan(task("loud"), task("stderr"), goal="a \x1b]0;owned\x07 goal")
    terminal = run_at_terminal(project, "--yes", "--exit-on-all-done")

    assert terminal.end() == 1, terminal.shown
    assert b"\x1b]0;owned" not in terminal.shown
    assert b"\x1b[2J" not in terminal.shown


def test_plain_and_dumb_terminals_get_plain_lines(project: Project) -> None:
    project.write_plan(task("one"))
    plain = run_at_terminal(project, "--yes", "--plain")
    plain.end()
    dumb = run_at_terminal(project, "--yes", environment={"TERM": "dumb"})
    dumb.end()

    assert b"\x1b" not in plain.shown
    assert b"\x1b" not in dumb.shown
    assert b" handed-off one " in plain.shown


def test_a_reader_that_leaves_does_not_end_the_run(project: Project) -> None:
    project.agent("bad", "exit 1")
    project.write_plan(task("one"), task("bad", dependsOn=["one"]))
    read, write = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "orchestrate", "run", str(project.workspace), "--json"],
        env=project.machine.environment({}),
        stdin=subprocess.DEVNULL,
        stdout=write,
        stderr=write,
    )
    os.close(write)
    os.close(read)

    assert process.wait(timeout=PATIENCE_SECONDS) == 1
    assert project.statuses() == {"one": "handed-off", "bad": "error"}
