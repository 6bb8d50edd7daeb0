import os
import socket
from dataclasses import replace

import pytest

from orchestrate.server.discovery import (
    ServerFile,
    answers,
    is_alive,
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


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"port": 1}'])
def test_a_file_that_makes_no_sense_is_none(tmp_path, content):
    assert read_server_file(tmp_path) is None
    server_file_path(tmp_path).write_text(content)
    assert read_server_file(tmp_path) is None


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
