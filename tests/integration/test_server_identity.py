"""A living server is found, and can be stopped, whatever became of its files."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from orchestrate.errors import InputRefused
from orchestrate.server import ensure_server, serve, server_status, stop_server
from orchestrate.server.discovery import ServerProcess, living_process, read_server_file, server_file_path
from orchestrate.server.processes import process_start
from tests.support.server import ServerCalls, server_process, wait_until

#: Serves as another version of this program would.
OTHER_VERSION = """
import sys, orchestrate
orchestrate.__version__ = "0.0.0"
from orchestrate.server.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
#: Holds the folder as a server does, and ends when it is told to.
HOLDER = """
import fcntl, os, sys, time
lock = os.open(sys.argv[1] + "/server.lock", os.O_RDWR | os.O_CREAT)
fcntl.flock(lock, fcntl.LOCK_EX)
open(sys.argv[1] + "/ready", "w").close()
time.sleep(600)
"""
LASTING = 'null-runner: {"seconds": 3600}'


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


def ensure(state):
    return ensure_server(state, environment=dict(os.environ))


@contextmanager
def program(source, *arguments):
    """A program of its own, gone at the end."""
    process = subprocess.Popen([sys.executable, "-c", source, *map(str, arguments)], cwd=Path.cwd())
    try:
        yield process
    finally:
        process.kill()
        process.wait(timeout=30)


@contextmanager
def holder(state):
    """A process that has the folder to itself and says nothing of it."""
    state.mkdir()
    with program(HOLDER, state) as process:
        wait_until((state / "ready").exists, what="the holder")
        yield process


def spoil_server_file(state, content):
    if content is None:
        server_file_path(state).unlink()
    else:
        server_file_path(state).write_text(content)


@pytest.mark.parametrize("content", [None, "", "{", '{"schema": 2, "address": "x"}', '{"pid": 1, "started": 0}'])
def test_a_server_whose_file_is_gone_or_unreadable_is_the_same_server(state, content):
    with server_process(state) as server:
        spoil_server_file(state, content)

        assert ensure(state) == server.endpoint
        assert living_process(state).pid == server.file.pid
        assert server_status(state).url == server.url


@pytest.mark.parametrize("content", [None, "{", '{"schema": 2}'])
def test_a_server_whose_file_is_gone_or_unreadable_can_be_stopped(state, content):
    with server_process(state) as server:
        spoil_server_file(state, content)

        assert stop_server(state)
        assert not server.file.process.is_alive()
        assert not server_status(state).is_running


def test_a_server_writes_its_file_again(state):
    with server_process(state) as server:
        for content in (None, "{"):
            spoil_server_file(state, content)
            wait_until(lambda: read_server_file(state) == server.file, what="the file")


def test_a_server_is_found_even_when_neither_file_tells_of_it(state):
    with server_process(state) as server:
        server_file_path(state).unlink()
        os.truncate(state / "server.lock", 0)

        assert ensure(state) == server.endpoint
        assert server_status(state).pid == server.file.pid


def test_a_server_whose_lock_was_removed_leaves_the_folder_and_its_agents_go_on(state):
    with server_process(state) as server, ServerCalls(server) as calls:
        created = calls.create(LASTING, localAgent={"runner": "null"})
        (state / "server.lock").unlink()
        wait_until(lambda: not server.file.process.is_alive(), what="the server's end")

        with ServerCalls(ensure(state)) as after:
            assert after.run(created)["status"] == "RUNNING"


@pytest.mark.parametrize("content", ["as it is", None, "{"])
def test_a_server_of_another_version_is_replaced_and_its_agents_go_on(state, content):
    with program(OTHER_VERSION, "--state-dir", state) as other:
        wait_until(lambda: read_server_file(state) is not None, what="the other server")
        with ServerCalls(read_server_file(state).endpoint) as calls:
            created = calls.create(LASTING, localAgent={"runner": "null"})
        if content != "as it is":
            spoil_server_file(state, content)

        again = ensure(state)

        assert other.wait(timeout=30) == 0
        with ServerCalls(again) as after:
            assert after.run(created)["status"] == "RUNNING"
        assert stop_server(state)


def test_a_server_with_files_of_another_format_is_replaced(state):
    with holder(state) as other:
        process = ServerProcess(other.pid, process_start(other.pid))
        server_file_path(state).write_text(json.dumps({"pid": process.pid, "started": process.started, "socket": "x"}))
        assert server_status(state).pid == other.pid

        ensure(state)

        assert other.wait(timeout=30) == -signal.SIGTERM
        assert stop_server(state)


def test_a_folder_whose_holder_cannot_be_known_is_refused_with_what_to_do(state, monkeypatch):
    monkeypatch.setattr(serve, "_TELL_SECONDS", 0.1)
    with holder(state):
        for call in (ensure, server_status, stop_server):
            with pytest.raises(InputRefused, match="does not say which process") as caught:
                call(state)
            assert f"fuser {state / 'server.lock'}" in caught.value.hint


def test_a_server_that_does_not_answer_is_replaced(state, monkeypatch):
    monkeypatch.setattr(serve, "_TELL_SECONDS", 0.1)
    with holder(state) as silent:
        content = {"pid": silent.pid, "started": process_start(silent.pid), "port": 1, "token": "t"}
        server_file_path(state).write_text(json.dumps({**content, "version": serve.orchestrate.__version__}))

        ensure(state)

        assert silent.wait(timeout=30) == -signal.SIGTERM
        assert stop_server(state)
