import re
import shutil
import subprocess

import pytest

from orchestrate.cli.screens.graph import GraphView, Node
from orchestrate.cli.screens.graph_text import dot, edges, mermaid
from orchestrate.cli.screens.tally import Tally
from orchestrate.cli.screens.vocabulary import Kind, Standing
from orchestrate.model.vocabulary import TaskType

#: What a name could try in a plan that nobody has checked yet.
NASTY = 'end"]; x --> y; "<script>alert(1)</script> \\" \\N & &lt; {{a}} | `b` # % \n\x1b[31m\u202e'

VIEW = GraphView(
    "shop",
    Tally(handed_off=1, waiting=2),
    [
        Node("api-schema", TaskType.WORKER, Standing(Kind.DONE, "handed off"), ()),
        Node("plan-export", TaskType.SUBPLANNER, Standing(Kind.ERROR, 'error "x"'), ("api-schema",)),
        Node("verify", TaskType.VERIFIER, Standing(Kind.WAITING, "waiting for y"), ("api-schema", "plan-export")),
    ],
)
HOSTILE = GraphView(
    NASTY,
    Tally(waiting=2),
    [
        Node(NASTY, TaskType.WORKER, Standing(Kind.WAITING, NASTY), ()),
        Node("b", TaskType.WORKER, Standing(Kind.ERROR, NASTY), (NASTY,)),
    ],
)

_QUOTED = r'"(?:[^"\\\n]|\\.)*"'
_DOT_LINES = re.compile(
    rf"digraph {_QUOTED} \{{\n"
    r"  graph \[rankdir=LR\]\n"
    rf"  node \[.*\]\n  edge \[.*\]\n"
    rf"(?:  n\d+ \[\w+={_QUOTED}(?:, \w+={_QUOTED})*\]\n)*"
    r"(?:  n\d+ -> n\d+\n)*"
    r"\}"
)
_MERMAID_LINES = re.compile(
    r"%%[^\n{}]*\nflowchart LR(?:\n|$)"
    r'(?:  n\d+(?:\[\[|\(\[|\[)"[^"<>\n]*<br/>[^"<>\n]*"(?:\]\]|\]\)|\]):::\w+\n)*'
    r"(?:  n\d+ --> n\d+\n)*"
    r"(?:  classDef \w+ stroke:#\w+,stroke-width:2px(?:\n|$))*"
)


def test_dot_says_what_stands_where():
    assert dot(VIEW) == [
        'digraph "shop" {',
        "  graph [rankdir=LR]",
        '  node [fontname="monospace", fontsize=11, style=rounded]',
        "  edge [color=gray50]",
        '  n0 [label="✓ api-schema\\nhanded off", shape="box", color="#1f6feb", class="done", '
        'tooltip="api-schema, handed off"]',
        '  n1 [label="✗ plan-export\\nsubplanner, error \\"x\\"", shape="component", color="#cf222e", class="error", '
        'tooltip="plan-export, subplanner, error \\"x\\""]',
        '  n2 [label="· verify\\nverifier, waiting", shape="ellipse", color="#8b949e", class="waiting", '
        'tooltip="verify, verifier, waiting"]',
        "  n0 -> n1",
        "  n0 -> n2",
        "  n1 -> n2",
        "}",
    ]


def test_mermaid_says_the_same():
    assert mermaid(VIEW) == [
        "%% shop: 1 of 3 handed off",
        "flowchart LR",
        '  n0["✓ api-schema<br/>handed off"]:::done',
        '  n1[["✗ plan-export<br/>subplanner, error #34;x#34;"]]:::error',
        '  n2(["· verify<br/>verifier, waiting"]):::waiting',
        "  n0 --> n1",
        "  n0 --> n2",
        "  n1 --> n2",
        "  classDef done stroke:#1f6feb,stroke-width:2px",
        "  classDef error stroke:#cf222e,stroke-width:2px",
        "  classDef waiting stroke:#8b949e,stroke-width:2px",
    ]


@pytest.mark.parametrize("view", [VIEW, HOSTILE, GraphView("empty", Tally(), [])])
def test_names_cannot_leave_their_quotes(view):
    assert _DOT_LINES.fullmatch("\n".join(dot(view)))
    assert _MERMAID_LINES.fullmatch("\n".join(mermaid(view)))


@pytest.mark.parametrize("made", [dot, mermaid])
def test_nothing_in_it_steers_a_terminal(made):
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", "".join(made(HOSTILE)))


@pytest.mark.parametrize("view", [VIEW, HOSTILE])
def test_graphviz_draws_it(view):
    program = shutil.which("dot")
    if program is None:
        pytest.skip("Graphviz is not installed here; the shape of the text is checked above")
    done = subprocess.run([program, "-Tjson0"], input="\n".join(dot(view)).encode(), capture_output=True, check=True)
    assert done.stderr == b""
    assert done.stdout.count(b'"_gvid"') == len(view.nodes) + len(list(edges(view)))
