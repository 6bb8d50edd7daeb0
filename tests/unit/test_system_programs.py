"""Programs that ``orchestrate.system`` runs and waits for."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from orchestrate.system import run_in_foreground, run_to_end

PROJECT = Path(__file__).parents[2]


def test_a_program_is_run_to_its_end_with_the_given_environment_and_no_input(tmp_path):
    script = "import os, sys; print(sys.stdin.read() == '', sorted(os.environ)); sys.exit('why')"

    status, output = run_to_end([sys.executable, "-I", "-c", script], env={"ONLY": "this"}, cwd=tmp_path)

    assert status == 1
    assert "True" in output
    assert "'ONLY'" in output
    assert "'PATH'" not in output
    assert "why" in output


def test_the_exit_status_of_a_program_in_the_foreground_is_answered():
    assert run_in_foreground([sys.executable, "-c", "raise SystemExit(100)"]) == 100


def test_a_signal_that_ended_the_program_is_answered_as_shells_do():
    script = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"

    assert run_in_foreground([sys.executable, "-c", script]) == 128 + signal.SIGKILL


def test_what_happens_on_sigterm_and_afterwards_is_the_programs_to_say():
    before = signal.getsignal(signal.SIGTERM)
    script = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
        "os.kill(os.getppid(), signal.SIGTERM)\n"
        "signal.pause()"
    )

    assert run_in_foreground([sys.executable, "-c", script]) == 7
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_ctrl_c_is_left_to_the_program():
    inner = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, lambda *_: sys.exit(130))\n"
        "os.killpg(0, signal.SIGINT)\n"
        "signal.pause()"
    )
    outer = (
        f"from orchestrate.system import run_in_foreground as run\nprint(run([{sys.executable!r}, '-c', {inner!r}]))"
    )

    done = subprocess.run(
        [sys.executable, "-c", outer],
        cwd=PROJECT,
        env=dict(os.environ),
        start_new_session=True,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout == "130\n", done.stderr
