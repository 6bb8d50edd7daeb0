"""Foreign text made safe to print: control and bidi characters are shown, not obeyed."""

import re

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\ufffb]"
)

_LAST_OF_ONE_BYTE = 0xFF


def escape_for_terminal(text: str, *, keep_newlines: bool = False) -> str:
    r"""The text with ``\x1b``, ``\u202e`` and their like spelled out; a line end is kept only if asked for."""
    if keep_newlines:
        return "\n".join(_UNSAFE.sub(_spelled, line) for line in text.split("\n"))
    return _UNSAFE.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    character = ord(match.group())
    named = {0x09: r"\t", 0x0A: r"\n", 0x0D: r"\r"}.get(character)
    if named is not None:
        return named
    return f"\\x{character:02x}" if character <= _LAST_OF_ONE_BYTE else f"\\u{character:04x}"
