import itertools
import subprocess
import sys

import pytest
from hypothesis import given, settings, strategies as st

from orchestrate.model.graph import TaskGraph, cycles, dependencies_of, find_cycle
from orchestrate.model.plan import Plan


def a_plan(**dependencies):
    tasks = [
        {"name": name, "type": "worker", "scopedGoal": "x", "dependsOn": others}
        for name, others in dependencies.items()
    ]
    return Plan.model_validate(
        {"goal": "g", "rootSlug": "s", "baseBranch": "main", "repoUrl": "https://git.example.org/a", "tasks": tasks}
    )


def a_chain(length):
    return a_plan(**{f"t{index}": [f"t{index - 1}"] if index else [] for index in range(length)})


DIAMOND = a_plan(end=["left", "right"], left=["start"], right=["start"], start=[], alone=[])


def test_an_order_puts_tasks_behind_what_they_wait_for():
    assert TaskGraph(DIAMOND).topological_order() == ["start", "alone", "left", "right", "end"]


def test_waves_count_the_longest_way_to_a_task():
    assert TaskGraph(DIAMOND).waves() == [("start", "alone"), ("left", "right"), ("end",)]


def test_dependants_are_the_tasks_that_name_it():
    graph = TaskGraph(DIAMOND)

    assert graph.dependants_of("start") == ("left", "right")
    assert graph.dependants_of("end") == ()


def test_all_behind_and_all_before_go_the_whole_way():
    graph = TaskGraph(DIAMOND)

    assert graph.all_behind("start") == {"left", "right", "end"}
    assert graph.all_before("end") == {"left", "right", "start"}
    assert graph.all_behind("alone") == frozenset()


@pytest.mark.parametrize(
    ("weights", "path"),
    [
        (None, ["start", "left", "end"]),
        ({"right": 2.0, "left": 1.0}, ["start", "right", "end"]),
        ({"alone": 9.0}, ["alone"]),
        ({}, ["end"]),
    ],
)
def test_the_longest_path_is_the_heaviest(weights, path):
    found = TaskGraph(DIAMOND).longest_path(weights)

    assert found == path or (weights == {} and set(found) <= set(DIAMOND.tasks_by_name))


def test_a_cycle_is_named_from_its_first_task_to_itself():
    plan = a_plan(x=[], b=["a"], a=["b", "x"])

    assert find_cycle(plan) == ["b", "a", "b"]
    assert find_cycle(DIAMOND) is None
    with pytest.raises(ValueError, match="cycle"):
        TaskGraph(plan).topological_order()


@pytest.mark.parametrize(
    ("dependencies", "found"),
    [
        ({}, []),
        ({"a": ["a"]}, [["a", "a"]]),
        ({"a": ["b"], "b": ["a"], "c": ["d"], "d": ["c"]}, [["a", "b", "a"], ["c", "d", "c"]]),
        ({"a": ["b"], "b": ["c"], "c": ["a", "b"]}, [["a", "b", "c", "a"]]),
        ({"z": ["a"], "a": ["b", "b"], "b": ["a"]}, [["a", "b", "a"]]),
    ],
)
def test_each_knot_gives_one_cycle(dependencies, found):
    assert list(cycles(dependencies)) == found


def test_names_that_are_no_task_are_no_edges():
    assert dependencies_of(a_plan(a=["b", "nobody"], b=[])) == {"a": ("b",), "b": ()}


def test_a_chain_of_five_thousand_is_no_deeper_than_any_other():
    graph = TaskGraph(a_chain(5_000))

    assert graph.topological_order() == graph.longest_path() == [f"t{index}" for index in range(5_000)]
    assert len(graph.waves()) == 5_000
    assert len(graph.all_behind("t0")) == len(graph.all_before("t4999")) == 4_999
    assert graph.find_cycle() is None


def test_a_cycle_of_five_thousand_is_found():
    ring = {f"t{index}": [f"t{(index + 1) % 5_000}"] for index in range(5_000)}

    (cycle,) = cycles(ring)

    assert cycle == [*ring, "t0"]


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), max_size=3)))
@settings(deadline=None)
def test_a_reported_cycle_follows_edges_and_an_order_exists_without_one(drawn):
    dependencies = {name: [other for other in others if other in drawn] for name, others in drawn.items()}
    found = list(cycles(dependencies))

    for cycle in found:
        assert cycle[0] == cycle[-1]
        assert all(there in dependencies[here] for here, there in itertools.pairwise(cycle))
    if not found and dependencies:
        order = TaskGraph(a_plan(**dependencies)).topological_order()
        assert all(order.index(other) < order.index(name) for name in order for other in dependencies[name])


def test_checking_a_good_plan_does_not_load_networkx():
    program = (
        "import sys; from orchestrate.model.checking import parse_plan;"
        "parse_plan({'goal': 'g', 'rootSlug': 's', 'baseBranch': 'main', 'repoUrl': 'https://git.example.org/a',"
        "'tasks': [{'name': 'a', 'type': 'worker', 'scopedGoal': 'x'}]});"
        "sys.exit('networkx' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
