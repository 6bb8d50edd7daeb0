"""The server as a process of its own, as it is started."""

import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from orchestrate.server.discovery import read_server_file
from tests.support.server import ServerCalls, wait_until


@contextmanager
def process(*arguments):
    command = [sys.executable, "-m", "orchestrate.server", *map(str, arguments)]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=Path.cwd())
    try:
        yield started
    finally:
        started.kill()
        started.communicate(timeout=30)


def test_it_serves_as_it_was_told_and_ends_in_order(tmp_path):
    options = ("--runner", "null", "--model", "large", "--model", "small", "--idle-seconds", "3600")
    with process("--state-dir", tmp_path / "state", *options) as server:
        wait_until(lambda: read_server_file(tmp_path / "state") is not None, what="the server")
        with ServerCalls(read_server_file(tmp_path / "state").endpoint) as calls:
            assert [model["id"] for model in calls.http.get("/v1/models").json()["items"]] == ["large", "small"]
            assert calls.end(calls.create())["status"] == "FINISHED"

        server.send_signal(signal.SIGTERM)

        assert server.communicate(timeout=30) == ("", "")
        assert server.returncode == 0


def test_it_says_in_one_line_why_it_cannot_serve(tmp_path):
    (tmp_path / "file").write_text("")
    with process("--state-dir", tmp_path / "file" / "state") as server:
        out, complaint = server.communicate(timeout=30)

    assert (server.returncode, out, complaint.count("\n")) == (2, "", 1)
    assert "state folder" in complaint
    assert "; set XDG_STATE_HOME" in complaint


def test_it_needs_to_know_its_folder():
    with process() as server:
        _, complaint = server.communicate(timeout=30)

    assert server.returncode == 2
    assert "--state-dir" in complaint
