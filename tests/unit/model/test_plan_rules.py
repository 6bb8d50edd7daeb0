"""Messages of each rule are in ``test_checking``; here is what the rules do with plans that are wrong otherwise."""

from orchestrate.model.plan_outline import outline_of
from orchestrate.model.plan_rules import broken_rules


def broken(*tasks, local=None, **fields):
    return [problem.location for problem in broken_rules(outline_of({"tasks": list(tasks), **fields}), local=local)]


def test_tasks_without_a_name_are_checked_for_what_they_mention():
    assert broken({"dependsOn": ["nobody"]}, {"type": "verifier", "verifies": "nobody"}) == [
        ("tasks", 0, "dependsOn", 0),
        ("tasks", 1, "verifies"),
    ]


def test_tasks_of_an_unknown_type_may_have_a_target():
    assert broken({"name": "a", "type": "wrker", "verifies": "b"}) == []


def test_an_empty_name_is_no_name():
    assert broken({"name": "", "dependsOn": [""]}, {"name": ""}) == [("tasks", 0, "dependsOn", 0)]


def test_a_merge_task_that_is_no_worker_has_a_branch_of_its_own():
    assert broken({"name": "x", "type": "worker"}, {"name": "merge-x", "type": "subplanner"}) == []


def test_a_repeated_name_is_one_place_in_the_graph():
    first = {"name": "a", "type": "worker", "dependsOn": ["b"]}
    other = {"name": "b", "type": "worker", "dependsOn": ["a"]}

    assert broken(first, other, {**first, "dependsOn": []}) == [("tasks", 2, "name"), ("tasks", 0, "dependsOn", 0)]


def test_an_empty_address_is_left_to_its_field():
    assert broken(repoUrl=" ") == []
    assert broken(repoUrl="x") == [("repoUrl",)]
    assert broken(repoUrl="x", local=True) == []
