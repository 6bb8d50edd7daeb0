"""A markdown message as a flat run of lines that know what they are: heading, text, item, row, code, quote.

Blocks are found by markdown-it; its inline rules are off here (``inline`` reads the few lines that matter), and so are
link reference definitions. Rules that could make it slow or blind are kept out by ``_bounded``.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from markdown_it import MarkdownIt
from markdown_it.token import Token


class LineKind(Enum):
    """What a line is in the structure of its message."""

    HEADING = "heading"
    #: A line underlined with dashes that may as well be text above a horizontal rule.
    UNDERLINED = "underlined"
    TEXT = "text"
    ITEM = "item"
    HEADER_ROW = "header row"
    ROW = "row"
    CODE = "code"
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Line:
    """One line; ``number`` counts from 1 in the text that was read."""

    kind: LineKind
    text: str
    number: int
    #: The cells of a table row.
    cells: tuple[str, ...] = ()
    #: Of a heading: 1 is the highest; 0 for all others.
    level: int = 0


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block outside quotes and lists; ``start`` and ``end`` are line indexes, ``end`` exclusive."""

    content: str
    marker: str
    is_closed: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """A message in lines, and its top-level fences."""

    lines: tuple[Line, ...]
    fences: tuple[Fence, ...]


def _block_parser(*, html: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": html, "maxNesting": 100})
    return parser.enable("table").disable(["inline", "reference", "text_join"])


_PARSER = _block_parser(html=True)
_PARSER_WITHOUT_HTML = _block_parser(html=False)

#: markdown-it leaves out the rest of a message nested deeper than its limit, so depth is cut before: at most twelve
#: markers in a row and forty columns of indentation stay well below a hundred levels.
_DEEP_MARKERS = re.compile(r"^((?:[ \t]{0,40}+(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){12})[ \t>*+\d.)-]*+", re.MULTILINE)
_DEEP_INDENT = re.compile(r"^[ \t]{41,}+", re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")
_LITERAL_ELEMENT = re.compile(r"<(?:pre|script|style|textarea)\b", re.IGNORECASE)


def read(text: str) -> Document:
    r"""The lines and fences of a message whose line ends are ``\\n``."""
    text = _bounded(text)
    tokens = _PARSER.parse(text)
    return Document(lines=tuple(_lines(tokens, html=True)), fences=tuple(_fences(tokens, text.split("\n"))))


def _bounded(text: str) -> str:
    return _DEEP_MARKERS.sub(r"\1 ", _DEEP_INDENT.sub(" " * 40, text))


def _fences(tokens: Sequence[Token], source: Sequence[str]) -> Iterator[Fence]:
    for token in tokens:
        if token.type == "fence" and token.level == 0:
            start, end = _span(token)
            last = source[end - 1].strip()
            closed = end - start > 1 and len(last) >= len(token.markup) and not last.strip(token.markup[0])
            yield Fence(content=token.content, marker=token.markup, is_closed=closed, start=start, end=end)


class _Walk:
    """Where the walk over the tokens stands: in a quote, at the start of an item, in a heading or a row."""

    def __init__(self) -> None:
        self.quotes = 0
        self.at_item_start = False
        self.heading: Token | None = None
        self.cells: list[str] | None = None
        self.row_number = 0
        self.in_head = False


def _lines(tokens: Sequence[Token], *, html: bool) -> Iterator[Line]:
    walk = _Walk()
    for token in tokens:
        match token.type:
            case "blockquote_open" | "blockquote_close":
                walk.quotes += token.nesting
            case "list_item_open":
                walk.at_item_start = True
            case "heading_open":
                walk.heading = token
            case "thead_open" | "tbody_open":
                walk.in_head = token.type == "thead_open"
            case "tr_open":
                walk.cells, walk.row_number = [], _span(token)[0] + 1
            case "tr_close":
                yield _row(walk)
            case "inline":
                yield from _inline_lines(token, walk)
            case "fence" | "code_block":
                offset = 1 if token.type == "fence" else 0
                yield from _plain_lines(token.content, LineKind.CODE, walk, _span(token)[0] + offset)
            case "html_block":
                yield from _html_lines(token, walk, html=html)
            case _:
                pass


def _inline_lines(token: Token, walk: _Walk) -> Iterator[Line]:
    if walk.cells is not None:
        walk.cells.append(token.content)
        return
    start = _span(token)[0]
    if walk.heading is not None:
        heading, walk.heading = walk.heading, None
        yield from _heading_lines(token, heading, walk)
        return
    first, _, rest = token.content.partition("\n")
    kind = LineKind.ITEM if walk.at_item_start else LineKind.TEXT
    walk.at_item_start = False
    yield from _plain_lines(first, kind, walk, start)
    if rest:
        yield from _plain_lines(rest, LineKind.TEXT, walk, start + 1)


def _heading_lines(token: Token, heading: Token, walk: _Walk) -> Iterator[Line]:
    """Of a heading by underline only the last line is one: what stands above it belongs to the text."""
    start = _span(token)[0]
    above, _, title = token.content.rpartition("\n")
    if above:
        yield from _plain_lines(above, LineKind.TEXT, walk, start)
    kind = LineKind.UNDERLINED if heading.markup == "-" else LineKind.HEADING
    number = start + token.content.count("\n")
    walk.at_item_start = False
    level = int(heading.tag[1:])
    yield from (replace(line, level=level) for line in _plain_lines(title, kind, walk, number))


def _plain_lines(content: str, kind: LineKind, walk: _Walk, start: int) -> Iterator[Line]:
    shown = LineKind.QUOTE if walk.quotes else kind
    for index, text in enumerate(content.split("\n")):
        if text and not text.isspace():
            yield Line(kind=shown, text=text.strip(), number=start + index + 1)


def _row(walk: _Walk) -> Line:
    cells, walk.cells = tuple(walk.cells or ()), None
    kind = LineKind.HEADER_ROW if walk.in_head else LineKind.ROW
    return Line(
        kind=LineKind.QUOTE if walk.quotes else kind,
        text=" | ".join(cells),
        number=walk.row_number,
        cells=cells,
    )


def _html_lines(token: Token, walk: _Walk, *, html: bool) -> Iterator[Line]:
    """A comment is not seen; text between other tags is read as markdown, the inside of ``pre`` is code."""
    assert html
    start = _span(token)[0]
    content = token.content
    if content.startswith("<!--") and "-->" in content:
        before, _, content = content.partition("-->")
        start += before.count("\n")
    elif _LITERAL_ELEMENT.match(content):
        yield from _plain_lines(_TAG.sub("", content), LineKind.CODE, walk, start)
        return
    inner = _PARSER_WITHOUT_HTML.parse(_TAG.sub("", content.removeprefix("<!--")))
    for line in _lines(inner, html=False):
        kind = LineKind.QUOTE if walk.quotes else line.kind
        yield replace(line, kind=kind, number=line.number + start)


def _span(token: Token) -> tuple[int, int]:
    return (token.map[0], token.map[1]) if token.map else (0, 0)
