"""A plan that is changed while it runs: what is taken in, what is refused, and what is told."""

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import LaunchAgent
from orchestrate.core.events import PlanRead
from orchestrate.core.plan_events import PlanNotTaken
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import (
    a_handed_off_row,
    a_plan,
    a_row,
    a_running_row,
    a_task,
    an_unread_state,
)
from tests.support.playbook import Playbook

BUSY = Settings(max_concurrent=1)


def running(plan, *rows, settings=BUSY) -> Playbook:
    return Playbook(an_unread_state(a_running_row("a"), *rows, settings=settings)).tell(PlanRead(plan=plan))


def test_new_tasks_are_launched_from_the_plan_that_has_them():
    book = running(a_plan("a"), settings=Settings(max_concurrent=8))
    plan = a_plan("a", "b", a_task("c", depends_on=("b",)))
    book.tell(PlanRead(plan=plan)).launches("b").leaves("c", status=TaskStatus.PENDING)
    assert [effect.plan for effect in book.effects(LaunchAgent)] == [plan]
    assert book.attention() == ["plan.json was changed and is in force: new: b, c."]


def test_pending_tasks_that_are_gone_are_pruned_and_running_ones_run_on():
    book = running(a_plan("a", "b", "c"))
    book.tell(PlanRead(plan=a_plan("c"))).leaves("b", status=TaskStatus.PRUNED).leaves("a", status=TaskStatus.RUNNING)
    assert book.attention() == ["plan.json was changed and is in force: gone: b; gone, and running on: a."]


def test_a_change_to_a_running_task_is_refused_with_a_note():
    book = running(a_plan("a"))
    book.tell(PlanRead(plan=a_plan(a_task("a", brief="otherwise", scopedGoal="more", timeoutSec=60))))
    note = "scopedGoal, brief changed in plan.json after it was launched"
    book.leaves("a", status=TaskStatus.RUNNING, note=f"{note}; this run goes on as it was asked for")
    assert book.attention() == [f"a: {note}; it runs on as it was asked for."]


def test_a_change_to_a_task_that_is_over_is_told_and_not_run_again():
    book = running(a_plan("a", "b"), a_handed_off_row("b", note="kept"))
    book.tell(PlanRead(plan=a_plan("a", a_task("b", brief="otherwise")))).launches().leaves("b", note="kept")
    assert book.attention() == ["b: brief changed in plan.json after it was launched; it is not run again for that."]


def test_what_only_the_engine_acts_on_is_taken_in_unsaid():
    book = running(a_plan("a", "b"))
    changed = a_task("a", retry={"attempts": 2, "on": ["oom"]}, maxAttempts=2, priority=3)
    book.tell(PlanRead(plan=a_plan(changed, a_task("b", brief="it waits still")))).asks()
    assert book.attention() == []


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"rootSlug": "other"}, "rootSlug"),
        ({"repoUrl": "https://git.example.org/x/y.git", "runtime": {"kind": "cloud"}}, "repoUrl, runtime"),
    ],
)
def test_what_an_engine_is_put_together_with_cannot_change(fields, named):
    book = running(a_plan("a"))
    before = book.state
    book.tell(PlanRead(plan=a_plan("a", "b", **fields))).asks()
    assert book.state == before
    assert book.attention() == [
        f"plan.json has another {named} now; a running engine keeps what it began with, and nothing of the change was"
        " taken in. Stop it and call run again."
    ]


def test_many_names_are_cut():
    book = running(a_plan("a"))
    book.tell(PlanRead(plan=a_plan("a", *[f"t{number}" for number in range(7)])))
    assert book.attention() == ["plan.json was changed and is in force: new: t0, t1, t2, t3, t4 and 2 more."]


def test_a_limit_of_the_plan_holds_as_it_is_now_where_the_caller_named_none():
    rows = [a_row("b"), a_row("c")]
    more = a_plan("a", "b", "c", limits={"maxConcurrent": 2})
    follows = Settings(max_concurrent=1, follows_plan=True)
    running(a_plan("a", "b", "c"), *rows, settings=follows).tell(PlanRead(plan=more)).launches("b")
    running(a_plan("a", "b", "c"), *rows).tell(PlanRead(plan=more)).launches()


def test_a_plan_that_is_not_taken_changes_nothing_and_is_told():
    book = running(a_plan("a"))
    before = book.state
    book.tell(PlanNotTaken(message="plan.json has a fault."))
    assert (book.state, book.attention()) == (before, ["plan.json has a fault."])


def test_what_is_odd_about_a_change_is_told_and_it_is_in_force():
    book = running(a_plan("a"))
    book.tell(PlanRead(plan=a_plan("a", "b"), warnings=("the head of a list is missing.",)))
    assert book.attention() == [
        "plan.json was changed: the head of a list is missing.",
        "plan.json was changed and is in force: new: b.",
    ]
