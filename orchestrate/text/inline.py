"""The inside of one line: which words are code, bold or a link, and what it reads like without the marks."""

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt

#: Longer lines are read up to here; no value of a handoff is as long, and inline markup can be slow to read.
LINE_LIMIT = 2000

_PARSER = MarkdownIt("commonmark", {"html": True}).enable("strikethrough")
#: A line without any of these holds no markup at all.
_MARKS = re.compile(r"[\\`*_~\[\]!<>&\n\r\0]")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a line."""

    text: str
    is_code: bool = False
    is_strong: bool = False
    href: str | None = None

    @property
    def is_marked(self) -> bool:
        """True if the writer set it apart."""
        return self.is_code or self.is_strong or self.href is not None


def read_spans(text: str) -> tuple[Span, ...]:
    """The stretches of a line in order; what is struck through is left out."""
    text = text[:LINE_LIMIT]
    if not _MARKS.search(text):
        return (Span(text),) if text else ()
    spans: list[Span] = []
    strong = struck = 0
    href: str | None = None
    for token in _PARSER.parseInline(text)[0].children or ():
        match token.type:
            case "strong_open" | "strong_close" | "em_open" | "em_close":
                strong += token.nesting
            case "s_open" | "s_close":
                struck += token.nesting
            case "link_open":
                href = str(token.attrGet("href") or "")
            case "link_close":
                href = None
            case "softbreak" | "hardbreak":
                spans.append(Span(" "))
            case "html_inline" if token.content.lower().startswith("<br"):
                spans.append(Span(" "))
            case "text" | "code_inline" if not struck:
                spans.append(Span(token.content, token.type == "code_inline", strong > 0, href))
            case _:
                pass
    return tuple(span for span in spans if span.text)


def plain(text: str) -> str:
    """The line without marks, struck text and tags, entities decoded."""
    return " ".join("".join(span.text for span in read_spans(text)).split())
