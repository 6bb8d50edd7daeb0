"""Events as the journal tells them: plain values under the name of the event."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

from orchestrate.core.events import Event


def facts_of(event: Event) -> Mapping[str, object]:
    """The event as plain values for the journal; a plan is left out, it has its own file, and so is a definition, which is in its row."""
    return {"type": type(event).__name__, **_plain_fields(event, left_out=("at", "plan", "definition"))}


def _plain_fields(record: object, *, left_out: tuple[str, ...] = ()) -> dict[str, object]:
    assert is_dataclass(record)
    values = ((item.name, getattr(record, item.name)) for item in fields(record) if item.name not in left_out)
    return {name: _plain(value) for name, value in values if value not in (None, "", (), False, {})}


def _plain(value: object) -> object:
    if is_dataclass(value):
        return _plain_fields(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value
