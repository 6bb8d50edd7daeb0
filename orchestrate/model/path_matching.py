"""Which files a path pattern of a plan matches, read as ``model.path_overlap`` reads it."""

import re
from functools import cached_property

from orchestrate.model.path_overlap import segments_of

_SPECIAL = re.compile(r"\*+|\?|\[[!^]?\]?[^\]]*\]|\{[^{}]*\}")


class PathPattern:
    """A pattern, made ready to be asked about many files.

    ``*`` and ``?`` stay inside one folder, ``**`` crosses folders, ``[a-z]`` is one of these letters, ``{a,b}`` is one
    of these texts, and a pattern without any of them is a file or all that is in the folder of that name.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def matches(self, path: str) -> bool:
        """True if this file, relative to the repository, is meant."""
        names = path.split("/")
        places = self._reachable({0})
        for name in names:
            places = self._reachable({following for place in places for following in self._after(place, name)})
        return len(self._segments) in places

    def _after(self, place: int, name: str) -> tuple[int, ...]:
        """Where in the pattern one may be once this name was read."""
        if place == len(self._segments):
            return ()
        segment = self._segments[place]
        if segment is None:
            return (place,)
        return (place + 1,) if segment.fullmatch(name) else ()

    def _reachable(self, places: set[int]) -> set[int]:
        """The same places, and those behind each ``**``, which may stand for no folder at all."""
        found = set(places)
        for place in sorted(places):
            following = place
            while following < len(self._segments) and self._segments[following] is None:
                following += 1
                found.add(following)
        return found

    @cached_property
    def _segments(self) -> tuple[re.Pattern[str] | None, ...]:
        """One expression a folder; None is ``**``."""
        return tuple(None if segment == "**" else _expression(segment) for segment in segments_of(self.pattern))


def _expression(segment: str) -> re.Pattern[str]:
    parts, end = [], 0
    for found in _SPECIAL.finditer(segment):
        parts += [re.escape(segment[end : found.start()]), _translated(found.group())]
        end = found.end()
    text = "".join([*parts, re.escape(segment[end:])])
    try:
        return re.compile(text, re.DOTALL)
    except re.error:  # a class that is none, such as [z-a]: it is the text that it looks like
        return re.compile(re.escape(segment))


def _translated(special: str) -> str:
    match special[0]:
        case "*":
            return ".*"
        case "?":
            return "."
        case "{":
            return f"(?:{'|'.join(map(_inner, special[1:-1].split(',')))})"
        case _:
            inner = special[1:-1].replace("\\", "\\\\").replace("[", "\\[")
            return f"[^{inner[1:]}]" if inner[:1] in ("!", "^") else f"[{inner}]"


def _inner(text: str) -> str:
    """An alternative, in which wild cards may stand."""
    return _expression(text).pattern
