"""``orchestrate graph PLAN``: the task graph, for people or as Mermaid, DOT and SVG for other programs."""

import argparse

from orchestrate.cli import output
from orchestrate.cli.locating import locate
from orchestrate.cli.messages import message_lines
from orchestrate.cli.picture import Picture, picture_of
from orchestrate.cli.screens.graph import GraphView, Node, graph_screen
from orchestrate.cli.screens.layers import layers_of
from orchestrate.cli.screens.layout import Look, rendered
from orchestrate.cli.settings import Settings
from orchestrate.cli.terminal import stdout_look
from orchestrate.system import SystemClock

_ASCII, _MERMAID, _DOT, _SVG = "ascii", "mermaid", "dot", "svg"


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument(
        "--format",
        choices=(_ASCII, _MERMAID, _DOT, _SVG),
        help="a drawing for this terminal (the default), or text for Mermaid, Graphviz, or a browser",
    )
    parser.add_argument(
        "--json", action="store_true", help="one JSON object on stdout; with --format the text is in it"
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the graph; exit code 0 whatever it is like."""
    picture = picture_of(locate(args.plan, needs_plan=False), now=SystemClock().now())
    view = graph_view(picture)
    look = stdout_look(settings, args, argument=picture.location.argument)
    if args.json:
        output.put_json(output.success("graph", **_object(picture, view, look, form=args.format)))
        return 0
    if args.format == _MERMAID and not args.quiet:
        output.say(_mermaid_notes(view))
    output.put(_lines(view, look, form=args.format or _ASCII))
    return 0


def graph_view(picture: Picture) -> GraphView:
    """The graph of a workspace; names of tasks that are not there are left out."""
    known = {row.name for row in picture.rows}
    nodes = [
        Node(
            name=row.name,
            type=row.type,
            how=picture.standing(row),
            depends_on=tuple(dict.fromkeys(each for each in row.depends_on if each in known)),
        )
        for row in picture.rows
    ]
    return GraphView(slug=picture.slug, tally=picture.tally, nodes=nodes)


def _lines(view: GraphView, look: Look, *, form: str) -> list[str]:
    if form == _ASCII:
        return rendered(graph_screen(view, look), look)
    if form == _SVG:
        from orchestrate.cli.screens.graph_svg import svg

        return svg(view)
    from orchestrate.cli.screens.graph_text import dot, mermaid

    return mermaid(view) if form == _MERMAID else dot(view)


def _mermaid_notes(view: GraphView) -> list[str]:
    from orchestrate.cli.screens.graph_text import MERMAID_EDGES

    count = sum(len(node.depends_on) for node in view.nodes)
    if count <= MERMAID_EDGES:
        return []
    return message_lines(
        "note", f"Mermaid draws {MERMAID_EDGES} edges unless it is configured (maxEdges); this graph has {count:,}."
    )


def _object(picture: Picture, view: GraphView, look: Look, *, form: str | None) -> dict[str, object]:
    """The answer to ``--json``."""
    layers = layers_of(view.dependencies)
    layer_of = {name: number for number, layer in enumerate(layers) for name in layer}
    tasks = [
        {
            "name": node.name,
            "type": node.type.value,
            "standing": node.how.kind.value,
            "word": node.how.word,
            "layer": layer_of[node.name],
            "dependsOn": list(node.depends_on),
        }
        for node in view.nodes
    ]
    fields = {**picture.heading(), "layers": len(layers), "tasks": tasks}
    return (
        fields if form is None else {**fields, "format": form, "text": "\n".join(_lines(view, look, form=form)) + "\n"}
    )
