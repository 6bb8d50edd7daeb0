"""What others said loses its secrets: every text of an event, however deep, except names that things are found by."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from typing import TypeVar

from orchestrate.text.redaction import Redactor

#: Ids, names of our own, moments and places: never anybody's words.
_NAMES = frozenset(
    {
        "at", "id", "task", "tasks", "agent_id", "run_id", "request", "engine", "effect", "path", "digest", "branch",
        "placeholder", "idempotency_key", "key", "plan", "state", "row", "rows", "timer", "paths", "sha", "head_sha",
        "newest", "found", "message_id", "refs",
    }
)  # fmt: skip
_DEPTH = 6

Told = TypeVar("Told")


def without_secrets(told: Told, redactor: Redactor) -> Told:
    """The same value where nothing was found, else a copy."""
    return _redacted(told, redactor, _DEPTH)  # type: ignore[return-value]  # of the same type


def _redacted(value: object, redactor: Redactor, depth: int) -> object:
    if isinstance(value, str):
        return value if isinstance(value, Enum) else redactor.redact(value)
    if depth == 0:
        return value
    if isinstance(value, tuple):
        items = tuple(_redacted(item, redactor, depth - 1) for item in value)
        return value if items == value else items
    if isinstance(value, Mapping):
        pairs = {key: _redacted(item, redactor, depth - 1) for key, item in value.items()}
        return pairs if pairs != dict(value) else value
    if is_dataclass(value) and not isinstance(value, type):
        return _dataclass_redacted(value, redactor, depth)
    return value


def _dataclass_redacted(value: object, redactor: Redactor, depth: int) -> object:
    changed = {}
    for name in _words_of(type(value)):  # type: ignore[arg-type]  # a class is hashable
        said = getattr(value, name)
        redacted = _redacted(said, redactor, depth - 1)
        if redacted is not said and redacted != said:
            changed[name] = redacted
    return replace(value, **changed) if changed else value  # type: ignore[type-var]  # a dataclass


@cache
def _words_of(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.init and field.name not in _NAMES)
