import fcntl
import os
import subprocess
import sys

from orchestrate.server.processes import is_locked, is_same_process, process_start
from tests.support.server import wait_until


def test_a_living_process_is_itself():
    started = process_start(os.getpid())

    assert started is not None
    assert is_same_process(os.getpid(), started=started)


def test_another_start_is_another_process():
    assert not is_same_process(os.getpid(), started=1.0)


def test_a_zombie_and_a_stranger_have_ended():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        wait_until(lambda: process_start(process.pid) is None, what="the process's end")
        assert not is_same_process(process.pid, started=1.0)
    assert process_start(process.pid) is None


def test_a_lock_is_held_while_its_process_holds_it(tmp_path):
    path = tmp_path / "lock"
    assert not is_locked(path)
    with path.open("w") as file:
        assert not is_locked(path)
        fcntl.flock(file, fcntl.LOCK_EX)
        assert is_locked(path)
    assert not is_locked(path)
