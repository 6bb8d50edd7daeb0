"""Reading a plan: from bytes, text or a mapping to plain JSON values, and what JSON itself forbids in it.

Nothing here knows what a plan is. Whatever comes in, the answer is a ``Reading``; nothing raises. Text is measured
for its depth before a recursive parser sees it, and a mapping that contains itself is cut.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orchestrate.model.faults import Location, Problem, quoted

#: Deepest nesting of objects and lists; a plan needs six.
MAX_DEPTH = 100

#: Longest number that is worth converting; Python refuses to convert very long ones.
_LONGEST_NUMBER = 400
_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"
_TOO_LONG_NUMBER = "a number of this length cannot be used"
#: Strings are skipped as a whole, to the end of the text where one is not closed.
_BRACKETS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{\]}]', re.DOTALL)
_NEEDS_A_LOOK = re.compile(r"\\u0000|\\u[dD][89abAB]|[\x00\ud800-\udfff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Unusable:
    """Stands where the source has a value that JSON has no room for; one problem was reported for it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The plain value (None if there is none to speak of), the text for line numbers, and the problems so far."""

    value: object = None
    text: str | None = None
    problems: tuple[Problem, ...] = ()


class _Repeating(dict[str, object]):
    """An object of the file in which some field names stand more than once."""

    repeated: tuple[str, ...] = ()


def read_source(source: object) -> Reading:
    """What the source says, as dicts, lists, strings, numbers, booleans and None."""
    match source:
        case bytes() | bytearray():
            return _read_bytes(bytes(source))
        case str():
            return _read_text(source.removeprefix("\ufeff"))
        case Mapping():
            value = _plain(source, depth=1, seen={})
            return Reading(value=value, problems=tuple(_problems_within(value)))
        case _:
            return Reading(problems=(Problem((), "a plan is text, bytes or a mapping"),))


def walk(value: object) -> Iterator[tuple[Location, object]]:
    """Every value with its location, in the order of the document; a shared container is visited once."""
    waiting: list[tuple[Location, object]] = [((), value)]
    seen: set[int] = set()
    while waiting:
        location, current = waiting.pop()
        yield location, current
        if not isinstance(current, dict | list) or id(current) in seen:
            continue
        seen.add(id(current))
        items = current.items() if isinstance(current, dict) else enumerate(current)
        waiting.extend(reversed([((*location, step), child) for step, child in items]))


def _read_bytes(source: bytes) -> Reading:
    try:
        return _read_text(source.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        good = source[: error.start].decode("utf-8", "replace")
        message = f"not UTF-8: byte 0x{source[error.start]:02x} at position {error.start}"
        return Reading(text=good, problems=(Problem((), message, offset=len(good)),))


def _read_text(text: str) -> Reading:
    if not text.strip():
        return Reading(text=text, problems=(Problem((), "not JSON: there is nothing in it", offset=0),))
    too_deep = _offset_of_too_deep(text)
    if too_deep is not None:
        return Reading(text=text, problems=(Problem((), _TOO_DEEP, offset=too_deep),))
    oddities: list[str] = []
    try:
        value = _decoder(oddities).decode(text)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]} (column {error.colno})"
        return Reading(text=text, problems=(Problem((), message, offset=error.pos),))
    needs_a_look = oddities or _NEEDS_A_LOOK.search(text)
    return Reading(value=value, text=text, problems=tuple(_problems_within(value)) if needs_a_look else ())


def _offset_of_too_deep(text: str) -> int | None:
    depth = 0
    for found in _BRACKETS.finditer(text):
        match found.group()[0]:
            case "{" | "[":
                depth += 1
            case "}" | "]":
                depth -= 1
        if depth > MAX_DEPTH:
            return found.start()
    return None


def _decoder(oddities: list[str]) -> json.JSONDecoder:
    """A decoder that notes in ``oddities`` that it met something worth a look at the whole."""

    def to_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
        plain = dict(pairs)
        if len(plain) == len(pairs):
            return plain
        repeating = _Repeating(plain)
        counted = Counter(name for name, _ in pairs)
        repeating.repeated = tuple(name for name, count in counted.items() if count > 1)
        oddities.append("repeated")
        return repeating

    def to_number(digits: str) -> object:
        if len(digits) <= _LONGEST_NUMBER:
            return int(digits)
        oddities.append("number")
        return Unusable(_TOO_LONG_NUMBER)

    def to_constant(word: str) -> object:
        oddities.append("constant")
        return Unusable(f"{word} is not JSON")

    return json.JSONDecoder(object_pairs_hook=to_object, parse_int=to_number, parse_constant=to_constant)


def _problems_within(value: object) -> Iterator[Problem]:
    for location, current in walk(value):
        match current:
            case Unusable(reason=reason):
                yield Problem(() if reason is _TOO_DEEP else location, reason)
            case str():
                yield from _problems_of_text(location, current)
            case dict():
                for name in current:
                    yield from _problems_of_text((*location, name), name)
                if isinstance(current, _Repeating):
                    for name in current.repeated:
                        yield Problem((*location, name), "this field is there more than once")


def _problems_of_text(location: Location, text: str) -> Iterator[Problem]:
    if "\0" in text:
        yield Problem(location, "has a NUL character in it")
    half = _SURROGATE.search(text)
    if half is not None:
        yield Problem(location, f"has half of a character in it ({quoted(half.group())}, a lone surrogate)")


def _plain(value: object, *, depth: int, seen: dict[int, object]) -> object:
    """The value with nothing but exact JSON types in it; ``seen`` keeps shared parts shared and cuts cycles."""
    match value:
        case None | bool():
            return value
        case str():
            return str.__str__(value)
        case int():
            return int.__int__(value) if value.bit_length() <= _LONGEST_NUMBER else Unusable(_TOO_LONG_NUMBER)
        case float():
            return float.__float__(value) if math.isfinite(value) else Unusable(f"{float.__repr__(value)} is not JSON")
        case Mapping() | list() | tuple():
            return _plain_container(value, depth=depth, seen=seen)
        case _:
            return Unusable(f"a value of the type {type(value).__name__} is not JSON")


def _plain_container(
    value: Mapping[object, object] | list[object] | tuple[object, ...], *, depth: int, seen: dict[int, object]
) -> object:
    if depth > MAX_DEPTH:
        return Unusable(_TOO_DEEP)
    if id(value) not in seen:
        seen[id(value)] = Unusable("contains itself")
        if isinstance(value, Mapping):
            pairs = [_plain_pair(name, child, depth=depth, seen=seen) for name, child in value.items()]
            seen[id(value)] = dict(pairs)
        else:
            seen[id(value)] = [_plain(child, depth=depth + 1, seen=seen) for child in value]
    return seen[id(value)]


def _plain_pair(name: object, child: object, *, depth: int, seen: dict[int, object]) -> tuple[str, object]:
    if isinstance(name, str):
        return str.__str__(name), _plain(child, depth=depth + 1, seen=seen)
    kind = type(name).__name__
    return f"({kind})", Unusable(f"a field name is text, not a value of the type {kind}")
