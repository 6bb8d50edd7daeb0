"""Leaving a run early: the signals that mean it, and readers that are gone.

SIGINT, SIGTERM and SIGHUP mean the same from the first line of a command to its last. While an engine lives, the first
one has it save and leave, and a second one leaves at once; before and after they do what Ctrl-C does in any program.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import anyio

from orchestrate.core.events import StopReason

if TYPE_CHECKING:
    from orchestrate.engine.assembly import Engine


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """While no engine lives, every signal that means "leave" does what Ctrl-C does: it ends in KeyboardInterrupt."""
    former = {number: signal.signal(number, _interrupts(number)) for number in _leaving_signals()}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


async def obey_signals(engine: "Engine") -> None:
    """The first signal saves and leaves; a second one leaves at once."""
    with anyio.open_signal_receiver(*_leaving_signals()) as signals:
        count = 0
        async for _ in signals:
            count += 1
            engine.stop(StopReason.INTERRUPT)
            if count > 1:
                raise KeyboardInterrupt


def let_go_of_lost_readers() -> None:
    """What nobody reads any more is dropped, so that it does not become the command's exit code."""
    for stream, descriptor in ((sys.stdout, 1), (sys.stderr, 2)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _interrupts(number: signal.Signals) -> Callable[[int, FrameType | None], object]:
    """The handler. An event loop has its own for SIGINT, which cancels in good order; the others are handed to it.

    Raised in the middle of the loop's own work, an interrupt would leave it waiting for ever.
    """
    if number == signal.SIGINT:
        return signal.default_int_handler
    return lambda _number, _frame: signal.raise_signal(signal.SIGINT)


def _leaving_signals() -> tuple[signal.Signals, ...]:
    """The signals to leave at; whoever started us with nohup wants us to outlive the terminal."""
    is_nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return (signal.SIGINT, signal.SIGTERM) if is_nohup else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
