import os
import socket
from dataclasses import replace

import pytest

from orchestrate.server.discovery import (
    ServerFile,
    ServerProcess,
    answers,
    file_of,
    is_alive,
    living_process,
    read_server_file,
    server_file_path,
    write_server_file,
)
from orchestrate.server.processes import process_start
from tests.support.server import running_server

FILE = ServerFile(port=1, pid=os.getpid(), started=process_start(os.getpid()), token="secret", version="1")


def test_the_file_is_read_as_it_was_written(tmp_path):
    write_server_file(tmp_path, FILE)

    assert read_server_file(tmp_path) == FILE


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "{}", "\xff", '{"port": 1}'),
        '{"port": "1", "pid": 2, "started": 1, "token": "t", "version": "1"}',
        '{"port": 1, "pid": "2", "started": 1, "token": "t", "version": "1"}',
        '{"port": 1, "pid": 0, "started": 1, "token": "t", "version": "1"}',
    ],
)
def test_a_file_that_makes_no_sense_is_none(tmp_path, content):
    assert read_server_file(tmp_path) is None
    server_file_path(tmp_path).write_text(content)
    assert read_server_file(tmp_path) is None


def test_the_lock_tells_the_same_and_is_believed_first(tmp_path):
    other = replace(FILE, port=2)
    assert living_process(tmp_path) is None
    write_server_file(tmp_path, FILE)
    assert file_of(living_process(tmp_path), state_dir=tmp_path) == FILE
    (tmp_path / "server.lock").write_bytes(other.to_bytes())
    assert file_of(living_process(tmp_path), state_dir=tmp_path) == other


def test_a_lock_of_a_dead_server_hides_no_living_one(tmp_path):
    (tmp_path / "server.lock").write_bytes(replace(FILE, started=1.0).to_bytes())
    assert living_process(tmp_path) is None
    write_server_file(tmp_path, FILE)
    assert file_of(living_process(tmp_path), state_dir=tmp_path) == FILE


def test_a_process_is_known_by_files_of_any_version(tmp_path):
    server_file_path(tmp_path).write_text(f'{{"pid": {FILE.pid}, "started": {FILE.started}, "new": 1}}')

    assert living_process(tmp_path) == ServerProcess(FILE.pid, FILE.started)
    assert file_of(living_process(tmp_path), state_dir=tmp_path) is None


def test_a_token_is_not_shown():
    assert "secret" not in repr(FILE) + repr(FILE.endpoint)


def test_only_the_very_process_is_alive():
    assert is_alive(FILE)
    assert not is_alive(replace(FILE, started=1.0))


def test_a_server_answers_those_who_know_its_token(tmp_path):
    with running_server(tmp_path / "state"):
        file = read_server_file(tmp_path / "state")
        assert answers(file)
        assert not answers(replace(file, token="wrong"))


def test_nobody_answers_on_a_closed_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert not answers(replace(FILE, port=port))
