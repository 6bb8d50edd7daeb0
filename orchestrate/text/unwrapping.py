"""The sections of a message, also where the whole of it, or its end, stands inside a code fence."""

from collections.abc import Sequence

from orchestrate.text.markdown import Document, Fence, LineKind, read
from orchestrate.text.sections import Section, Strength, split, titles_of
from orchestrate.text.titles import Title

#: What a fence held is looked at for a wrapper of its own once more.
_DEPTH = 2
_SHORTEST_FENCE = 3
#: One of these must be among the titles of a fenced handoff.
_CORE = frozenset({Title.STATUS, Title.BRANCH, Title.VERIFICATION, Title.VERDICT})


def read_sections(text: str, *, depth: int = _DEPTH) -> tuple[list[Section], list[str]]:
    """The sections of the message and notes on its fences."""
    document = read(text)
    sections = split(document.lines)
    if not document.fences or depth == 0:
        return sections, []
    outside = titles_of(sections, at_least=Strength.LABEL)
    fenced = [(fence, titles) for fence in document.fences if (titles := _titles_in(fence)) & _CORE]
    if fenced and not outside & _CORE:
        return _read_the_only_one(sections, fenced, text, outside, depth=depth)
    inner = _broken_wrapper(document, fenced, text, outside)
    if inner is not None:
        return read_sections(inner, depth=depth - 1)
    return _behind_a_mixed_fence(document, sections, outside)


def _read_the_only_one(
    sections: list[Section], fenced: Sequence[tuple[Fence, set[Title]]], text: str, outside: set[Title], *, depth: int
) -> tuple[list[Section], list[str]]:
    """A handoff that stands whole inside the only fence that looks like one."""
    fence, titles = fenced[0]
    behind = outside.union(*(others for _, others in fenced[1:]))
    inner = _wrapped_to_the_end(fence, titles, text, behind)
    if inner is None and len(fenced) > 1:
        return sections, ["Several code blocks look like a handoff; none was read"]
    return read_sections(inner if inner is not None else fence.content, depth=depth - 1)


def _broken_wrapper(
    document: Document, fenced: Sequence[tuple[Fence, set[Title]]], text: str, outside: set[Title]
) -> str | None:
    """The message inside a fence that a block of its own closed too early; None if there is no such fence."""
    if not fenced or any(line.number <= fenced[0][0].start for line in document.lines if line.text.startswith("#")):
        return None
    fence, titles = fenced[0]
    return _wrapped_to_the_end(fence, titles, text, outside)


def _wrapped_to_the_end(fence: Fence, titles: set[Title], text: str, outside: set[Title]) -> str | None:
    """The lines from behind the opening fence to the closing one, if the fence's first end cannot be its own.

    That shows in an opened block inside it, and in headings behind it that go on where those inside stop.
    """
    if titles & outside or not fence.is_closed:
        return None
    has_inner_block = any(_opens_with_info(line, fence) for line in fence.content.split("\n"))
    lines = text.rstrip().split("\n")
    ends_with_fence = fence.end < len(lines) and _is_bare(lines[-1], fence.marker[0])
    if not (has_inner_block or ends_with_fence) or (not outside and not has_inner_block):
        return None
    return "\n".join(lines[fence.start + 1 : len(lines) - 1 if ends_with_fence else len(lines)])


def _behind_a_mixed_fence(
    document: Document, sections: list[Section], outside: set[Title]
) -> tuple[list[Section], list[str]]:
    """A block opened with one kind of fence and closed with the other: what follows is read, with a note."""
    last = document.fences[-1]
    if last.is_closed:
        return sections, []
    lines = last.content.split("\n")
    other = "~" if last.marker[0] == "`" else "`"
    closing = next((index for index, line in enumerate(lines) if _is_bare(line, other)), None)
    if closing is None:
        hidden = _titles_in(last) - outside
        return sections, ["A code block is never closed; headings inside it were not read"] if hidden else []
    behind = split(read("\n".join(lines[closing + 1 :])).lines)
    if not titles_of(behind) - outside:
        return sections, []
    return sections + behind, ["A code block is closed by the other kind of fence; what follows it was read"]


def _titles_in(fence: Fence, *, depth: int = _DEPTH) -> set[Title]:
    """Its titles; of a fence that holds nothing but another one, those of that."""
    document = read(fence.content)
    titles = titles_of(split(document.lines))
    is_only_a_fence = len(document.fences) == 1 and all(line.kind is LineKind.CODE for line in document.lines)
    if titles or depth == 1 or not is_only_a_fence:
        return titles
    return _titles_in(document.fences[0], depth=depth - 1)


def _is_bare(line: str, marker: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= _SHORTEST_FENCE and not stripped.strip(marker)


def _opens_with_info(line: str, fence: Fence) -> bool:
    stripped = line.strip()
    return stripped.startswith(fence.marker[0] * 3) and not _is_bare(stripped, fence.marker[0])
