"""How often Python looks for garbage while a command runs."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: Plans and states are many objects that stay: looked through as often as Python does by itself, they cost a tenth of
#: a run's CPU.
_RARELY = (50_000, 20, 20)


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Fewer collections while the block lasts; whoever calls us from Python gets their own settings back."""
    before = gc.get_threshold()
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
