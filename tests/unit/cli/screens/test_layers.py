from itertools import pairwise

import pytest

from orchestrate.cli.screens.layers import layers_of, placed, without_shortcuts

DIAMOND = {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c", "a"], "e": []}
CYCLE = {"a": [], "b": ["c", "a"], "c": ["b"], "d": ["c"]}


def test_a_task_stands_behind_the_last_of_those_that_it_waits_for():
    assert layers_of(DIAMOND) == [["a", "e"], ["b", "c"], ["d"]]
    assert layers_of({}) == []


def test_a_cycle_stands_in_a_last_layer():
    assert layers_of(CYCLE) == [["a"], ["b", "c", "d"]]
    assert layers_of({"a": ["a"]}) == [["a"]]


def test_edges_that_follow_from_others_are_left_out():
    assert without_shortcuts(DIAMOND) == {**DIAMOND, "d": ["b", "c"]}
    assert without_shortcuts({"a": [], "b": ["a", "a"]}) == {"a": [], "b": ["a"]}
    assert without_shortcuts(CYCLE) == CYCLE


def test_tasks_of_a_layer_never_overlap():
    wide = {"root": [], **{f"t{place}": ["root"] for place in range(9)}, "end": [f"t{place}" for place in range(9)]}
    placement = placed(wide)
    middle = sorted(place.across for place in placement.places.values() if place.layer == 1)
    assert len(middle) == 9
    assert all(far - near >= 1 - 1e-9 for near, far in pairwise(middle))
    assert min(middle) == 0
    assert placement.across == pytest.approx(max(middle))
    assert placement.places["root"].across == pytest.approx(placement.places["end"].across)


def test_a_long_edge_bends_in_the_layers_that_it_passes():
    placement = placed({"a": [], "b": ["a"], "c": ["b"], "d": ["c", "a"]})
    assert [bend.layer for bend in placement.bends["a", "d"]] == [1, 2]
    assert placement.bends["a", "b"] == []
    assert placement.layers == 4
    assert set(placement.places) == {"a", "b", "c", "d"}


def test_neighbours_are_sorted_so_that_few_lines_cross():
    crossed = {"a": [], "b": [], "x": ["b"], "y": ["a"]}
    places = placed(crossed).places
    assert (places["a"].across < places["b"].across) == (places["y"].across < places["x"].across)


def test_no_graph_and_cycles_are_placed_too():
    assert placed({}).layers == 0
    assert set(placed(CYCLE).places) == set(CYCLE)


def test_a_chain_of_thousands_is_no_trouble():
    chain = {"t0": [], **{f"t{place}": [f"t{place - 1}"] for place in range(1, 5000)}}
    assert len(layers_of(chain)) == 5000
    assert placed(chain).across == 0
