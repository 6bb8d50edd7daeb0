"""The screen of ``graph``: a line a task, its dependencies as lanes to its left; for wide graphs, a list by layers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from orchestrate.cli.screens.layers import layers_of, without_shortcuts
from orchestrate.cli.screens.layout import Line, Look, Span, Tint, cut_middle, line, padded
from orchestrate.cli.screens.table import TINTS, name_columns
from orchestrate.cli.screens.tally import Tally, headline
from orchestrate.cli.screens.vocabulary import Kind, Standing, named
from orchestrate.model.graph import dependants_of, dependencies_first
from orchestrate.model.vocabulary import TaskType

#: Columns that the words behind a name need at least, and those between the parts of a line.
_WORDS, _GAPS = 24, 4
#: Lanes that can be followed by eye.
_NARROW = 8


@dataclass(frozen=True, slots=True)
class Node:
    """A task of the graph."""

    name: str
    type: TaskType
    how: Standing
    #: Those that it waits for, each a node too.
    depends_on: tuple[str, ...]

    @property
    def words(self) -> str:
        """How it stands, with its type where that is not the usual one; what it waits for is drawn."""
        short = self.how.kind.value if self.how.kind in (Kind.WAITING, Kind.READY) else self.how.word
        return short if self.type == TaskType.WORKER else f"{self.type}, {short}"


@dataclass(frozen=True)
class GraphView:
    """All that a drawing of the graph shows."""

    slug: str
    tally: Tally
    nodes: Sequence[Node]

    @cached_property
    def by_name(self) -> Mapping[str, Node]:
        """Every node under its name."""
        return {node.name: node for node in self.nodes}

    @cached_property
    def dependencies(self) -> Mapping[str, Sequence[str]]:
        """What each task waits for."""
        return {node.name: node.depends_on for node in self.nodes}


def graph_screen(view: GraphView, look: Look) -> list[Line]:
    """The run's line, then the drawing that fits the screen."""
    names = name_columns(view.by_name, look, at_least=8)
    head = headline(view.slug, view.tally, look)
    room = max(1, (look.columns - names - _WORDS - _GAPS) // 2)
    drawing = _narrowest(view, most=room)
    if drawing is None:
        return [head, *_by_layers(view, names=names)]
    return [head, *(_lane_line(row, width=drawing.columns, names=names) for row in drawing.rows)]


def _narrowest(view: GraphView, *, most: int) -> "_Drawing | None":
    """A drawing that keeps to layers if that is narrow, else one that keeps to its last task; None if none fits."""
    dependencies = without_shortcuts(view.dependencies)
    layered = [name for layer in layers_of(dependencies) for name in layer]
    near = list(dependencies_first(dependencies, is_depth_first=True))
    if len(near) < len(view.nodes):
        return None
    by_layers = _drawn(view, dependencies, layered, most=most)
    if by_layers is not None and by_layers.lanes <= _NARROW:
        return by_layers
    narrow = _drawn(view, dependencies, near, most=most)
    found = [each for each in (by_layers, narrow) if each is not None]
    return min(found, key=lambda each: each.lanes, default=None)


@dataclass(frozen=True, slots=True)
class _Row:
    """A task and what stands left and right of its sign."""

    node: Node
    before: str
    behind: str


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A line a task."""

    rows: Sequence[_Row]
    lanes: int

    @property
    def columns(self) -> int:
        """How wide the widest line is in front of its name."""
        return max((len(row.before) + 1 + len(row.behind) for row in self.rows), default=0)


@dataclass(slots=True)
class _Lanes:
    """The columns in which a task's line goes down to those that wait for it."""

    #: The task of each lane; None for a free one.
    tasks: list[str | None]
    #: A lane whose task nobody waits for; it stays empty for a line, or what comes next would look connected to it.
    resting: int | None = None

    def lane_of(self, name: str) -> int:
        """Where the task's line goes down."""
        return self.tasks.index(name)

    def free(self) -> int:
        """The first lane that nobody uses."""
        for lane, task in enumerate(self.tasks):
            if task is None and lane != self.resting:
                return lane
        self.tasks.append(None)
        return len(self.tasks) - 1

    def take(self, lane: int, name: str | None) -> None:
        """From the next line on the lane is this task's; None leaves it resting."""
        self.tasks[lane] = name
        self.resting = lane if name is None else None


def _drawn(
    view: GraphView, dependencies: Mapping[str, Sequence[str]], order: Sequence[str], *, most: int
) -> _Drawing | None:
    """A line a task in this order; None where that takes more lanes than there may be."""
    left = {name: len(others) for name, others in dependants_of(dependencies).items()}
    lanes = _Lanes([])
    rows: list[_Row] = []
    for name in order:
        for each in dependencies[name]:
            left[each] -= 1
        ended = {lanes.lane_of(each) for each in dependencies[name] if left[each] == 0}
        going = {lanes.lane_of(each) for each in dependencies[name] if left[each] > 0}
        own = min(ended) if ended else lanes.free()
        if len(lanes.tasks) > most:
            return None
        before, behind = _row(lanes, own, ended=ended, going=going)
        rows.append(_Row(view.by_name[name], before, behind))
        for lane in ended:
            lanes.tasks[lane] = None
        lanes.take(own, name if left[name] else None)
    return _Drawing(rows, len(lanes.tasks))


def _row(lanes: _Lanes, own: int, *, ended: set[int], going: set[int]) -> tuple[str, str]:
    """What stands left and right of the task's sign: lanes that pass, and the line to those that it waits for."""
    joined = {own, *ended, *going}
    first, last = min(joined), max(joined)
    cells = []
    for lane, task in enumerate(lanes.tasks):
        inside = first < lane < last
        if lane != own and lane in joined:
            cells.append(_corner(lane, first, last, is_ended=lane in ended))
        else:
            cells.append("│" if task is not None else "─" if inside else " ")
        cells.append("─" if first <= lane < last else " ")
    return "".join(cells[: 2 * own]), "".join(cells[2 * own + 1 :]).rstrip()


def _corner(lane: int, first: int, last: int, *, is_ended: bool) -> str:
    """Where a dependency's lane meets the task's line."""
    if lane == first:
        return "╰" if is_ended else "├"
    if lane == last:
        return "╯" if is_ended else "┤"
    return "┴" if is_ended else "┼"


def _lane_line(row: _Row, *, width: int, names: int) -> Line:
    node = row.node
    gap = " " * (width - len(row.before) - 1 - len(row.behind))
    sign = (Span(row.before, Tint.DIM), Span(node.how.glyph, TINTS[node.how.kind]), Span(row.behind, Tint.DIM))
    return (*sign, Span(f"{gap}  {padded(cut_middle(node.name, names), names)}  "), Span(node.words, Tint.DIM))


def _by_layers(view: GraphView, *, names: int) -> list[Line]:
    layers = layers_of(view.dependencies)
    lines: list[Line] = []
    for number, layer in enumerate(layers, start=1):
        lines.append(line(Span(f"  layer {number} of {len(layers)}", Tint.DIM)))
        lines += [_layer_line(view.by_name[name], names=names) for name in layer]
    return lines


def _layer_line(node: Node, *, names: int) -> Line:
    after = f"after {named(node.depends_on)}" if node.depends_on else ""
    name = padded(cut_middle(node.name, names), names)
    return line(Span(node.how.glyph, TINTS[node.how.kind]), f" {name}  ", Span(after, Tint.DIM))
