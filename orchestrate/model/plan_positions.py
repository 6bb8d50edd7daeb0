"""Where in the text of a plan a value stands.

The text is known to be JSON and not deeply nested. Only the way down to the wanted values is walked here; all else is
skipped at the speed of the standard parser, so that the cost is that of parsing once more.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable

from orchestrate.model.faults import Location

_BLANKS = re.compile(r"[ \t\n\r]*")
_Wanted = dict[str | int, "_Wanted"]  # a tree: the steps that lead to wanted values


class Lines:
    """Line numbers of one text, from 1."""

    def __init__(self, text: str) -> None:
        self._ends = [found.start() for found in re.finditer("\n", text)]

    def at(self, offset: int) -> int:
        """The line that has the character at this offset."""
        return bisect_right(self._ends, offset - 1) + 1


def offsets_of(text: str, locations: Iterable[Location]) -> dict[Location, int]:
    """Where each value begins; a value that is not there takes the offset of what should contain it."""
    wanted = set(locations)
    tree: _Wanted = {}
    for location in wanted:
        branch = tree
        for step in location:
            branch = branch.setdefault(step, {})
    found = _Walk(text).down(tree)
    return {location: _deepest(found, location) for location in wanted}


def _deepest(found: dict[Location, int], location: Location) -> int:
    while location not in found:
        location = location[:-1]
    return found[location]


class _Walk:
    """One walk through the text; ``found`` grows, and where a field is repeated the last one counts."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[Location, int] = {}
        # Values are only skipped: numbers stay text, so that none is too long to convert.
        self._skip = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).raw_decode

    def down(self, wanted: _Wanted) -> dict[Location, int]:
        self._value(self._after_blanks(0), wanted, ())
        return self._found

    def _value(self, start: int, wanted: _Wanted, location: Location) -> int:
        """Note the value that begins here and what is wanted inside it; the answer is where it ends."""
        self._found[location] = start
        if wanted and self._text[start] == "{":
            return self._object(start, wanted, location)
        if wanted and self._text[start] == "[":
            return self._list(start, wanted, location)
        return self._past(start)

    def _object(self, start: int, wanted: _Wanted, location: Location) -> int:
        position = self._after_blanks(start + 1)
        while self._text[position] != "}":
            name, position = self._skip(self._text, position)
            position = self._after_blanks(self._after_blanks(position) + 1)
            position = self._member(position, name, wanted, location)
            position = self._after_comma(position)
        return position + 1

    def _list(self, start: int, wanted: _Wanted, location: Location) -> int:
        position = self._after_blanks(start + 1)
        index = 0
        while self._text[position] != "]":
            position = self._member(position, index, wanted, location)
            position = self._after_comma(position)
            index += 1
        return position + 1

    def _member(self, start: int, step: str | int, wanted: _Wanted, location: Location) -> int:
        if step in wanted:
            return self._value(start, wanted[step], (*location, step))
        return self._past(start)

    def _past(self, start: int) -> int:
        _, end = self._skip(self._text, start)
        return end

    def _after_blanks(self, position: int) -> int:
        found = _BLANKS.match(self._text, position)
        assert found is not None
        return found.end()

    def _after_comma(self, position: int) -> int:
        position = self._after_blanks(position)
        return self._after_blanks(position + 1) if self._text[position] == "," else position
