r"""A pattern as it is read letter by letter, and what an escape in it stands for in JavaScript."""

import re
from dataclasses import dataclass

LINE_ENDS = r"\n\r\u2028\u2029"
WORD = "a-zA-Z0-9_"
#: The insides of character classes.
SETS = {
    "d": "0-9",
    "w": WORD,
    "s": r"\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
}
_CONTROLS = {"t": "\t", "n": "\n", "v": "\x0b", "f": "\x0c", "r": "\r", "0": "\0"}
_DIGITS = re.compile(r"[0-9]{0,10}")
_HEX = {"x": re.compile(r"[0-9A-Fa-f]{2}"), "u": re.compile(r"[0-9A-Fa-f]{4}")}
_LONG_HEX = re.compile(r"\{([0-9A-Fa-f]{1,6})\}")
_LOW_HALF = re.compile(r"\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)
_HIGH_HALVES = range(0xD800, 0xDC00)
_PROPERTY = re.compile(r"\{[A-Za-z_]{1,40}(?:=[A-Za-z_]{1,40})?\}")
_LAST_CHARACTER = 0x10FFFF


class PatternRefused(ValueError):
    """The pattern or its flags cannot be used; the message says why."""


@dataclass(slots=True)
class Source:
    """The pattern, its flags, and how far it was read."""

    text: str
    flags: str
    at: int = 0

    @property
    def is_at_end(self) -> bool:
        """True when there is nothing left."""
        return self.at >= len(self.text)

    def take(self) -> str:
        """The next letter."""
        self.at += 1
        return self.text[self.at - 1]

    def take_escaped(self) -> str:
        """The letter behind a backslash."""
        if self.is_at_end:
            raise PatternRefused("it ends with a lone backslash")
        return self.take()

    def take_if(self, sign: str) -> bool:
        """True, and behind it, if the sign comes next."""
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) if found else 0
        return found

    def take_match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What the pattern finds right here, and behind it."""
        match = pattern.match(self.text, self.at)
        self.at = self.at if match is None else match.end()
        return match


def digits(source: Source) -> str:
    """The digits that come next, at most ten of them."""
    match = source.take_match(_DIGITS)
    return "" if match is None else match.group()


def character_property(source: Source, letter: str) -> str:
    r"""``\p{...}`` or ``\P{...}``; the library knows the same properties and refuses others."""
    if "u" not in source.flags:
        raise PatternRefused(rf"\{letter} needs the flag u")
    name = source.take_match(_PROPERTY)
    if name is None:
        raise PatternRefused(rf"\{letter} is not followed by a property in braces")
    return rf"\{letter}{name.group()}"


def character(source: Source, letter: str) -> str:
    """What an escape stands for; a letter that means nothing is refused: it is a mistake."""
    if letter == "0" and source.text[source.at : source.at + 1].isdigit():
        raise PatternRefused("octal escapes are not supported")
    if letter in _CONTROLS:
        return _CONTROLS[letter]
    if letter == "c":
        return _control(source)
    if letter in _HEX:
        return chr(_hex_code(source, letter))
    if letter.isascii() and letter.isalnum():
        raise PatternRefused(rf"\{letter} means nothing in JavaScript")
    return letter


def _control(source: Source) -> str:
    letter = source.take_escaped()
    if not (letter.isascii() and letter.isalpha()):
        raise PatternRefused(r"\c is not followed by a letter")
    return chr(ord(letter) % 32)


def _hex_code(source: Source, letter: str) -> int:
    long = source.take_match(_LONG_HEX) if letter == "u" and "u" in source.flags else None
    if long is not None:
        code = int(long[1], 16)
        if code > _LAST_CHARACTER:
            raise PatternRefused(f"there is no character {long[1]}")
        return code
    number = source.take_match(_HEX[letter])
    if number is None:
        raise PatternRefused(rf"\{letter} is not followed by its digits")
    return _whole(source, int(number.group(), 16))


def _whole(source: Source, code: int) -> int:
    r"""``\ud83d\ude00`` is one character."""
    low = source.take_match(_LOW_HALF) if code in _HIGH_HALVES else None
    return code if low is None else 0x10000 + (code - 0xD800) * 0x400 + int(low[1], 16) - 0xDC00
