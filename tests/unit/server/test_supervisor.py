import fcntl
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrate.server import supervisor
from orchestrate.server.spool import Job, Spool
from tests.support.server import wait_until


@pytest.fixture
def spool(tmp_path):
    return Spool(tmp_path / "run")


def prepare(spool, source, *, prompt=b"the prompt", **options):
    values = {"timeout_seconds": None, "grace_seconds": 0.3, **options}
    job = Job(argv=[sys.executable, "-c", source], cwd=spool.folder.parent, stdin=spool.prompt, **values)
    spool.prepare(job, prompt=prompt)


def start(spool):
    argv = [sys.executable, "-I", "-S", supervisor.__file__, str(spool.folder)]
    return subprocess.run(argv, stdin=-3, stdout=-3, stderr=-3, check=False, start_new_session=True).returncode


def finish(spool):
    assert start(spool) == 0
    wait_until(lambda: spool.exit() is not None, what="the exit file")
    wait_until(lambda: not spool.is_supervised(), what="the supervisor's end")
    return spool.exit()


def read(spool, name):
    return (spool.folder / name).read_bytes()


def supervisor_of(spool):
    """The living supervisor is the agent's parent."""
    wait_until(lambda: spool.living_agent() is not None, what="the agent")
    stat = Path(f"/proc/{spool.living_agent()}/stat").read_bytes()
    return int(stat.rpartition(b")")[2].split()[1])


def test_output_and_status_are_written_down(spool):
    prepare(spool, "import sys; print(sys.stdin.read()); sys.stderr.write('note'); sys.exit(3)")

    end = finish(spool)

    assert (end.reason, end.exit_status, end.signal) == ("exited", 3, None)
    assert (read(spool, "stdout"), read(spool, "stderr")) == (b"the prompt\n", b"note")


def test_a_signal_is_written_down(spool):
    prepare(spool, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")

    end = finish(spool)

    assert (end.exit_status, end.signal) == (None, signal.SIGSEGV)


def test_the_agent_leads_a_session_of_its_own_and_has_default_signals(spool):
    source = "import os, signal; print(os.getsid(0) == os.getpid(), signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)"
    prepare(spool, f"{source}; print(open('/proc/self/status').read())")

    finish(spool)

    text = read(spool, "stdout").decode()
    assert text.startswith("True True")
    assert f"SigBlk:\t{0:016x}" in text


def test_the_agent_has_no_descriptors_but_the_three(spool):
    prepare(
        spool,
        "import os; print(sorted(int(name) for name in os.listdir('/proc/self/fd'))[:3], len(os.listdir('/proc/self/fd')))",
    )

    finish(spool)

    assert read(spool, "stdout") == b"[0, 1, 2] 4\n"


def test_a_program_that_is_gone_at_the_last_moment_is_told(spool):
    prepare(spool, "")
    job = json.loads(read(spool, "job.json"))
    (spool.folder / "job.json").write_text(json.dumps({**job, "argv": ["/nowhere/agent"]}))

    end = finish(spool)

    assert end.exit_status == 126
    assert b"cannot start the agent program" in read(spool, "stderr")


def test_a_cancel_that_came_before_the_start_starts_nothing(spool):
    prepare(spool, "print('started')")
    spool.request_cancel()

    assert finish(spool).reason == "cancelled"
    assert not spool.was_begun()
    assert read(spool, "stdout") == b""


def test_a_cancel_ends_the_agent_and_its_children(spool):
    child = "import time; time.sleep(3600)"
    prepare(
        spool,
        f"import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', {child!r}]); "
        "print(p.pid, flush=True); time.sleep(3600)",
    )
    start(spool)
    wait_until(lambda: read(spool, "stdout").endswith(b"\n"), what="the child")

    spool.request_cancel()
    wait_until(lambda: spool.exit() is not None, what="the exit file")

    assert (spool.exit().reason, spool.exit().signal) == ("cancelled", signal.SIGTERM)
    assert not Path(f"/proc/{int(read(spool, 'stdout'))}").exists()


def test_a_stubborn_agent_is_killed_after_its_grace(spool):
    prepare(
        spool,
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(3600)",
    )
    start(spool)
    wait_until(lambda: read(spool, "stdout") == b"up\n", what="the agent")

    spool.request_cancel()
    wait_until(lambda: spool.exit() is not None, what="the exit file")

    assert spool.exit().signal == signal.SIGKILL


def test_an_agent_has_a_while_to_clean_up(spool):
    source = "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(5)); print('up', flush=True); time.sleep(3600)"
    prepare(spool, source, grace_seconds=30)
    start(spool)
    wait_until(lambda: read(spool, "stdout") == b"up\n", what="the agent")

    spool.request_cancel()
    wait_until(lambda: spool.exit() is not None, what="the exit file")

    assert (spool.exit().reason, spool.exit().exit_status) == ("cancelled", 5)


def test_an_agent_is_told_once_to_end(spool):
    source = "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: print('told', flush=True)); print('up', flush=True)\nwhile True: time.sleep(3600)"
    prepare(spool, source, grace_seconds=0.3)
    start(spool)
    wait_until(lambda: read(spool, "stdout") == b"up\n", what="the agent")

    spool.request_cancel()
    wait_until(lambda: spool.exit() is not None, what="the exit file")

    assert read(spool, "stdout") == b"up\ntold\n"


def test_time_is_limited(spool):
    prepare(spool, "import time; time.sleep(3600)", timeout_seconds=0.1)

    assert finish(spool).reason == "timeout"


def test_output_is_limited(spool):
    prepare(spool, "import time; print('x' * 1000, flush=True); time.sleep(3600)", output_limit=100)

    assert finish(spool).reason == "output-limit"


def test_sigterm_to_the_supervisor_ends_the_agent_in_order(spool):
    prepare(spool, "import time; time.sleep(3600)")
    start(spool)

    os.kill(supervisor_of(spool), signal.SIGTERM)
    wait_until(lambda: spool.exit() is not None, what="the exit file")

    assert spool.exit().reason == "terminated"


def test_a_hang_up_or_an_interrupt_ends_nothing(spool, tmp_path):
    go = tmp_path / "go"
    prepare(spool, f"import pathlib, time\nwhile not pathlib.Path({str(go)!r}).exists(): time.sleep(0.01)")
    start(spool)
    for number in (signal.SIGHUP, signal.SIGINT):
        os.kill(supervisor_of(spool), number)
    go.touch()

    wait_until(lambda: spool.exit() is not None, what="the exit file")
    assert (spool.exit().reason, spool.exit().exit_status) == ("exited", 0)


def test_an_agent_is_started_once_however_many_supervisors_are(spool):
    prepare(spool, "print('once')")
    argv = [sys.executable, "-I", "-S", supervisor.__file__, str(spool.folder)]
    many = [subprocess.Popen(argv, stdout=-3, stderr=-3, start_new_session=True) for _ in range(5)]
    for each in many:
        assert each.wait() == 0
    wait_until(lambda: spool.exit() is not None, what="the exit file")

    assert start(spool) == 0
    assert read(spool, "stdout") == b"once\n"


def test_a_held_lock_keeps_a_supervisor_away(spool):
    prepare(spool, "print('started')")
    with (spool.folder / "supervisor.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert spool.is_supervised()
        assert start(spool) == 0
    assert not spool.was_begun()


def test_a_job_that_cannot_be_read_is_written_down_as_failed(spool):
    prepare(spool, "")
    (spool.folder / "job.json").write_text("{")

    end = finish(spool)

    assert end.reason == "failed"
    assert "supervisor failed" in end.message


def test_an_end_that_finds_a_full_disk_is_written_down_once_there_is_room(spool):
    prepare(spool, "")
    (spool.folder / "exit.new").symlink_to("/dev/full")

    assert start(spool) == 0
    wait_until(lambda: spool.was_begun() and spool.living_agent() is None, what="the agent's end")
    assert (spool.exit(), spool.is_supervised()) == (None, True)
    (spool.folder / "exit.new").unlink()

    wait_until(lambda: not spool.is_supervised(), what="the supervisor's end")
    assert spool.exit().exit_status == 0


def test_a_cancel_ends_the_waiting_for_room(spool):
    prepare(spool, "")
    (spool.folder / "exit.new").symlink_to("/dev/full")

    assert start(spool) == 0
    spool.request_cancel()

    wait_until(lambda: not spool.is_supervised(), what="the supervisor's end")
