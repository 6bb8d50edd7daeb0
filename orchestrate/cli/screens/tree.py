"""The screen of ``tree``: who launched whom; finished and waiting tasks are folded unless everything is asked for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrate.cli.screens.durations import clock_minute, duration
from orchestrate.cli.screens.layout import Line, Look, Span, Tint, cut_middle, line, padded, width_of
from orchestrate.cli.screens.table import LONG_NAME_COLUMNS, NAME_COLUMNS, TINTS
from orchestrate.cli.screens.tally import Tally
from orchestrate.cli.screens.task_list import row_words, spent
from orchestrate.cli.screens.vocabulary import GLYPHS, Kind, Standing, evidence
from orchestrate.model.money import dollars
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskType

#: A plan of so many tasks is shown whole; below subplanners only what is open is.
_WHOLE = 12
#: Lines of one standing in one workspace before the rest is counted.
_SHOWN = 20
#: Columns of ``1h 04m``.
_TIME = 7
_FORK, _LAST, _PASSING, _BLANK = "├─ ", "└─ ", "│  ", "   "
_SEVERAL = 2


@dataclass(frozen=True, slots=True)
class Branch:
    """A task of the tree, and the workspace that its agent runs."""

    row: TaskRow
    how: Standing
    below: "TreeView | None" = None
    #: Why its workspace is not shown.
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class TreeView:
    """A workspace: its counts, its engine, its tasks in the plan's order."""

    slug: str
    tally: Tally
    now: float
    branches: Sequence[Branch]
    elapsed_seconds: float | None = None
    #: ``pid 4121``; None without an engine.
    engine: str | None = None
    is_new: bool = False
    last_record: str | None = None
    #: For a state that came from elsewhere: ``state of 4m ago on orch-state/shop``.
    pushed: str | None = None


@dataclass(frozen=True, slots=True)
class _Twig:
    """One line: what hangs where, before its columns are known."""

    stem: str
    glyph: str
    tint: Tint
    name: str
    counts: str = ""
    time: str = ""
    words: str = ""
    url: str | None = None


@dataclass(frozen=True, slots=True)
class _Fold:
    """Tasks that stand alike, as one line."""

    kind: Kind
    words: str


def tree_screen(view: TreeView, look: Look, *, is_whole: bool = False) -> list[Line]:
    """The workspace's line, then its tasks below each other."""
    twigs = list(_twigs(view, look, stem="", depth=0, is_whole=is_whole))
    most = LONG_NAME_COLUMNS if look.is_long else NAME_COLUMNS
    reach = max([width_of(view.slug), *(len(each.stem) + 2 + min(most, width_of(each.name)) for each in twigs)])
    reach = min(reach, max(most, look.columns // 2))
    counts = max(len(_counts(view.tally)), *(len(each.counts) for each in twigs), 0)
    lines = [_head_line(view, look, reach=reach, counts=counts)]
    return [*lines, *(_twig_line(each, reach=reach, counts=counts) for each in twigs)]


def _head_line(view: TreeView, look: Look, *, reach: int, counts: int) -> Line:
    time = "" if view.elapsed_seconds is None else duration(view.elapsed_seconds)
    cells = f"  {padded(_counts(view.tally), counts, to_right=True)}  {padded(time, _TIME, to_right=True)}"
    return line(Span(padded(cut_middle(view.slug, reach), reach), Tint.STRONG), f"{cells}  {_engine_words(view, look)}")


def _counts(tally: Tally) -> str:
    return f"{tally.handed_off}/{tally.total}"


def _engine_words(view: TreeView, look: Look) -> str:
    if view.pushed is not None:
        return view.pushed
    if view.engine is not None:
        return f"engine running, {view.engine}"
    if view.is_new:
        return "never run"
    since = clock_minute(view.last_record, tz=look.tz, now=view.now)
    return f"engine not running since {since}" if since else "engine not running"


def _twigs(view: TreeView, look: Look, *, stem: str, depth: int, is_whole: bool) -> Iterator[_Twig]:
    items = _items(view.branches, is_whole=is_whole or (depth == 0 and len(view.branches) <= _WHOLE))
    for place, item in enumerate(items):
        is_last = place == len(items) - 1
        own, further = stem + (_LAST if is_last else _FORK), stem + (_BLANK if is_last else _PASSING)
        if isinstance(item, _Fold):
            yield _folded_twig(item, stem=own)
            continue
        yield _twig(item, view, look, stem=own, depth=depth)
        if item.below is not None:
            yield from _twigs(item.below, look, stem=further, depth=depth + 1, is_whole=is_whole)


def _items(branches: Sequence[Branch], *, is_whole: bool) -> list[Branch | _Fold]:
    """What the workspace's tasks come to: those that are done, then the open ones, then those that wait."""
    if is_whole:
        return list(branches)
    groups: dict[Kind, list[Branch]] = {}
    for each in branches:
        groups.setdefault(Kind.WAITING if each.how.kind is Kind.READY else each.how.kind, []).append(each)
    done, waiting = groups.pop(Kind.DONE, []), groups.pop(Kind.WAITING, [])
    items = _folded(Kind.DONE, [each for each in done if not _is_open_below(each)], "handed off")
    items += [each for each in done if _is_open_below(each)]
    for kind, group in groups.items():
        items += group[:_SHOWN]
        items += _folded(kind, group[_SHOWN:], f"more {kind.value}")
    return [*items, *_folded(Kind.WAITING, waiting, "waiting")]


def _is_open_below(each: Branch) -> bool:
    """True where a planner handed off and left something open."""
    return each.below is not None and not each.below.tally.is_all_handed_off


def _folded(kind: Kind, group: Sequence[Branch], word: str) -> list[Branch | _Fold]:
    """One line for several tasks; a single one is told itself."""
    return list(group) if len(group) < _SEVERAL else [_Fold(kind, f"{len(group)} {word}")]


def _folded_twig(fold: _Fold, *, stem: str) -> _Twig:
    told = "(--all shows them)" if fold.kind is Kind.DONE else ""
    return _Twig(stem, GLYPHS[fold.kind][0], TINTS[fold.kind], fold.words, words=told)


def _twig(each: Branch, view: TreeView, look: Look, *, stem: str, depth: int) -> _Twig:
    row, below = each.row, each.below
    words = evidence(row) if each.how.kind is Kind.DONE else row_words(row, each.how, look)
    if row.type == TaskType.SUBPLANNER and each.how.kind is not Kind.ERROR:
        told = each.how.word if each.how.kind is not Kind.RUNNING else ""
        words = ", ".join(filter(None, (f"subplanner, depth {depth + 1}", told, _share_words(row))))
    if each.remark is not None:
        words = f"{words}; {each.remark}"
    counts = "" if below is None else _counts(below.tally)
    time = spent(row, now=view.now)
    return _Twig(stem, each.how.glyph, TINTS[each.how.kind], row.name, counts, time, words, url=row.url)


def _share_words(row: TaskRow) -> str:
    """What the latest attempt was given, or what it took of that."""
    if not row.shares_out:
        return ""
    share = row.shares_out[-1]
    parts = []
    if share.grant.agents is not None:
        used = "" if share.used is None else f"{share.used.agents} of "
        parts.append(f"{used}{share.grant.agents} agents")
    if share.grant.cents is not None:
        spent = "" if share.used is None or share.used.cents is None else f"{dollars(share.used.cents)} of "
        parts.append(f"{spent}{dollars(share.grant.cents)}")
    return " and ".join(parts)


def _twig_line(twig: _Twig, *, reach: int, counts: int) -> Line:
    room = max(8, reach - len(twig.stem) - 2)
    name = cut_middle(twig.name, room)
    gap = " " * max(0, room - width_of(name))
    cells = f"{gap}  {padded(twig.counts, counts, to_right=True)}  {padded(twig.time, _TIME, to_right=True)}  "
    stem = Span(twig.stem, Tint.DIM)
    return line(stem, Span(twig.glyph, twig.tint), Span(" "), Span(name, url=twig.url), cells, twig.words)
