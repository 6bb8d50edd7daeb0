"""Layouts that a person reads and markdown does not know: thoughts, elements, HTML tables, drawn boxes, tabs, one quote."""

import re

_THOUGHTS = re.compile(r"\s*<(thinking|think|reasoning|scratchpad|analysis)>")
_TABLE = re.compile(r"<table\b[^<>]{0,200}>(?P<rows>(?:(?!</?table\b)[\s\S]){0,20000})</table>", re.IGNORECASE)
_ROW = re.compile(r"<tr\b[^<>]{0,200}>(?P<cells>(?:(?!</?tr\b)[\s\S]){0,4000})", re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b[^<>]{0,200}>(?P<text>(?:(?!</?t[dh]\b)[\s\S]){0,2000})", re.IGNORECASE)
_FIELD = re.compile(r"^<(status|branch|verification|verdict)>\s{0,4}([^<>]{1,300}?)\s{0,4}</\1>[ \t]*$", re.MULTILINE)
_BORDER = re.compile(r"[ \t]*\+(?:[-=]{1,200}\+){1,20}[ \t]*\Z")
_DRAWN_LINE = re.compile(r"^[ \t]*[│┃║┌├└╔╠╚┏┣┗╭╰][^\n]*[│┃║┐┤┘╗╣╝┓┫┛╮╯][ \t]*$", re.MULTILINE)
_DRAWN = str.maketrans("│┃║─━═┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝┏┳┓┣╋┫┗┻┛╭╮╰╯", "|||---" + "+" * 31)
_TABBED = re.compile(r"^(status|branch|verification|verdict)\t{1,8}(?=\S)", re.IGNORECASE | re.MULTILINE)
_QUOTED = re.compile(r"^[ ]{0,3}> ?", re.MULTILINE)


def in_markdown(text: str) -> str:
    """The text with its fields where markdown has them; linear time."""
    text = _without_thoughts(_with_line_ends(text))
    text = _FIELD.sub(r"\n**\1:** \2\n", _TABLE.sub(_as_table, text)) if "</" in text else text
    text = _DRAWN_LINE.sub(lambda line: line[0].translate(_DRAWN), text)
    if "+--" in text or "+==" in text:
        text = _with_tables(text)
    return _unquoted(_TABBED.sub(r"\1: ", text) if "\t" in text else text)


def _with_line_ends(text: str) -> str:
    """A message whose line ends were written as a backslash and an n, all of them."""
    return text.replace("\\n", "\n") if "\\n#" in text and "\n" not in text.strip() else text


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


def _as_table(table: re.Match[str]) -> str:
    """The rows as markdown has them; each cell is one line."""
    rows = [
        [" ".join(cell["text"].split()).replace("|", "\\|") for cell in _CELL.finditer(row["cells"])]
        for row in _ROW.finditer(table["rows"])
    ]
    width = max(map(len, rows), default=0)
    if not width:
        return table[0]
    first, *rest = (f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows)
    return "\n".join(["\n", first, "|" + "---|" * width, *rest, "\n"])


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


def _unquoted(text: str) -> str:
    """A message that is one quote from its first line to its last is read as if it were not."""
    is_quote = text.lstrip().startswith(">") and all(
        line.lstrip().startswith(">") for line in text.split("\n") if line.strip()
    )
    return _QUOTED.sub("", text) if is_quote else text
