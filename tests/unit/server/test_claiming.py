import os
import socket

import pytest

from orchestrate.errors import InputRefused
from orchestrate.server.claiming import is_held, listen, open_log, sole_server
from orchestrate.server.state import StateFolder


@pytest.fixture
def folder(tmp_path):
    return StateFolder(tmp_path)


def test_a_folder_is_claimed_once_and_free_afterwards(folder):
    with sole_server(folder), pytest.raises(InputRefused, match="already works"), sole_server(folder):
        pass
    with sole_server(folder):
        pass


def test_a_lock_says_who_holds_it_and_nothing_once_it_is_free(folder):
    with sole_server(folder) as lock:
        assert f'"pid":{os.getpid()}' in folder.server_lock.read_text()
        lock.tell(b"longer than what stood there before, by far, and then some more")
        lock.tell(b"short")
        assert folder.server_lock.read_bytes() == b"short"
        assert lock.tells(b"short")
        assert not lock.tells(b"shor")
    assert folder.server_lock.read_bytes() == b""


def test_a_lock_is_seen_from_outside(folder):
    assert not is_held(folder)
    with sole_server(folder):
        assert is_held(folder)
    assert not is_held(folder)


def test_a_lock_whose_file_was_replaced_is_not_in_place(folder):
    with sole_server(folder) as lock:
        assert lock.is_in_place()
        folder.server_lock.unlink()
        assert not lock.is_in_place()
        folder.server_lock.touch()
        assert not lock.is_in_place()


def test_the_port_is_remembered_and_on_loopback_only(folder):
    with listen(folder, port=0) as first:
        host, port = first.getsockname()
    with listen(folder, port=0) as second:
        assert second.getsockname() == (host, port)
    assert host == "127.0.0.1"


def test_asyncio_knows_the_listener_for_tcp(folder):
    with listen(folder, port=0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_a_port_that_was_asked_for_is_taken_or_refused(folder):
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InputRefused, match="cannot listen"):
        listen(folder, port=taken.getsockname()[1])
    with pytest.raises(InputRefused, match="cannot listen"):
        listen(folder, port=70_000)


def test_a_remembered_port_that_makes_no_sense_is_forgotten(folder):
    folder.port.write_text("x")
    with listen(folder, port=0) as listener:
        assert listener.getsockname()[1]


def test_a_large_log_is_put_aside(folder):
    folder.log.write_bytes(b"x" * 10_000_001)

    with open_log(folder.log) as log:
        log.write("new\n")

    assert folder.log.read_text() == "new\n"
    assert folder.log.with_suffix(".log.1").stat().st_size > 10_000_000
