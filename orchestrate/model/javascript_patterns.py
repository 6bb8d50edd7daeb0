r"""Regular expressions as JavaScript writes them, which is how plans write them, in the words of the ``regex`` library.

The two differ in what ``^ $ . \d \w \s \b`` mean, in the names of groups, in back references to groups that took
nothing, and in what a brace, a bracket or an escaped letter stands for. What cannot be said alike is refused with the
reason. One difference stays: JavaScript forgets what a group took when the loop around it goes round again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from orchestrate.model.javascript_classes import ANY, character_class
from orchestrate.model.javascript_escapes import (
    LINE_ENDS,
    SETS,
    WORD,
    PatternRefused,
    Source,
    character,
    character_property,
    digits,
)

#: Every flag of JavaScript but ``v``. ``g`` and ``d`` change nothing about the first match.
FLAG_LETTERS = frozenset("dgimsuy")
#: Limits on what a pattern may take of the memory: the library writes counted repetitions out.
LONGEST_PATTERN = 2000
DEEPEST_GROUP = 20
MOST_REPETITIONS = 1000
MOST_REPETITIONS_IN_ALL = 10_000

_WORD_EDGE = rf"(?:(?<=[{WORD}])(?![{WORD}])|(?<![{WORD}])(?=[{WORD}]))"
_NO_WORD_EDGE = rf"(?:(?<=[{WORD}])(?=[{WORD}])|(?<![{WORD}])(?![{WORD}]))"
_BRACES = re.compile(r"(?P<least>[0-9]+)(?P<comma>,(?P<most>[0-9]*))?\}")
_GROUP_NAME = re.compile(r"<([A-Za-z_$][\w$]{0,63})>")
_NAMED_GROUP = re.compile(rf"\(\?{_GROUP_NAME.pattern}")


@dataclass(frozen=True, slots=True)
class TranslatedPattern:
    """A pattern for ``regex``; all its flags but these are part of the text."""

    text: str
    ignores_case: bool
    #: Flag ``y``: it must match where the text begins.
    is_sticky: bool


def check_flags(flags: str) -> None:
    """Refuse flags that JavaScript refuses, and ``v``, whose sets are another language."""
    if "v" in flags:
        raise PatternRefused('has "v", which is not supported; write the pattern for "u"')
    if not FLAG_LETTERS.issuperset(flags):
        raise PatternRefused(f'must be letters out of "{"".join(sorted(FLAG_LETTERS))}"')
    if len(set(flags)) != len(flags):
        raise PatternRefused("has a letter twice")


def translate(pattern: str, *, flags: str = "") -> TranslatedPattern:
    """The same search in the words of ``regex``; refused if it cannot be said there or could cost too much."""
    check_flags(flags)
    if len(pattern) > LONGEST_PATTERN:
        raise PatternRefused(f"the pattern is longer than {LONGEST_PATTERN} characters")
    text = _Translation(Source(pattern, flags)).whole()
    return TranslatedPattern(text=text, ignores_case="i" in flags, is_sticky="y" in flags)


@dataclass(slots=True)
class _Group:
    """An open group; ``repetitions`` is how often its inside is written out."""

    is_look: bool = False
    repetitions: int = 1


@dataclass(slots=True)
class _Translation:
    """Where the reading stands; ``written`` holds a piece for each atom or sign."""

    source: Source
    written: list[str] = field(default_factory=list)
    groups: list[_Group] = field(default_factory=lambda: [_Group()])
    #: The groups that take something: their number by name, and how many there are.
    names: dict[str, int] = field(default_factory=dict)
    group_count: int = 0
    #: How often the last atom is written out; 0 when there is none that could be repeated.
    last: int = 0
    repetitions: int = 0

    def whole(self) -> str:
        self.names, self.group_count = _taking_groups(self.source.text)
        while not self.source.is_at_end:
            self._step(self.source.take())
        if len(self.groups) > 1:
            raise PatternRefused("a ( is never closed")
        return "".join(self.written)

    def _step(self, letter: str) -> None:
        match letter:
            case "(":
                self._open()
            case ")":
                self._close()
            case "[":
                self._atom(character_class(self.source))
            case "\\":
                self._escape(self.source.take_escaped())
            case "*" | "+" | "?":
                self._repeat(letter, times=1)
            case "{":
                self._brace()
            case "." | "^" | "$" | "|":
                self._sign(letter)
            case _:
                self._atom(re.escape(letter))

    def _sign(self, letter: str) -> None:
        flags = self.source.flags
        match letter:
            case ".":
                self._atom(ANY if "s" in flags else f"[^{LINE_ENDS}]")
            case "^":
                self._edge(f"(?<![^{LINE_ENDS}])" if "m" in flags else r"\A")
            case "$":
                self._edge(f"(?![^{LINE_ENDS}])" if "m" in flags else r"\Z")
            case _:
                self._edge(letter)

    def _atom(self, text: str) -> None:
        self.written.append(text)
        self.last = 1

    def _edge(self, text: str) -> None:
        self.written.append(text)
        self.last = 0

    def _open(self) -> None:
        if len(self.groups) > DEEPEST_GROUP:
            raise PatternRefused(f"groups are nested deeper than {DEEPEST_GROUP}")
        opening = self._opening()
        self.groups.append(_Group(is_look=opening not in ("(", "(?:")))
        self._edge(opening)

    def _opening(self) -> str:
        sign = next((sign for sign in ("?:", "?=", "?!", "?<=", "?<!") if self.source.take_if(sign)), None)
        if sign is not None:
            return f"({sign}"
        if self.source.take_if("?") and self.source.take_match(_GROUP_NAME) is None:
            start = self.source.at
            raise PatternRefused(f"(?{self.source.text[start : start + 1]} begins no group of JavaScript")
        return "("

    def _close(self) -> None:
        if len(self.groups) == 1:
            raise PatternRefused("a ) closes nothing")
        group = self.groups.pop()
        self._edge(")")
        self._count(group.repetitions)
        self.last = 0 if group.is_look else group.repetitions

    def _count(self, repetitions: int) -> None:
        self.groups[-1].repetitions = max(self.groups[-1].repetitions, repetitions)

    def _brace(self) -> None:
        braces = self.source.take_match(_BRACES)
        if braces is None and "u" in self.source.flags:
            raise PatternRefused("with the flag u a { must be escaped")
        if braces is None:
            self._atom(r"\{")
            return
        least = _bounded(braces["least"])
        most = least if braces["comma"] is None else _bounded(braces["most"]) if braces["most"] else None
        if most is not None and most < least:
            raise PatternRefused(f"{{{braces.group()} has its numbers the wrong way round")
        self._repeat(f"{{{least},{'' if most is None else most}}}", times=max(least, most or 0, 1))

    def _repeat(self, sign: str, *, times: int) -> None:
        if not self.last:
            raise PatternRefused(f"{sign} repeats nothing")
        self.repetitions += self.last * times if times > 1 else 0
        if self.repetitions > MOST_REPETITIONS_IN_ALL:
            raise PatternRefused(f"its counted repetitions come to more than {MOST_REPETITIONS_IN_ALL} in all")
        self._count(self.last * times)
        self._edge(f"{sign}?" if self.source.take_if("?") else sign)

    def _escape(self, letter: str) -> None:
        if letter in "bB":
            self._edge(_WORD_EDGE if letter == "b" else _NO_WORD_EDGE)
        elif letter in "dws":
            self._atom(f"[{SETS[letter]}]")
        elif letter in "DWS":
            self._atom(f"[^{SETS[letter.lower()]}]")
        elif letter in "123456789":
            self._refer(int(letter + digits(self.source)))
        elif letter == "k":
            self._refer_by_name()
        elif letter in "pP":
            self._atom(character_property(self.source, letter))
        else:
            self._atom(re.escape(character(self.source, letter)))

    def _refer_by_name(self) -> None:
        name = self.source.take_match(_GROUP_NAME)
        if name is None or name[1] not in self.names:
            raise PatternRefused(r"\k names no group of the pattern")
        self._refer(self.names[name[1]])

    def _refer(self, number: int) -> None:
        """What a group took; nothing, where it took nothing."""
        if number > self.group_count:
            raise PatternRefused(f"\\{number} refers to a group that is not there")
        self._atom(rf"(?({number})(?:\{number})|)")


def _bounded(written: str) -> int:
    number = int(written[:10])
    if number > MOST_REPETITIONS:
        raise PatternRefused(f"it repeats something more than {MOST_REPETITIONS} times")
    return number


def _taking_groups(pattern: str) -> tuple[dict[str, int], int]:
    names: dict[str, int] = {}
    count = 0
    for place in _parentheses(pattern):
        name = _NAMED_GROUP.match(pattern, place)
        if name is None and pattern.startswith("(?", place):
            continue
        count += 1
        if name is not None and names.setdefault(name[1], count) != count:
            raise PatternRefused(f"two groups are called {name[1]}")
    return names, count


def _parentheses(pattern: str) -> Iterator[int]:
    """Where groups open, outside brackets and escapes."""
    is_escaped = in_class = False
    for place, letter in enumerate(pattern):
        if is_escaped or letter == "\\":
            is_escaped = not is_escaped
        elif in_class:
            in_class = letter != "]"
        elif letter == "[":
            in_class = True
        elif letter == "(":
            yield place
