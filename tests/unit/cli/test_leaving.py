"""Signals that mean "leave", and readers that are gone, in a process of their own."""

import os
import signal
import subprocess
import sys

import pytest

_INTERRUPTED = """
import os, signal, sys
from orchestrate.cli.leaving import signals_interrupt
former = signal.getsignal({number})
try:
    with signals_interrupt():
        os.kill(os.getpid(), {number})
        signal.pause() if {number} != signal.SIGHUP else None
        print("went on")
except KeyboardInterrupt:
    print("interrupted")
print(signal.getsignal({number}) is former)
"""
_IN_A_LOOP = """
import os, signal, anyio
from orchestrate.cli.leaving import signals_interrupt
async def main():
    try:
        os.kill(os.getpid(), {number})
        await anyio.sleep_forever()
    finally:
        print("left in good order")
try:
    with signals_interrupt():
        anyio.run(main)
except KeyboardInterrupt:
    print("interrupted")
"""
_LOST = """
import sys
from orchestrate.cli.leaving import let_go_of_lost_readers
sys.stdout.write("text")
let_go_of_lost_readers()
sys.exit(3)
"""


def python(source: str, *prefix: str) -> list[str]:
    return subprocess.run(
        [*prefix, sys.executable, "-c", source], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_event_loop_is_cancelled_and_not_broken_off(number) -> None:
    """Raised in the loop's own work, an interrupt of ours once left it waiting for ever."""
    assert python(_IN_A_LOOP.format(number=int(number))) == ["left in good order", "interrupted"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_every_leaving_signal_interrupts_and_is_given_back(number) -> None:
    assert python(_INTERRUPTED.format(number=int(number))) == ["interrupted", "True"]


def test_under_nohup_a_lost_terminal_is_no_reason_to_leave() -> None:
    assert python(_INTERRUPTED.format(number=int(signal.SIGHUP)), "nohup") == ["went on", "True"]


def test_a_ctrl_c_that_a_shell_took_from_background_jobs_counts() -> None:
    source = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{_INTERRUPTED.format(number=2)}"

    assert python(source) == ["interrupted", "True"]


def test_lost_readers_do_not_change_the_exit_code() -> None:
    read, write = os.pipe()
    os.close(read)
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    process = subprocess.run([sys.executable, "-c", _LOST], stdout=write, stderr=write, env=buffered, check=False)
    os.close(write)

    assert process.returncode == 3
