"""A command at a pseudo-terminal, with a person who types."""

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

from tests.support.runs import Project

PATIENCE_SECONDS = 60
QUESTION = b"[y/N] "


class Terminal:
    """A command at a pseudo-terminal of 80 columns."""

    def __init__(self, project: Project, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.shown = b""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "orchestrate", *arguments],
            cwd=project.folder,
            env=project.machine.environment({"TERM": "xterm-256color", **project.variables, **(environment or {})}),
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
        return self._process.wait(timeout=PATIENCE_SECONDS)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], PATIENCE_SECONDS)
        if not ready:
            self._process.kill()
            pytest.fail(f"it shows nothing more: {self.shown!r}")
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other end is closed
            return False
        self.shown += data
        return bool(data)
