"""Errors out of task groups: the one that matters, instead of the group around it."""

from collections.abc import Iterator
from contextlib import contextmanager

from orchestrate.errors import OrchestrateError


@contextmanager
def single_errors() -> Iterator[None]:
    """Raise the error itself where a task group wrapped it: the first of ours, else the first one."""
    try:
        yield
    except BaseExceptionGroup as group:
        raise _innermost(group) from group


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        ours, _ = error.split(OrchestrateError)
        error = (ours or error).exceptions[0]
    return error
