import json
import os

import pytest

from orchestrate.server.processes import process_start
from orchestrate.server.spool import Exit, Job, Spool, SpooledFile


@pytest.fixture
def spool(tmp_path):
    return Spool(tmp_path / "agents" / "run")


def write(spool, name, content):
    spool.folder.mkdir(parents=True, exist_ok=True)
    (spool.folder / name).write_text(json.dumps(content))


def test_a_file_that_is_not_there_is_empty(tmp_path):
    file = SpooledFile(tmp_path / "stdout")

    assert (file.size(), file.read(0, limit=9)) == (0, b"")


def test_a_piece_of_a_file_is_read(tmp_path):
    (tmp_path / "stdout").write_bytes(b"abcdef")

    assert SpooledFile(tmp_path / "stdout").read(2, limit=3) == b"cde"
    assert SpooledFile(tmp_path / "stdout").read(2, limit=-1) == b""


def test_a_prepared_folder_has_what_the_supervisor_needs(spool):
    spool.prepare(Job(("agent", "x"), spool.folder, spool.prompt, 5.0, grace_seconds=1.0), prompt=b"text")

    job = json.loads((spool.folder / "job.json").read_text())
    assert (job["argv"], job["stdin"], job["timeoutSeconds"]) == (["agent", "x"], str(spool.prompt), 5.0)
    assert spool.prompt.read_bytes() == b"text"
    assert spool.sizes() == (0, 0)
    assert (spool.exit(), spool.was_begun(), spool.is_supervised(), spool.living_agent()) == (None, False, False, None)


def test_an_exit_is_read(spool):
    write(spool, "exit.json", {"reason": "exited", "exitStatus": 3, "signal": None})

    assert spool.exit() == Exit("exited", exit_status=3)


def test_a_torn_exit_file_is_none(spool):
    write(spool, "exit.json", [])
    assert spool.exit() is None
    (spool.folder / "exit.json").write_text("{")
    assert spool.exit() is None


def test_only_the_very_process_is_the_agent(spool):
    write(spool, "agent.json", {"pid": os.getpid(), "startTicks": process_start(os.getpid()), "at": 0})
    assert spool.living_agent() == os.getpid()

    write(spool, "agent.json", {"pid": os.getpid(), "startTicks": 1, "at": 0})
    assert spool.living_agent() is None
    spool.kill_orphan()


def test_a_note_is_a_line_of_activity(spool):
    spool.note("pushed")
    spool.note("again")

    assert (spool.folder / "stderr").read_text() == "[server] pushed\n[server] again\n"


def test_a_cancel_may_come_first(spool):
    spool.request_cancel()

    assert (spool.folder / "cancel").exists()


def _pipe(path):
    os.mkfifo(path)


def _folder(path):
    path.mkdir()


def _link(path):
    path.with_name(f"{path.name} elsewhere").write_text("{}")
    path.symlink_to(path.with_name(f"{path.name} elsewhere"))


@pytest.mark.parametrize("plant", [_pipe, _folder, _link])
def test_what_an_agent_put_in_the_place_of_our_files_stops_nobody(spool, plant):
    spool.folder.mkdir(parents=True)
    for name in ("stdout", "stderr", "exit.json", "agent.json", "usage.json"):
        plant(spool.folder / name)

    spool.note("pushed")

    assert not any(b"pushed" in path.read_bytes() for path in spool.folder.glob("* elsewhere"))
    assert spool.sizes() == (0, 0)
    assert (spool.stdout.read(0, limit=9), spool.stderr.read(0, limit=9)) == (b"", b"")
    assert (spool.exit(), spool.living_agent(), spool.usage()) == (None, None, None)


@pytest.mark.parametrize("content", [{}, {"reason": 1}, {"pid": "x"}, {"pid": 1}, {"pid": [], "startTicks": 0}])
def test_files_that_say_something_else_say_nothing(spool, content):
    write(spool, "exit.json", content)
    write(spool, "agent.json", content)

    assert (spool.exit(), spool.living_agent()) == (None, None)


def test_a_lock_that_is_none_is_held_by_nobody(spool):
    (spool.folder / "supervisor.lock").mkdir(parents=True)

    assert not spool.is_supervised()
