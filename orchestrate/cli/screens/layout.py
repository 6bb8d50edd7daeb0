"""Lines of a screen: spans of text with a meaning, cut to the screen's width, and only then turned into characters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from enum import StrEnum

from orchestrate.text.terminal import escape_for_terminal

#: From this width on there is room for the long form.
LONG_COLUMNS = 100

#: Least room before a text at the right edge.
RIGHT_GAP = 3

#: Our signs, the lines of trees and graphs, the bars of timelines; each one column wide.
_ASCII = str.maketrans(
    "·○◌●✓✗…─│├┤└╰╯┼┴░█▓×",  # noqa: RUF001  the sign of a failed try is no letter
    ".o?*+x~-|||``'++:#%x",
)


class Tint(StrEnum):
    """What a span means; the 16 ANSI colours without any background repeat it."""

    DONE = "34"
    RUNNING = "33"
    ERROR = "31"
    STALLED = "35"
    DIM = "2"
    STRONG = "1"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line; ``url`` makes it a link where the terminal takes them."""

    text: str
    tint: Tint | None = None
    url: str | None = None
    #: A command to type: it is never cut, rather it runs on in the next line.
    is_whole: bool = False


Line = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """What the reader's screen can show, and how this reader calls the program."""

    columns: int = 80
    rows: int = 24
    has_color: bool = False
    has_unicode: bool = True
    has_links: bool = False
    #: None is the machine's own time zone.
    tz: tzinfo | None = None
    program: str = "orchestrate"
    #: PLAN as the reader types it.
    argument: str = "."
    #: Where the reader's git fetches branches from.
    remote: str = "origin"
    #: Options of the run that is shown, quoted: going on with it needs them again.
    run_options: tuple[str, ...] = ()

    @property
    def is_long(self) -> bool:
        """True where the long form fits."""
        return self.columns >= LONG_COLUMNS

    def command(self, verb: str, *rest: str) -> str:
        """A command line that works from the reader's folder."""
        options = self.run_options if verb == "run" else ()
        return " ".join((self.program, verb, self.argument, *options, *rest))


def line(*parts: str | Span) -> Line:
    """A line of these parts."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def command(label: str, words: str) -> Line:
    """A line that ends with a command to type."""
    return (Span(label), Span(words, is_whole=True))


def drawn_width(spans: Line, look: Look) -> int:
    """Columns that the line takes once it is rendered; more than the screen has where a command runs on."""
    whole = sum(width_of(span.text) for span in spans)
    return whole if any(span.is_whole for span in spans) else min(whole, look.columns)


def rendered(lines: Iterable[Line], look: Look) -> list[str]:
    """The lines as characters, none wider than the screen."""
    return [_rendered(each, look) for each in lines]


def width_of(text: str) -> int:
    """Columns that the text takes on a screen."""
    if text.isascii() or text.translate(_ASCII).isascii():
        return len(text)  # our own signs are one column wide; wcwidth is loaded for other people's letters only
    from wcwidth import wcswidth, wcwidth

    width = wcswidth(text)
    return width if width >= 0 else sum(max(0, wcwidth(letter)) for letter in text)


def cut(text: str, columns: int) -> str:
    """The text, cut at its end where it is too wide."""
    if width_of(text) <= columns:
        return text
    kept = ""
    for letter in text:
        if width_of(kept + letter) > columns - 1:
            break
        kept += letter
    return kept + "…" if columns > 0 else ""


def cut_middle(name: str, columns: int) -> str:
    """A name, cut in its middle where it is too wide: ``migrate-…-tests``."""
    if width_of(name) <= columns:
        return name
    if columns < 3:  # noqa: PLR2004  one letter on each side of the mark
        return cut(name, columns)
    head = (columns - 1) // 2
    tail = columns - 1 - head
    return f"{cut_exactly(name, head)}…{cut_exactly(name[::-1], tail)[::-1]}"


def cut_exactly(text: str, columns: int) -> str:
    """As much of the text as fits, without a mark."""
    kept = text[:columns]
    while width_of(kept) > columns:
        kept = kept[:-1]
    return kept


def padded(text: str, columns: int, *, to_right: bool = False) -> str:
    """The text in a field of this width."""
    gap = " " * max(0, columns - width_of(text))
    return gap + text if to_right else text + gap


def wrapped(text: str, columns: int) -> list[str]:
    """The text in lines of whole words; a word that is too long is cut over lines."""
    lines: list[str] = []
    present = ""
    for word in text.split():
        rest = word
        if present and width_of(present) + 1 + width_of(rest) <= columns:
            present += f" {rest}"
            continue
        if present:
            lines.append(present)
        while width_of(rest) > columns > 0:
            head = cut_exactly(rest, columns) or rest[0]
            lines.append(head)
            rest = rest[len(head) :]
        present = rest
    return [*lines, present] if present or not lines else lines


def spread(left: Line, right: str, *, columns: int) -> Line:
    """The right text at the screen's right edge; directly behind the left one where that reaches so far."""
    gap = columns - sum(width_of(span.text) for span in left) - width_of(right)
    return (*left, Span(" " * max(RIGHT_GAP, gap)), Span(right)) if right else left


def folded(items: Sequence[str], *, columns: int, gap: str = "  ", at_most: int = 3) -> list[str]:
    """Items beside each other over some lines; what does not fit is counted."""
    lines: list[str] = []
    present, shown = "", 0
    for item in items:
        longer = f"{present}{gap}{item}" if present else item
        if present and width_of(longer) > columns:
            lines.append(present)
            if len(lines) == at_most:
                return [*lines[:-1], f"{lines[-1]}", f"+ {len(items) - shown} more"]
            longer = item
        present, shown = longer, shown + 1
    return [*lines, present] if present else lines


def _rendered(spans: Line, look: Look) -> str:
    left = look.columns
    parts: list[str] = []
    for span in spans:
        if left <= 0 and not span.is_whole:
            break
        text = escape_for_terminal(span.text)
        text = text if span.is_whole else cut(text, left)
        if not look.has_unicode:
            text = text.translate(_ASCII)
        left -= width_of(text)
        parts.append(_decorated(text, span, look))
    return "".join(parts).rstrip() if not look.has_color and not look.has_links else "".join(parts)


def _decorated(text: str, span: Span, look: Look) -> str:
    if look.has_color and span.tint is not None and text.strip():
        text = f"\x1b[{span.tint}m{text}\x1b[0m"
    if look.has_links and span.url is not None and _is_plain_url(span.url):
        text = f"\x1b]8;;{span.url}\x1b\\{text}\x1b]8;;\x1b\\"
    return text


def _is_plain_url(url: str) -> bool:
    """True for an address that can do nothing to the terminal."""
    return url.startswith(("https://", "http://")) and url.isascii() and url.isprintable() and " " not in url
