"""The screen of ``tree --live``: agents as the service lists them, each below the one that launched it."""

from collections.abc import Iterator, Mapping, Sequence

from orchestrate.cli.messages import count_of
from orchestrate.cli.screens.layout import Line, Span, Tint, line
from orchestrate.cli.screens.vocabulary import GLYPHS, Kind
from orchestrate.core.lineage import Sighting, families
from orchestrate.model.names import AgentId

#: Agents below one that are shown unless everything is asked for.
_SHOWN = 20
#: Deeper lines stand below each other: no screen is so wide.
_DEEPEST = 16
_FORK, _LAST, _PASSING, _BLANK = "├─ ", "└─ ", "│  ", "   "


def live_tree_screen(slug: str, found: Sequence[Sighting], *, is_whole: bool = False) -> list[Line]:
    """The tree's line, then its agents."""
    active = sum(each.may_run for each in found)
    head = f"  {count_of(len(found), 'agent')}, {active} may be running; by the service's list alone"
    return [line(Span(slug, Tint.STRONG), head), *_twigs(families(found), is_whole=is_whole)]


def _twigs(below: Mapping[AgentId | None, Sequence[Sighting]], *, is_whole: bool) -> Iterator[Line]:
    """Depth first, without recursion: a lineage that nobody checked may be of any depth."""
    waiting: list[tuple[Sighting | int, str, bool, int]] = []

    def open_group(parent: AgentId | None, stem: str, depth: int) -> None:
        group = below.get(parent, ())
        shown: list[Sighting | int] = list(group if is_whole else group[:_SHOWN])
        if len(shown) < len(group):
            shown.append(len(group) - len(shown))
        waiting.extend((each, stem, place == 0, depth) for place, each in enumerate(reversed(shown)))

    open_group(None, "", 0)
    while waiting:
        each, stem, is_last, depth = waiting.pop()
        own = Span(stem + (_LAST if is_last else _FORK), Tint.DIM)
        if isinstance(each, int):
            yield line(own, f"+ {each} more (--all shows them)")
            continue
        yield _twig(each, own)
        further = stem + (_BLANK if is_last else _PASSING) if depth < _DEEPEST else stem
        open_group(each.agent_id, further, depth + 1)


def _twig(each: Sighting, stem: Span) -> Line:
    kind, tint, word = (Kind.RUNNING, Tint.RUNNING, "active") if each.may_run else (Kind.DONE, Tint.DONE, "not active")
    name = Span(each.task or "agent", url=each.url or None)
    plan = f"  plan {each.root}" if each.root else ""
    return line(stem, Span(GLYPHS[kind][0], tint), Span(" "), name, f"  {word}{plan}  {each.agent_id}")
