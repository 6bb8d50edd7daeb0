"""Who waits for whose branch."""

import pytest

from orchestrate.core.blueprint import blueprint_of
from orchestrate.core.holding import branch_to_look_up, holds, starts_from
from orchestrate.model.names import placeholder_branch
from orchestrate.model.rows import OnRemote
from tests.support.builders import SLUG, a_handed_off_row, a_plan, a_row, a_task, a_verifier, moment

OF_A = placeholder_branch(SLUG, "a", task_type="worker")
SOURCE = a_handed_off_row()


def blueprint(*tasks):
    plan = a_plan("a", *tasks)
    return blueprint_of(plan, {})


@pytest.mark.parametrize(
    ("task", "fields", "follows"),
    [
        (a_verifier("b", of="a"), {"starting_ref": OF_A}, True),
        (a_task("b", startingRef=OF_A), {"starting_ref": OF_A}, True),
        (a_task("b", startingRef="cursor/a-1f2a"), {"starting_ref": "cursor/a-1f2a"}, True),
        (a_task("b"), {"starting_ref": "main", "ref_from": "a"}, True),
        (a_task("b", startingRef=OF_A), {"starting_ref": "orch/shop/b", "ref_from": "b"}, False),
        (a_task("b"), {"starting_ref": "main"}, False),
        (a_task("b", startingRef="release/2.0"), {"starting_ref": "release/2.0"}, False),
    ],
)
def test_a_task_starts_from_the_branch_of_another_one(task, fields, follows):
    assert starts_from(a_row("b", **fields), SOURCE, blueprint=blueprint(task)) is follows


def test_the_base_branch_is_nobody_s():
    assert not starts_from(a_row("b"), a_handed_off_row(branch="main"), blueprint=blueprint("b"))


@pytest.mark.parametrize(
    ("seen", "is_held"),
    [
        (None, True),
        (OnRemote(moment(), is_there=True), False),
        (OnRemote(moment(), is_there=False), True),
        (OnRemote(moment(), unknown="no route"), False),
    ],
)
def test_it_waits_for_the_look_and_for_what_is_not_there(seen, is_held):
    source, plan = a_handed_off_row(on_remote=seen), blueprint(a_verifier("b", of="a"), "c")
    assert holds(source, a_row("b", starting_ref=OF_A), blueprint=plan) is is_held
    assert holds(source, a_row("c"), blueprint=plan) is False


@pytest.mark.parametrize(
    ("branch", "asked"),
    [("cursor/a-1f2a", "cursor/a-1f2a"), (OF_A, OF_A), ("main", OF_A), ("see the notes", OF_A)],
)
def test_what_cannot_be_a_branch_of_its_own_is_looked_up_as_planned(branch, asked):
    assert branch_to_look_up(a_plan("a"), a_handed_off_row(branch=branch)) == asked
