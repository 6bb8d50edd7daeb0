"""The andon as others publish it: read without trust, for it comes from a repository that many may push to."""

import re

import orjson

from orchestrate.model.names import Timestamp
from orchestrate.model.rows import Andon

#: Longest text that is taken from it.
LONGEST_TEXT = 500
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z")


def published_andon(data: bytes) -> Andon | None:
    """The andon in a published state; None for one that was never raised. ValueError for what is no state."""
    document = orjson.loads(data)
    if not isinstance(document, dict) or not isinstance(document.get("tasks"), list):
        raise ValueError("it is no state")
    value = document.get("andon")
    return None if value is None else _andon(value)


def raised_andon(data: bytes) -> Andon:
    """What a planner has raised; ValueError for what is none."""
    andon = _andon(orjson.loads(data))
    if not andon.is_raised:
        raise ValueError("it is not raised")
    return andon


def encode_raised(andon: Andon) -> bytes:
    """What a planner raises, for the others."""
    return orjson.dumps({"raisedAt": andon.raised_at, "raisedBy": andon.raised_by, "reason": andon.reason})


def _andon(value: object) -> Andon:
    if not isinstance(value, dict):
        raise ValueError("the andon is no object")
    cleared = value.get("cleared")
    if cleared not in (None, True, False):
        raise ValueError("cleared is neither true nor false")
    return Andon(
        raised_at=_moment(value, "raisedAt"),
        raised_by=_text(value, "raisedBy"),
        reason=_text(value, "reason"),
        cleared=bool(cleared),
        cleared_at=_moment(value, "clearedAt"),
        cleared_by=_text(value, "clearedBy"),
        clear_note=_text(value, "clearNote"),
    )


def _moment(value: dict[str, object], key: str) -> Timestamp | None:
    moment = value.get(key)
    if moment is None:
        return None
    if not isinstance(moment, str) or not _MOMENT.fullmatch(moment):
        raise ValueError(f"{key} is no moment")
    return Timestamp(moment)


def _text(value: dict[str, object], key: str) -> str | None:
    text = value.get(key)
    if text is None:
        return None
    if not isinstance(text, str):
        raise ValueError(f"{key} is no text")
    printable = "".join(each if each.isprintable() else " " for each in text)
    return printable[:LONGEST_TEXT]
