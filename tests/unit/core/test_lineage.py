"""Who belongs to a tree of agents."""

from orchestrate.core.lineage import Roots, Sighting, members, merged, out_of_reach, subtree


def seen(name, parent=None, workspace=None, **fields):
    return Sighting(f"bc-{name}", parent=None if parent is None else f"bc-{parent}", workspace=workspace, **fields)


TREE = merged(
    [
        seen("p", workspace="w0"),
        seen("leaf", workspace="w0"),
        seen("q", "p", "w1"),
        seen("r", "q", "w2"),
        seen("twin", None, "w2", depth=3),
        seen("stranger", "nobody", "w9"),
    ]
)


def names(found):
    return [each.agent_id.removeprefix("bc-") for each in found]


def test_the_tree_of_a_workspace_is_all_that_its_agents_led_to_parents_first():
    found = members(TREE, Roots(workspaces=frozenset({"w0"})))
    assert names(found) == ["leaf", "p", "q", "r", "twin"]
    assert [each.depth for each in found] == [1, 1, 2, 3, 3]


def test_a_workspace_that_launched_nobody_has_no_tree():
    assert members(TREE, Roots(workspaces=frozenset({"w7"}))) == []


def test_a_tree_may_begin_with_agents_or_with_the_name_of_a_plan():
    assert names(members(TREE, Roots(agents=frozenset({"bc-q", "bc-gone"})))) == ["q", "r", "twin"]
    by_name = merged([seen("a", root="shop"), seen("b", "a", "w1", root="sub"), seen("c", root="other")])
    assert names(members(by_name, Roots(slug="shop"))) == ["a", "b"]


def test_a_subtree_is_what_parent_links_show_and_the_rest_is_told_apart():
    below = subtree(TREE, "bc-q")
    assert names(below) == ["q", "r"]
    whole = members(TREE, Roots(workspaces=frozenset({"w0"})))
    assert names(out_of_reach(whole, below)) == ["leaf", "p", "twin"]
    assert names(subtree(TREE, "bc-gone")) == []


def test_a_circle_of_parents_is_walked_once():
    circle = merged([seen("a", "b"), seen("b", "a")])
    assert names(subtree(circle, "bc-a")) == ["a", "b"]
    assert names(members(circle, Roots(agents=frozenset({"bc-a"})))) == ["a", "b"]


def test_a_later_sighting_knows_better_and_takes_nothing_away():
    row = seen("a", "p", "w", run_id="run-1", task="t", ended_run="run-1", may_run=False)
    assert row.is_over
    both = merged([row, Sighting("bc-a", run_id="run-2")])["bc-a"]
    assert (both.run_id, both.task, both.parent, both.workspace) == ("run-2", "t", "bc-p", "w")
    assert both.may_run
    assert not both.is_over
    assert merged([row, Sighting("bc-a", may_run=False)])["bc-a"] == row
