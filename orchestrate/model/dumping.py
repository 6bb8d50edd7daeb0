"""JSON as it is written to files."""

import json
from collections.abc import Mapping

import orjson


def dump(document: object) -> bytes:
    """JSON in one line; a lone surrogate becomes a question mark instead of an error."""
    try:
        return orjson.dumps(document)
    except TypeError:
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        return text.encode(errors="replace")


def add_extra(document: dict[str, object], extra: Mapping[str, object]) -> None:
    """Put the fields of another tool beside ours; a value that we could not read stands until we know a better one."""
    for key, value in extra.items():
        if document.get(key) is None:
            document[key] = value
