"""The task graph for other programs: Mermaid and DOT. Tasks are numbered, so that no name can mean anything there."""

import re
from collections.abc import Iterator, Mapping

from orchestrate.cli.screens.graph import GraphView, Node
from orchestrate.cli.screens.vocabulary import Kind
from orchestrate.model.vocabulary import TaskType
from orchestrate.text.terminal import escape_for_terminal

#: Lines of boxes in both; a word stands in each box, so that nothing is told by colour alone.
_COLORS = {
    Kind.WAITING: "#8b949e",
    Kind.READY: "#8b949e",
    Kind.LAUNCHING: "#bf8700",
    Kind.RUNNING: "#bf8700",
    Kind.STALLED: "#a475f9",
    Kind.DONE: "#1f6feb",
    Kind.PARTIAL: "#bf8700",
    Kind.ERROR: "#cf222e",
}
#: What Mermaid shows as it is; everything else is written by its number.
_MERMAID_PLAIN = re.compile(r"[^\w .,:/+~·○◌●✓✗…-]|\s{2,}")
#: Edges that Mermaid draws where nobody configured it otherwise.
MERMAID_EDGES = 500
#: Boxes by type: a worker's, a planner's, a verifier's.
_MERMAID_BOXES = {
    TaskType.WORKER: ("[", "]"),
    TaskType.SUBPLANNER: ("[[", "]]"),
    TaskType.VERIFIER: ("([", "])"),
}
_DOT_SHAPES = {TaskType.WORKER: "box", TaskType.SUBPLANNER: "component", TaskType.VERIFIER: "ellipse"}


def mermaid(view: GraphView) -> list[str]:
    """A flowchart from left to right."""
    ids = _ids(view)
    lines = [f"%% {_mermaid_text(view.slug)}: {view.tally.handed_off} of {view.tally.total} handed off", "flowchart LR"]
    for node in view.nodes:
        before, behind = _MERMAID_BOXES[node.type]
        label = f"{_mermaid_text(f'{node.how.glyph} {node.name}')}<br/>{_mermaid_text(node.words)}"
        lines.append(f'  {ids[node.name]}{before}"{label}"{behind}:::{node.how.kind.value}')
    lines += [f"  {ids[first]} --> {ids[second]}" for first, second in edges(view)]
    used = dict.fromkeys(node.how.kind for node in view.nodes)
    return [*lines, *(f"  classDef {kind.value} stroke:{_COLORS[kind]},stroke-width:2px" for kind in used)]


def dot(view: GraphView) -> list[str]:
    """A digraph from left to right."""
    ids = _ids(view)
    lines = [
        f"digraph {_quoted(view.slug)} {{",
        "  graph [rankdir=LR]",
        '  node [fontname="monospace", fontsize=11, style=rounded]',
        "  edge [color=gray50]",
    ]
    lines += [f"  {ids[node.name]} [{_attributes(node)}]" for node in view.nodes]
    lines += [f"  {ids[first]} -> {ids[second]}" for first, second in edges(view)]
    return [*lines, "}"]


def edges(view: GraphView) -> Iterator[tuple[str, str]]:
    """Each task that is waited for, with the one that waits."""
    return ((other, node.name) for node in view.nodes for other in node.depends_on)


def _ids(view: GraphView) -> Mapping[str, str]:
    return {node.name: f"n{number}" for number, node in enumerate(view.nodes)}


def _mermaid_text(text: str) -> str:
    return _MERMAID_PLAIN.sub(lambda match: "".join(f"#{ord(each)};" for each in match.group()), _shown(text))


def _attributes(node: Node) -> str:
    attributes = {
        "label": f"{node.how.glyph} {node.name}\n{node.words}",
        "shape": _DOT_SHAPES[node.type],
        "color": _COLORS[node.how.kind],
        "class": node.how.kind.value,
        "tooltip": f"{node.name}, {node.words}",
    }
    return ", ".join(f"{key}={_quoted(value)}" for key, value in attributes.items())


def _quoted(text: str) -> str:
    r"""A quoted DOT string: line ends are ``\n``; Graphviz also reads character entities, so ``&`` is spelled out."""
    lines = (_shown(line).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in text.split("\n"))
    return '"' + "\\n".join(lines) + '"'


def _shown(text: str) -> str:
    """The text with characters spelled out that would steer whoever prints it."""
    return escape_for_terminal(text)
