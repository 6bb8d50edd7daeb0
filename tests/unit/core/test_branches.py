"""Which branch a task really has, and who follows it."""

import pytest

from orchestrate.core.branches import has_real_branch, pushed_branch
from orchestrate.core.events import PlanRead, RunEnded
from orchestrate.model.handoff import Handoff
from orchestrate.model.names import placeholder_branch
from orchestrate.model.vocabulary import RunStatus, TaskStatus
from tests.support.builders import (
    SLUG,
    a_handed_off_row,
    a_plan,
    a_reply,
    a_row,
    a_running_row,
    a_state,
    a_task,
    a_verifier,
    an_empty_reply,
    an_unread_state,
    run_of,
    seen,
)
from tests.support.playbook import Playbook

OF_A = placeholder_branch(SLUG, "a", task_type="worker")


def ended(task: str = "a", **handoff) -> RunEnded:
    return RunEnded(task=task, run_id=run_of(task), status=RunStatus.FINISHED, reply=a_reply(task, **handoff))


def read(plan, *rows) -> Playbook:
    return Playbook(an_unread_state(*rows)).tell(PlanRead(plan=plan))


@pytest.mark.parametrize(
    ("handoff", "branch"),
    [
        (Handoff(branch="cursor/a-1f2a"), "cursor/a-1f2a"),
        (Handoff(branch=OF_A), OF_A),  # the agent did push to the planned name
        (Handoff(), None),
        (Handoff(branch="main"), None),  # the base branch means: nothing pushed
        (Handoff(branch="cursor/a-1f2a", says_no_branch=True), "cursor/a-1f2a"),
        (Handoff(branch="see the pull request"), None),  # prose is no ref
        (Handoff(branch="-delete"), None),
        (Handoff(branch="+main"), None),
    ],
)
def test_a_branch_counts_as_pushed_only_if_it_can_be_one(handoff, branch):
    assert pushed_branch(a_state(a_plan("a"), a_running_row()), handoff) == branch


@pytest.mark.parametrize(
    ("fields", "is_real"),
    [
        ({}, True),  # a foreign state says only where it is
        ({"branch": OF_A}, False),
        ({"branch": "main"}, False),
        ({"branch": "two words"}, False),
        ({"branch": OF_A, "pushed": True}, True),
        ({"pushed": False}, False),
        ({"status": TaskStatus.ERROR}, False),
    ],
)
def test_a_row_has_a_real_branch_once_its_task_handed_off_on_one(fields, is_real):
    assert has_real_branch(a_plan("a"), a_handed_off_row("a", **fields)) is is_real


@pytest.mark.parametrize(
    "follower",
    [
        a_verifier("b", of="a"),
        a_task("b", depends_on=("a",), startingRef=OF_A),
    ],
    ids=["a verifier", "a planner's placeholder"],
)
def test_who_starts_from_the_placeholder_gets_the_real_branch(follower):
    book = Playbook(a_state(a_plan("a", follower), a_running_row())).leaves("b", starting_ref=OF_A).tell(ended())
    book.leaves("b", starting_ref="cursor/a-1f2a", ref_from="a").launches()
    assert book.attention() == [f"b starts from cursor/a-1f2a now, the branch of a (was {OF_A})"]
    book.tell(seen()).launches("b")
    assert book.decision.effects[0].row.starting_ref == "cursor/a-1f2a"


def test_a_ref_that_the_planner_chose_otherwise_is_never_touched():
    book = Playbook(a_state(a_plan("a", a_task("b", depends_on=("a",), startingRef="release/2.0")), a_running_row()))
    book.tell(ended()).leaves("b", starting_ref="release/2.0", ref_from=None)


def test_a_task_without_a_ref_starts_from_the_base_branch():
    book = Playbook(a_state(a_plan("a", a_task("b", depends_on=("a",))), a_running_row())).tell(ended())
    book.leaves("b", starting_ref="main", ref_from=None)


def test_a_placeholder_without_a_dependency_is_whatever_is_there_at_that_moment():
    book = read(a_plan("a", a_task("b", startingRef=OF_A))).launches("a", "b").leaves("b", starting_ref=OF_A)
    book.leaves("b", status=TaskStatus.RUNNING)


def test_a_task_that_waits_for_another_one_follows_a_placeholder_meanwhile():
    plan = a_plan("a", "c", a_task("b", depends_on=("c",), startingRef=OF_A))
    book = Playbook(a_state(plan, a_running_row("a"), a_running_row("c"))).tell(ended())
    book.leaves("b", starting_ref="cursor/a-1f2a", ref_from="a")


def test_a_task_that_pushed_to_its_placeholder_moves_nobody():
    book = Playbook(a_state(a_plan("a", a_verifier("b", of="a")), a_running_row())).tell(ended(branch=OF_A))
    book.leaves("a", pushed=True).leaves("b", starting_ref=OF_A, ref_from=None)
    assert book.attention() == []


def test_a_task_that_pushed_nothing_moves_nobody():
    book = Playbook(a_state(a_plan("a", a_verifier("b", of="a")), a_running_row())).tell(ended(branch=None))
    book.leaves("b", starting_ref=OF_A, ref_from=None)


def test_a_task_in_error_moves_nobody():
    event = RunEnded(task="a", run_id=run_of("a"), status=RunStatus.ERROR, reply=an_empty_reply())
    book = Playbook(a_state(a_plan("a", a_verifier("b", of="a")), a_running_row())).tell(event)
    book.leaves("b", starting_ref=OF_A, ref_from=None)


def test_who_started_already_stays_where_it_is():
    plan = a_plan("a", a_task("b", startingRef=OF_A))
    book = Playbook(a_state(plan, a_running_row("a"), a_running_row("b", starting_ref=OF_A))).tell(ended())
    book.leaves("b", starting_ref=OF_A)


def test_a_ref_follows_again_when_its_task_lands_elsewhere():
    follower = a_row("b", depends_on=("a",), starting_ref="cursor/a-0000", ref_from="a")
    plan = a_plan("a", a_verifier("b", of="a"))
    book = Playbook(a_state(plan, a_running_row("a"), follower)).tell(ended())
    book.leaves("b", starting_ref="cursor/a-1f2a", ref_from="a")
    assert book.attention() == ["b starts from cursor/a-1f2a now, the branch of a (was cursor/a-0000)"]


def test_the_sweep_on_load_hands_real_branches_on_once():
    plan = a_plan("a", a_verifier("b", of="a"))
    book = read(plan, a_handed_off_row("a"), a_row("b", depends_on=("a",), starting_ref=OF_A))
    book.leaves("b", starting_ref="cursor/a-1f2a", ref_from="a").launches().tell(seen()).launches("b")
    waiting = a_row("b", depends_on=("a",), starting_ref="cursor/a-1f2a", ref_from="a")
    assert read(plan, a_handed_off_row("a"), waiting).attention() == []


def test_a_branch_of_a_foreign_state_that_is_prose_moves_nobody():
    plan = a_plan("a", a_verifier("b", of="a"))
    read(plan, a_handed_off_row("a", branch="see notes")).leaves("b", starting_ref=OF_A)


def test_a_task_that_joins_the_plan_later_follows_a_branch_that_is_there():
    book = read(a_plan("a", "z"), a_handed_off_row("a"))
    book.tell(PlanRead(plan=a_plan("a", "z", a_verifier("b", of="a")))).launches()
    book.leaves("b", starting_ref="cursor/a-1f2a", ref_from="a").tell(seen()).launches("b")


def test_the_planner_s_new_ref_replaces_one_that_followed():
    row = a_row("b", depends_on=("a", "c"), starting_ref="cursor/a-1f2a", ref_from="a")
    plan = a_plan("a", "c", a_task("b", depends_on=("a", "c"), startingRef="release/2.0"))
    read(plan, a_handed_off_row("a"), row).leaves("b", starting_ref="release/2.0", ref_from=None)
