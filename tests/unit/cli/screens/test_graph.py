from datetime import UTC

import pytest

from orchestrate.cli.screens.graph import GraphView, Node, graph_screen
from orchestrate.cli.screens.layout import Look, drawn_width, rendered
from orchestrate.cli.screens.tally import Tally
from orchestrate.cli.screens.vocabulary import Kind, Standing
from orchestrate.model.vocabulary import TaskType


def graph(dependencies, *, types=None, done=()):
    nodes = [
        Node(
            name,
            (types or {}).get(name, TaskType.WORKER),
            Standing(Kind.DONE, "handed off") if name in done else Standing(Kind.WAITING, "waiting for x"),
            tuple(others),
        )
        for name, others in dependencies.items()
    ]
    return GraphView("shop", Tally(handed_off=len(done), waiting=len(nodes) - len(done)), nodes)


def shown(view, **look):
    screen = Look(tz=UTC, **look)
    return rendered(graph_screen(view, screen), screen)


def test_lanes_lead_from_a_task_to_those_that_wait_for_it():
    view = graph(
        {"fix": [], "add": [], "merge": ["fix", "add"], "verify": ["merge", "fix"]},
        types={"verify": TaskType.VERIFIER},
        done=("fix", "add"),
    )
    assert shown(view) == [
        "shop   2 of 4 handed off · 2 waiting",
        "✓    fix       handed off",
        "│ ✓  add       handed off",
        "·─╯  merge     waiting",
        "·    verify    verifier, waiting",
    ]


def test_a_lane_goes_on_while_somebody_waits_for_its_task():
    assert [line[:9].rstrip() for line in shown(graph({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}))[1:]] == [
        "·    a",
        "├─·  b",
        "· │  c",
        "·─╯  d",
    ]


def test_lines_that_only_cross_are_told_from_those_that_meet():
    view = graph({"a": [], "b": [], "c": [], "x": ["a", "c"], "y": ["b", "a"], "z": ["c"]})
    assert [line[:10].rstrip() for line in shown(view)[1:]] == [
        "·        a",
        "│ ·      b",
        "│ │ ·    c",
        "├─│─┼─·  x",
        "·─╯ │    y",
        "    ·    z",
    ]


def test_a_task_that_nobody_waits_for_has_nothing_right_below():
    lines = shown(graph({"a": [], "b": [], "c": ["b"]}))
    assert [line[:6] for line in lines[1:]] == ["·    a", "  ·  b", "  ·  c"]


def test_ascii_has_the_same_shape():
    lines = shown(graph({"a": [], "b": [], "c": ["a", "b"]}), has_unicode=False)
    assert all(line.isascii() for line in lines)
    assert lines[3].startswith(".-'  c")


def test_a_graph_without_shortcuts_is_drawn_and_what_is_wide_is_listed_by_layers():
    wide = {f"t{place}": [] for place in range(60)}
    wide |= {f"m{place}": [f"t{each}" for each in range(60) if each % 7 != place % 7] for place in range(40)}
    lines = shown(graph(wide))
    assert lines[1] == "  layer 1 of 2"
    assert lines[2] == "· t0"
    assert lines[62] == "  layer 2 of 2"
    assert lines[63].startswith("· m0        after t1, t2, t3 + 48 more")


def test_a_cycle_is_listed():
    lines = shown(graph({"a": ["b"], "b": ["a"]}))
    assert lines[1:] == ["  layer 1 of 1", "· a         after b", "· b         after a"]


def test_no_tasks_are_no_trouble():
    assert shown(graph({})) == ["shop   0 of 0 handed off"]


def _chains(count, length):
    return {
        f"chain-{chain}-task-{place}": [f"chain-{chain}-task-{place - 1}"] if place else []
        for place in range(length)
        for chain in range(count)
    }


@pytest.mark.parametrize("columns", [40, 80, 100, 120])
@pytest.mark.parametrize("count", [3, 12, 40])
def test_no_line_is_wider_than_the_screen(columns, count):
    screen = Look(columns=columns)
    assert all(drawn_width(line, screen) <= columns for line in graph_screen(graph(_chains(count, 4)), screen))


def test_many_chains_are_drawn_one_after_the_other():
    lines = shown(graph(_chains(12, 3)), columns=80)
    assert [line.split()[-2] for line in lines[1:4]] == [f"chain-0-task-{place}" for place in range(3)]
