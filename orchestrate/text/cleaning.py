"""A message as a person sees it: without what terminals, editors and models leave in it invisibly."""

import re

#: Colours, cursor moves, window titles and hyperlinks of terminals. Possessive: no input can make it look twice.
_ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90])[^\x07\x1b\x9c]*+(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*+[0-~]"
)
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
#: Zero-width and bidi characters, soft hyphen, variation selectors, byte order mark.
_INVISIBLE = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
_DROPPED = re.compile(f"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f{_INVISIBLE}]")
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_HYPHENS = re.compile("[\u2010\u2011\ufe63\uff0d]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def readable(text: str) -> str:
    r"""The text with ``\\n`` line ends, plain spaces and hyphens, and nothing invisible in it; linear time."""
    text = _ESCAPE_SEQUENCE.sub("", text)
    text = _LINE_ENDS.sub("\n", text)
    text = _DROPPED.sub("", text)
    if text.isascii():
        return text
    text = _SPACES.sub(" ", text)
    text = _HYPHENS.sub("-", text)
    return _LONE_SURROGATE.sub("\ufffd", text)


def excerpt(text: str, *, limit: int = 80) -> str:
    """One line of the text for a note, cut where it is long."""
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
