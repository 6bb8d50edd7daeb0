"""Pieces of JSON schemas: fields that each have a sentence and an example."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

Schema = dict[str, Any]

EXAMPLE_MOMENT = "2026-03-04T14:31:36.123Z"


def named(description: str, fields: Schema, *, required: tuple[str, ...] = ()) -> Schema:
    """An object with what it stands for."""
    return {"description": description, **object_of(fields, required=required)}


def object_of(fields: Schema, *, required: tuple[str, ...]) -> Schema:
    """An object with these fields; others are allowed."""
    made: Schema = {"type": "object", "properties": fields}
    return {**made, "required": list(required)} if required else made


def field(schema: Mapping[str, object], description: str, example: object) -> Schema:
    """A field with its sentence and an example."""
    return {**schema, "description": description, "examples": [example]}


def text(description: str, example: str) -> Schema:
    """A field with text or nothing."""
    return field({"type": ["string", "null"]}, description, example)


def moment(description: str) -> Schema:
    """A field with a moment or nothing."""
    return text(description, EXAMPLE_MOMENT)


def whole_number(description: str, example: int, *, least: int) -> Schema:
    """A field with a whole number."""
    return field({"type": "integer", "minimum": least}, description, example)


def word(words: type[StrEnum], description: str, example: StrEnum) -> Schema:
    """A field with one of these words or nothing."""
    return field({"enum": [*(word.value for word in words), None]}, description, example.value)


def or_null(schema: Schema) -> Schema:
    """The same, or nothing."""
    return {"anyOf": [schema, {"type": "null"}]}
