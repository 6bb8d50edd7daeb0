import itertools
import subprocess
import sys

import pytest
from hypothesis import given, settings, strategies as st

from orchestrate.model.graph import cycles, dependants_of, dependencies_first, dependencies_of
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
    assert list(dependencies_first(dependencies_of(DIAMOND))) == ["start", "alone", "left", "right", "end"]


def test_an_order_keeps_to_layers_or_to_its_last_task():
    chains = {"a1": [], "b1": [], "a2": ["a1"], "b2": ["b1"], "end": ["a2", "b2"]}

    assert list(dependencies_first(chains)) == ["a1", "b1", "a2", "b2", "end"]
    assert list(dependencies_first(chains, is_depth_first=True)) == ["a1", "a2", "b1", "b2", "end"]


def test_a_cycle_is_named_from_its_first_task_to_itself():
    dependencies = dependencies_of(a_plan(x=[], b=["a"], a=["b", "x"], behind=["a"]))

    assert list(cycles(dependencies)) == [["b", "a", "b"]]
    assert list(cycles(dependencies_of(DIAMOND))) == []
    assert list(dependencies_first(dependencies)) == ["x"]


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
    assert list(dependencies_first({"a": ["gone"]})) == ["a"]
    assert dependants_of({"a": ["gone", "gone"], "b": ["a", "a"]}) == {"a": ["b"], "b": []}


def test_a_chain_of_five_thousand_is_no_deeper_than_any_other():
    dependencies = dependencies_of(a_chain(5_000))

    assert list(dependencies_first(dependencies)) == [f"t{index}" for index in range(5_000)]
    assert list(dependencies_first(dependencies, is_depth_first=True))[-1] == "t4999"
    assert list(cycles(dependencies)) == []


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
        order = list(dependencies_first(dependencies_of(a_plan(**dependencies))))
        assert all(order.index(other) < order.index(name) for name in order for other in dependencies[name])


def test_checking_a_good_plan_does_not_load_networkx():
    program = (
        "import sys; from orchestrate.model.checking import parse_plan;"
        "parse_plan({'goal': 'g', 'rootSlug': 's', 'baseBranch': 'main', 'repoUrl': 'https://git.example.org/a',"
        "'tasks': [{'name': 'a', 'type': 'worker', 'scopedGoal': 'x'}]});"
        "sys.exit('networkx' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
