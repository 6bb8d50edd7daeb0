"""Who belongs to a tree of agents."""

from orchestrate.core.lineage import (
    Crew,
    Roots,
    Sighting,
    agent_of,
    believed,
    crew_sightings,
    families,
    launched_since,
    members,
    merged,
    out_of_reach,
    subtree,
)
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import (
    WORKSPACE,
    a_handed_off_row,
    a_launching_row,
    a_row,
    a_running_row,
    agent_of as agent_named,
)


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


def crew(*rows, **fields):
    return Crew({row.name: row for row in rows}, WORKSPACE, "shop", **fields)


def test_rows_and_intents_are_seen_below_the_planner_whose_plan_it_is():
    rows = [a_launching_row("new"), a_running_row("runs", parent_agent_id="bc-p"), a_handed_off_row("done")]
    seen = {each.task: each for each in crew_sightings(crew(*rows, a_row("waits"), owner="bc-o", depth=2))}
    assert set(seen) == {"new", "runs", "done"}
    assert [seen[name].parent for name in seen] == ["bc-o", "bc-p", "bc-o"]
    assert [seen[name].is_over for name in seen] == [False, False, True]
    assert {(each.workspace, each.root, each.depth) for each in seen.values()} == {(WORKSPACE, "shop", 3)}


def test_the_agent_of_a_row_is_the_one_that_its_intent_may_have_made():
    assert agent_of(a_launching_row("x", status=TaskStatus.CANCELLED)) == agent_named("x")
    assert agent_of(a_row("x")) is None


def test_what_missed_nothing_may_have_been_launched_since_under_an_id_that_follows_from_its_name():
    rows = [a_handed_off_row("done"), a_row("free", depends_on=("done",)), a_row("again", attempts=1)]
    rows += [a_row("waits", depends_on=("free",)), a_row("lost", depends_on=("nobody",)), a_running_row("runs")]
    found = list(launched_since(crew(*rows, owner="bc-o")))
    assert [each.agent_id for each in found] == [agent_named("free"), agent_named("again", 2)]
    assert {(each.parent, each.may_run, each.run_id) for each in found} == {("bc-o", False, None)}
    assert list(launched_since(Crew({row.name: row for row in rows}))) == []


def test_what_others_have_pushed_is_not_believed_against_the_service():
    shown = [seen("a", workspace="w1"), seen("b", workspace="w1"), seen("c", workspace="w1"), seen("d", workspace="w1")]
    listed = merged([seen("a", workspace="w1"), seen("b", workspace="w2"), seen("c")])
    assert names(believed(shown, listed)) == ["a", "c", "d"]


def test_families_are_told_apart_and_a_circle_is_cut_once():
    found = [seen("p"), seen("x", "p"), seen("y", "x"), seen("s", "stranger"), seen("l", "r"), seen("r", "l")]
    below = {name: names(children) for name, children in families(found).items() if children}
    assert below == {None: ["p", "s", "l"], "bc-p": ["x"], "bc-x": ["y"], "bc-l": ["r"]}
