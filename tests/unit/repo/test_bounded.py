import os
from pathlib import Path

import pytest

from orchestrate.repo.bounded import run_bounded
from tests.support.server import wait_until


async def ran(line, *, seconds=30.0, most_bytes=1000, folder=Path("/")):
    environment = {"PATH": os.environ["PATH"]}
    argv = ["bash", "-c", line]
    return await run_bounded(argv, folder=folder, environment=environment, seconds=seconds, most_bytes=most_bytes)


async def test_what_a_command_prints_is_its_result():
    finished = await ran("echo one; echo two >&2")
    assert (finished.stdout, finished.complaint, finished.fault) == (b"one\n", b"two\n", None)


@pytest.mark.parametrize(
    ("line", "fault"), [("exit 3", "exit status 3"), ("kill -9 $$", "ended by signal 9")], ids=["status", "signal"]
)
async def test_a_bad_end_is_a_fault(line, fault):
    assert (await ran(line)).fault == fault


async def test_a_command_that_does_not_end_is_ended_with_all_that_it_started(tmp_path):
    finished = await ran("sleep 600 & echo $! > child; wait", seconds=3.0, folder=tmp_path)
    assert finished.fault == "it did not end within 3 s"
    wait_until(lambda: not is_alive(int((tmp_path / "child").read_text())), what="its child to be gone")


async def test_what_a_command_leaves_behind_ends_with_it(tmp_path):
    finished = await ran("sleep 600 & echo $! > child; echo done", folder=tmp_path)
    assert (finished.stdout, finished.fault) == (b"done\n", None)
    wait_until(lambda: not is_alive(int((tmp_path / "child").read_text())), what="its child to be gone")


async def test_too_much_output_ends_the_command():
    finished = await ran("yes")
    assert finished.fault == "it printed more than 1,000 bytes"
    assert len(finished.stdout) <= 1000


async def test_a_program_that_is_not_there_is_a_fault():
    finished = await run_bounded(["no-such-program"], folder=Path("/"), environment={}, seconds=1, most_bytes=1)
    assert finished.fault == "no-such-program cannot be started: No such file or directory"


def is_alive(pid):
    """True for a process that is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
