"""The task graph as a picture: a static SVG with a title, a description, and every status as a class and as a word."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from orchestrate.cli.messages import count_of
from orchestrate.cli.screens.graph import GraphView, Node
from orchestrate.cli.screens.graph_text import edges
from orchestrate.cli.screens.layers import Placement, layers_of, placed
from orchestrate.cli.screens.layout import cut, cut_middle, width_of
from orchestrate.cli.screens.tally import Tally
from orchestrate.text.terminal import escape_for_terminal

#: In pixels: a letter of the font, a box, the room beside boxes and between layers, the margin around all.
_LETTER, _BOX, _ROW, _GAP, _MARGIN, _HEAD = 7.3, 40, 56, 64, 16, 28
_PADDING = 10
#: Longest name and longest word in a box, in letters.
_NAME, _WORD = 40, 34

#: Characters that no XML may hold, beside those that are spelled out for terminals too.
_NO_XML = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")

_STYLE = """\
  svg { background: #fff; color: #1f2328; font: 12px ui-monospace, monospace }
  text { fill: currentColor }
  .name { font-weight: 600 }
  .edge { fill: none; stroke: #8b949e; stroke-width: 1.2 }
  .task rect { fill: none; stroke: #8b949e; stroke-width: 1.6; rx: 6px }
  .waiting, .ready { color: #656d76 }
  .waiting rect, .ready rect { stroke-dasharray: 4 3 }
  .launching rect, .running rect, .partial rect { stroke: #bf8700 }
  .stalled rect { stroke: #8250df; stroke-width: 2.4 }
  .done rect { stroke: #0969da }
  .error rect { stroke: #cf222e; stroke-width: 2.4 }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117; color: #e6edf3 }
    .waiting, .ready { color: #9198a1 }
  }
"""


@dataclass(frozen=True, slots=True)
class _Box:
    """A task's box."""

    left: float
    middle: float
    width: float

    @property
    def right(self) -> float:
        """Where edges leave."""
        return self.left + self.width


def svg(view: GraphView) -> list[str]:
    """The picture, from left to right."""
    placement = placed(view.dependencies)
    columns = _columns(view)
    boxes = {
        name: _Box(columns[place.layer][0], _down(place.across), columns[place.layer][1])
        for name, place in placement.places.items()
    }
    width = max((left + wide for left, wide in columns), default=0) + _MARGIN
    height = _down(placement.across) + _BOX / 2 + _MARGIN
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title description" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">',
        f'<title id="title">{_text(view.slug)}</title>',
        f'<desc id="description">{_text(_description(view.tally, layers=placement.layers))}</desc>',
        f"<style>\n{_STYLE}</style>",
        f'<text x="{_MARGIN}" y="{_MARGIN + 6}"><tspan class="name">{_text(view.slug)}</tspan>'
        f" {_text(_counts(view.tally))}</text>",
        "<g>",
        *_edge_lines(view, placement, boxes, columns),
        "</g>",
        *(each for node in view.nodes for each in _task_lines(node, boxes[node.name])),
        "</svg>",
    ]


def _columns(view: GraphView) -> Sequence[tuple[float, float]]:
    """Left edge and width of each layer's boxes."""
    columns: list[tuple[float, float]] = []
    left = float(_MARGIN)
    for layer in layers_of(view.dependencies):
        letters = max(max(min(_NAME, width_of(name)) + 2, _word_letters(view.by_name[name])) for name in layer)
        wide = letters * _LETTER + 2 * _PADDING
        columns.append((left, wide))
        left += wide + _GAP
    return columns


def _word_letters(node: Node) -> int:
    return min(_WORD, width_of(node.words))


def _down(across: float) -> float:
    return _HEAD + _MARGIN + _BOX / 2 + across * _ROW


def _edge_lines(
    view: GraphView,
    placement: Placement,
    boxes: Mapping[str, _Box],
    columns: Sequence[tuple[float, float]],
) -> Iterator[str]:
    for first, second in edges(view):
        start, end = boxes[first], boxes[second]
        path = [f"M{start.right:.0f},{start.middle:.0f}"]
        x, y = start.right, start.middle
        for bend in placement.bends.get((first, second), ()):
            left, wide = columns[bend.layer]
            path += [_curve(x, y, left, _down(bend.across)), f"H{left + wide:.0f}"]
            x, y = left + wide, _down(bend.across)
        path.append(_curve(x, y, end.left, end.middle))
        yield f'<path class="edge" d="{"".join(path)}"/>'


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    """A line that leaves and arrives level."""
    middle = (x + to_x) / 2
    return f"C{middle:.0f},{y:.0f} {middle:.0f},{to_y:.0f} {to_x:.0f},{to_y:.0f}"


def _task_lines(node: Node, box: _Box) -> list[str]:
    top, text = box.middle - _BOX / 2, box.left + _PADDING
    return [
        f'<g class="task {node.how.kind.value}"><title>{_text(f"{node.name}, {node.type}, {node.how.word}")}</title>',
        f'<rect x="{box.left:.0f}" y="{top:.0f}" width="{box.width:.0f}" height="{_BOX}"/>',
        f'<text class="name" x="{text:.0f}" y="{top + 16:.0f}">{_text(_title(node))}</text>',
        f'<text x="{text:.0f}" y="{top + 32:.0f}">{_text(cut(node.words, _WORD))}</text></g>',
    ]


def _title(node: Node) -> str:
    return f"{node.how.glyph} {cut_middle(node.name, _NAME)}"


def _description(tally: Tally, *, layers: int) -> str:
    size = f"{count_of(tally.total, 'task')} in {count_of(layers, 'layer')}"
    return f"A graph of {size}, from left to right: {_counts(tally)}."


def _counts(tally: Tally) -> str:
    told = (
        (tally.running, "running"),
        (tally.waiting, "waiting"),
        (tally.error, "error"),
        (tally.cancelled, "cancelled"),
    )
    parts = [f"{tally.handed_off} of {tally.total} handed off", *(f"{count} {word}" for count, word in told if count)]
    return ", ".join(parts)


def _text(text: str) -> str:
    """Text of the picture; what XML forbids is spelled out, or shown as a sign for what cannot be shown."""
    return escape(escape_for_terminal(text).translate(_NO_XML))
