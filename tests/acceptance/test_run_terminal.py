"""``orchestrate run`` at a terminal: the one question, the live block, and nothing that a terminal would obey."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping

import pytest

from tests.support.runs import Project, machine, project, task

__all__ = ["machine", "project"]

pytestmark = pytest.mark.slow

_PATIENCE_SECONDS = 60
_QUESTION = b"[y/N] "


class Terminal:
    """A command at a pseudo-terminal of 80 columns."""

    def __init__(self, project: Project, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.shown = b""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "orchestrate", "run", str(project.workspace), *arguments],
            cwd=project.folder,
            env=project.machine.environment({"TERM": "xterm-256color", **(environment or {})}),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)

    def wait_for(self, text: bytes) -> None:
        """Read until the command has shown this."""
        while text not in self.shown:
            assert self._read(), f"it ended without showing {text!r}: {self.shown!r}"

    def types(self, text: bytes) -> None:
        os.write(self._master, text)

    def end(self) -> int:
        """Read to the end; the exit code."""
        while self._read():
            pass
        os.close(self._master)
        return self._process.wait(timeout=_PATIENCE_SECONDS)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], _PATIENCE_SECONDS)
        if not ready:
            self._process.kill()
            pytest.fail(f"it shows nothing more: {self.shown!r}")
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other end is closed
            return False
        self.shown += data
        return bool(data)


def test_a_yes_runs_the_plan(project: Project) -> None:
    project.write_plan(task("one"), task("two"))
    terminal = Terminal(project)
    terminal.wait_for(_QUESTION)
    terminal.types(b"y\n")

    assert terminal.end() == 0, terminal.shown
    assert b"Run 2 tasks with the local runtime? [y/N] " in terminal.shown
    assert project.statuses() == {"one": "handed-off", "two": "handed-off"}


@pytest.mark.parametrize("answer", [b"n\n", b"\n", b"\x04", b"nonsense\n"])
def test_everything_but_a_yes_launches_nothing(project: Project, answer) -> None:
    project.write_plan(task("one"))
    terminal = Terminal(project)
    terminal.wait_for(_QUESTION)
    terminal.types(answer)

    assert terminal.end() == 1, terminal.shown
    assert b"error: not confirmed. Nothing was launched." in terminal.shown
    assert not (project.workspace / "state.json").exists()


def test_ctrl_c_at_the_question_is_130(project: Project) -> None:
    project.write_plan(task("one"))
    terminal = Terminal(project)
    terminal.wait_for(_QUESTION)
    terminal._process.send_signal(2)

    assert terminal.end() == 130, terminal.shown
    assert b"Traceback" not in terminal.shown


def test_yes_is_not_asked_again(project: Project) -> None:
    project.write_plan(task("one"))
    terminal = Terminal(project, "--yes")

    assert terminal.end() == 0, terminal.shown
    assert _QUESTION not in terminal.shown
    assert b"demo finished" in terminal.shown
    assert b"\x1b[?1049h" not in terminal.shown


def test_a_plan_with_a_fault_is_refused_without_a_question(project: Project) -> None:
    project.write_plan(task("one", dependsOn=["eins"]))
    terminal = Terminal(project)

    assert terminal.end() == 2
    assert _QUESTION not in terminal.shown


def test_what_agents_say_is_shown_and_not_obeyed(project: Project) -> None:
    project.agent("loud", r"printf '## Status\nsuccess \033]0;owned\007\n\n## Branch\n\033[2Jx\n'; exit 4")
    project.agent("stderr", r"printf '\033]0;owned\007 fatal \033[31m\n' >&2; exit 4")
    project.write_plan(task("loud"), task("stderr"), goal="a \x1b]0;owned\x07 goal")
    terminal = Terminal(project, "--yes", "--exit-on-all-done")

    assert terminal.end() == 1, terminal.shown
    assert b"\x1b]0;owned" not in terminal.shown
    assert b"\x1b[2J" not in terminal.shown


def test_plain_and_dumb_terminals_get_plain_lines(project: Project) -> None:
    project.write_plan(task("one"))
    plain = Terminal(project, "--yes", "--plain")
    plain.end()
    dumb = Terminal(project, "--yes", environment={"TERM": "dumb"})
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

    assert process.wait(timeout=_PATIENCE_SECONDS) == 1
    assert project.statuses() == {"one": "handed-off", "bad": "error"}
