"""Which path patterns of two tasks may match the same file.

Patterns are compared, no files are looked at: ``*`` and ``?`` stay inside one folder, ``**`` crosses folders, and a
pattern without wild cards is a file or a whole folder. In doubt the answer is "may".
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

#: Pairs of patterns that one check compares at most: a plan of 10,000 tasks must not take minutes.
MAX_COMPARISONS = 20_000

#: Patterns of so many folders are not followed to the end; they may overlap.
_MOST_POSITIONS = 10_000

_WILD = re.compile(r"[*?\[{]")
_CLASS = re.compile(r"\[[^\]]*\]|\{[^}]*\}")
_Segments = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AllowedPath:
    """A pattern that one task may change; ``task`` and ``place`` are indices in the plan."""

    task: int
    place: int
    pattern: str
    forbidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Overlaps:
    """For each task the first path that meets one of an earlier task; ``is_whole`` is False if it became too much."""

    pairs: tuple[tuple[AllowedPath, AllowedPath], ...]
    is_whole: bool


def overlaps_of(paths: Iterable[AllowedPath], *, side_by_side: Callable[[AllowedPath, AllowedPath], bool]) -> Overlaps:
    """Paths of tasks that run side by side and may match the same file, the earlier of each pair first.

    Patterns under different folders cost nothing; of the others ``MAX_COMPARISONS`` pairs are looked at.
    """
    index = _Index()
    pairs: list[tuple[AllowedPath, AllowedPath]] = []
    left = MAX_COMPARISONS
    for path in paths:
        fixed = _fixed_part(segments_of(path.pattern))
        is_told = bool(pairs) and pairs[-1][1].task == path.task
        for earlier in () if is_told else index.near(fixed):
            left -= 1
            if left < 0:
                return Overlaps(tuple(pairs), is_whole=False)
            if earlier.task != path.task and _conflict(earlier, path) and side_by_side(earlier, path):
                pairs.append((earlier, path))
                break
        index.add(fixed, path)
    return Overlaps(tuple(pairs), is_whole=True)


def may_overlap(first: str, second: str) -> bool:
    """True if some file may match both patterns."""
    return _segments_meet(segments_of(first), segments_of(second))


class _Index:
    """Paths by the folders that their patterns begin with."""

    def __init__(self) -> None:
        self._at: dict[_Segments, list[AllowedPath]] = defaultdict(list)
        self._under: dict[_Segments, list[AllowedPath]] = defaultdict(list)

    def add(self, fixed: _Segments, path: AllowedPath) -> None:
        self._at[fixed].append(path)
        for length in range(len(fixed)):
            self._under[fixed[:length]].append(path)

    def near(self, fixed: _Segments) -> Iterator[AllowedPath]:
        """Paths above, at and below this folder; no other can match a file of it."""
        for length in range(len(fixed) + 1):
            yield from self._at.get(fixed[:length], ())
        yield from self._under.get(fixed, ())


def _conflict(first: AllowedPath, second: AllowedPath) -> bool:
    if not may_overlap(first.pattern, second.pattern):
        return False
    both = (first.pattern, second.pattern)
    return not any(_covers(wide, pattern) for wide in (*first.forbidden, *second.forbidden) for pattern in both)


def _covers(wide: str, pattern: str) -> bool:
    """True if everything that the pattern matches is surely matched by the wide one."""
    outer, inner = segments_of(wide), segments_of(pattern)
    if outer == inner:
        return True
    fixed = _fixed_part(outer)
    return outer[len(fixed) :] == ("**",) and inner[: len(fixed)] == fixed


def segments_of(pattern: str) -> _Segments:
    """The folders of a pattern; the last of them always has a wild card."""
    parts = tuple(part for part in pattern.strip().split("/") if part not in ("", "."))
    if parts and _WILD.search(parts[-1]):
        return parts
    return (*parts, "**")  # a file, or all that is in the folder of that name


def _fixed_part(segments: _Segments) -> _Segments:
    return segments[: next(length for length, segment in enumerate(segments) if _WILD.search(segment))]


def _segments_meet(first: _Segments, second: _Segments) -> bool:
    """Both patterns side by side: which pairs of positions can be reached by the same path."""
    if len(first) * len(second) > _MOST_POSITIONS:
        return True
    reached = {(0, 0)}
    waiting = [(0, 0)]
    while waiting:
        place = waiting.pop()
        if place == (len(first), len(second)):
            return True
        for following in _steps(first, second, place):
            if following not in reached:
                reached.add(following)
                waiting.append(following)
    return False


def _steps(first: _Segments, second: _Segments, place: tuple[int, int]) -> Iterator[tuple[int, int]]:
    left, right = place
    here = first[left] if left < len(first) else None
    there = second[right] if right < len(second) else None
    if here == "**":
        yield left + 1, right
        if there is not None:
            yield left, right + 1
    if there == "**":
        yield left, right + 1
        if here is not None:
            yield left + 1, right
    if here is not None and there is not None and "**" not in (here, there) and _names_meet(here, there):
        yield left + 1, right + 1


def _names_meet(first: str, second: str) -> bool:
    """True if one name may match both segments: their fixed beginnings and ends must agree."""
    if not _WILD.search(first) and not _WILD.search(second):
        return first == second
    starts = _fixed_ends(first)[0], _fixed_ends(second)[0]
    ends = _fixed_ends(first)[1], _fixed_ends(second)[1]
    shortest_start, shortest_end = min(map(len, starts)), min(map(len, ends))
    same_start = starts[0][:shortest_start] == starts[1][:shortest_start]
    same_end = ends[0][len(ends[0]) - shortest_end :] == ends[1][len(ends[1]) - shortest_end :]
    return same_start and same_end


def _fixed_ends(segment: str) -> tuple[str, str]:
    parts = re.split(r"[*?\[{]", _CLASS.sub("*", segment))
    return parts[0], parts[-1]
