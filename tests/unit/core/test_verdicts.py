"""Verification: where a task has a verifier only verdicts count, and an unreadable one is neither pass nor fail."""

import pytest

from orchestrate.core.events import PlanRead, RunEnded
from orchestrate.core.verdicts import judged
from orchestrate.model.rows import Verdict
from orchestrate.model.vocabulary import RunStatus, TaskStatus, Verification
from tests.support.builders import (
    a_handed_off_row,
    a_plan,
    a_reply,
    a_running_row,
    a_state,
    a_task,
    a_verifier,
    an_unread_state,
    moment,
    run_of,
)
from tests.support.playbook import Playbook

LIVE, UNIT, TYPES = Verification.LIVE_UI_VERIFIED, Verification.UNIT_TEST_VERIFIED, Verification.TYPE_CHECK_ONLY
FAILED, BLOCKED, NOT = Verification.VERIFIER_FAILED, Verification.VERIFIER_BLOCKED, Verification.NOT_VERIFIED


def verdict(value: Verification | None, by: str = "v") -> Verdict:
    return Verdict(by=by, value=value, sha=None, at=moment())


def ended(task: str, verification: Verification | None) -> RunEnded:
    return RunEnded(
        task=task, run_id=run_of(task), status=RunStatus.FINISHED, reply=a_reply(task, verification=verification)
    )


def checked(*values: Verification | None) -> Playbook:
    """A target whose verifiers, one a value, end one after the other."""
    names = [f"v{place}" for place in range(len(values))]
    plan = a_plan("a", *[a_verifier(name, of="a") for name in names])
    target = a_handed_off_row("a", self_report=LIVE, verification=None, note="no verdict yet")
    book = Playbook(a_state(plan, target, *[a_running_row(name, type="verifier") for name in names]))
    for name, value in zip(names, values, strict=True):
        book.tell(ended(name, value))
    return book


def test_without_a_verifier_a_task_s_own_word_counts():
    Playbook(a_state(a_plan("a"), a_running_row())).tell(ended("a", TYPES)).leaves(
        verification=TYPES, self_report=TYPES
    )


def test_with_a_verifier_a_task_s_own_word_does_not_count():
    plan = a_plan("a", a_verifier("v", of="a"))
    book = Playbook(a_state(plan, a_running_row())).tell(ended("a", LIVE))
    book.leaves("a", verification=None, self_report=LIVE, note="no verdict yet")


@pytest.mark.parametrize(
    ("values", "verification"),
    [
        ([UNIT], UNIT),
        ([NOT], NOT),  # also when it is worse than the task's own word
        ([UNIT, LIVE], LIVE),
        ([LIVE, TYPES], LIVE),
        ([LIVE, FAILED], FAILED),  # of several, a failure wins
        ([FAILED, LIVE], FAILED),
        ([BLOCKED, LIVE], BLOCKED),
        ([BLOCKED, FAILED], FAILED),
        ([None, UNIT], UNIT),
    ],
)
def test_of_several_verdicts_the_one_that_settles_the_matter_counts(values, verification):
    checked(*values).leaves("a", verification=verification, note=None)


def test_an_unreadable_verdict_is_neither_pass_nor_failure():
    book = checked(None).leaves("a", verification=None, note="its verdict is unreadable", status=TaskStatus.HANDED_OFF)
    assert book.attention() == ["verdict of v0 is unreadable and does not count."]


def test_a_note_of_another_kind_stays():
    plan = a_plan("a", a_verifier("v", of="a"))
    target = a_handed_off_row("a", note="the reply has none of the handoff's headings")
    book = Playbook(a_state(plan, target, a_running_row("v", type="verifier"))).tell(ended("v", None))
    note = "the reply has none of the handoff's headings; its verdict is unreadable"
    book.leaves("a", verification=None, note=note)


def test_a_verifier_s_own_row_carries_its_verdict():
    checked(FAILED).leaves("v0", verification=FAILED, status=TaskStatus.HANDED_OFF)


def test_a_verdict_replaces_the_former_one_of_the_same_verifier():
    plan = a_plan("a", a_verifier("v", of="a"))
    target = a_handed_off_row("a", verdicts=(verdict(FAILED),), verification=FAILED)
    book = Playbook(a_state(plan, target, a_running_row("v", type="verifier"))).tell(ended("v", UNIT))
    book.leaves("a", verification=UNIT, verdicts=(Verdict(by="v", value=UNIT, sha=None, at=moment(1)),))


@pytest.mark.parametrize(
    "target",
    [
        a_running_row("a", attempt=2, started_at=moment(5)),
        a_handed_off_row("a", finished_at=moment(50)),
    ],
    ids=["it runs again", "it ran again meanwhile"],
)
def test_a_verdict_about_earlier_work_does_not_count(target):
    plan = a_plan("a", a_verifier("v", of="a"))
    book = Playbook(a_state(plan, target, a_running_row("v", type="verifier", started_at=moment(4))))
    book.tell(ended("v", UNIT)).leaves("a", verification=None, verdicts=())
    assert book.attention() == ["verdict of v is about earlier work of a: not counted."]


def test_a_verdict_of_a_task_that_left_the_plan_has_no_target():
    book = Playbook(a_state(a_plan("a"), a_handed_off_row("a", self_report=LIVE), a_running_row("v", type="verifier")))
    book.tell(ended("v", FAILED)).leaves("a", verdicts=())


def test_a_worker_s_end_passes_no_verdict_on():
    plan = a_plan("a", a_task("b", depends_on=("a",)))
    book = Playbook(a_state(plan, a_handed_off_row("a"), a_running_row("b"))).tell(ended("b", FAILED))
    book.leaves("a", verification=None, verdicts=())


def test_a_verifier_that_joins_the_plan_takes_the_task_s_own_word_away():
    row = a_handed_off_row("a", self_report=LIVE, verification=LIVE)
    book = Playbook(an_unread_state(row)).tell(PlanRead(plan=a_plan("a", a_verifier("v", of="a"))))
    book.leaves("a", verification=None, note="no verdict yet")


def test_a_verifier_that_leaves_the_plan_takes_its_verdict_with_it():
    row = a_handed_off_row(
        "a", self_report=LIVE, verdicts=(verdict(FAILED, "gone"), verdict(UNIT)), verification=FAILED
    )
    book = Playbook(an_unread_state(row)).tell(PlanRead(plan=a_plan("a", a_verifier("v", of="a"))))
    book.leaves("a", verification=UNIT)
    Playbook(an_unread_state(row)).tell(PlanRead(plan=a_plan("a", "z"))).leaves("a", verification=LIVE)


def test_what_a_foreign_state_says_of_its_verification_stays():
    row = a_handed_off_row("a", verification=UNIT)
    book = Playbook(an_unread_state(row)).tell(PlanRead(plan=a_plan("a", a_verifier("v", of="a"))))
    book.leaves("a", verification=UNIT)


def test_judging_twice_says_the_same():
    state = a_state(a_plan("a", a_verifier("v", of="a")), a_handed_off_row("a", self_report=LIVE))
    once = judged(state, state.rows["a"])
    assert judged(state, once) == once
