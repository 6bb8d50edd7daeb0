"""Layouts that a person reads and markdown does not know: thoughts before the message, drawn boxes, HTML tables, tabs."""

import re

_THOUGHTS = re.compile(r"\s*<(thinking|think|reasoning|scratchpad|analysis)>")
_BORDER = re.compile(r"[ \t]*\+(?:[-=]{1,200}\+){1,20}[ \t]*\Z")
_TABLE_ROW = re.compile(
    r"<tr(?:\s[^<>]{0,200})?>\s{0,20}<t[dh](?:\s[^<>]{0,200})?>\s{0,20}(?:<[a-z]{1,8}>)?(?P<name>[^<>\n]{1,40})(?:</[a-z]{1,8}>)?"
    r"\s{0,20}</t[dh]>\s{0,20}<t[dh](?:\s[^<>]{0,200})?>(?P<value>(?:(?!</?t[dhr])[^\n]){0,300})</t[dh]>\s{0,20}</tr>",
    re.IGNORECASE,
)
_TABBED = re.compile(r"^(status|branch|verification|verdict)\t{1,8}(?=\S)", re.IGNORECASE | re.MULTILINE)


def in_markdown(text: str) -> str:
    """The text with its fields where markdown has them; linear time."""
    text = _without_thoughts(text)
    if "<tr" in text.lower():
        text = _TABLE_ROW.sub(_field, text)
    if "+--" in text or "+==" in text:
        text = _with_tables(text)
    return _TABBED.sub(r"\1: ", text) if "\t" in text else text


def _without_thoughts(text: str) -> str:
    """What comes behind the thoughts that the message opens with; all of it where nothing does."""
    start = 0
    while (opening := _THOUGHTS.match(text, start)) is not None:
        closing = f"</{opening[1]}>"
        end = text.find(closing, opening.end())
        if end < 0:
            break
        start = end + len(closing)
    return text[start:] if text[start:].strip() else text


def _field(row: re.Match[str]) -> str:
    """Key and value of a row with two cells, on a line of their own."""
    return f"\n\n**{row['name'].strip()}:** {row['value'].strip()}\n\n"


def _with_tables(text: str) -> str:
    """Boxes drawn with ``+--+`` as tables: the line below the first row is the one that markdown wants there."""
    lines: list[str] = []
    is_first = False
    for line in text.split("\n"):
        if _BORDER.match(line) is None:
            lines.append(line)
            continue
        is_row = bool(lines) and lines[-1].strip().startswith("|")
        if not is_row:
            lines.append("")
        elif is_first:
            lines.append("|" + "---|" * (line.count("+") - 1))
        is_first = not is_row
    return "\n".join(lines)
