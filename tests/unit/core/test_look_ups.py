"""Which branches are looked up, when, and who waits for that."""

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import LookUpRefs, SetTimer
from orchestrate.core.events import PlanRead, RunEnded, StopReason, StopRequested, Timer, TimerKind
from orchestrate.core.pacing import LOOK_UP_PATIENCE_SECONDS
from orchestrate.core.ref_events import WantedRef
from orchestrate.model.names import placeholder_branch
from orchestrate.model.rows import OnRemote
from orchestrate.model.vocabulary import RunStatus
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
    an_unread_state,
    moment,
    run_of,
    seen,
)
from tests.support.playbook import Playbook

OF_A = placeholder_branch(SLUG, "a", task_type="worker")
WANTED = WantedRef("a", 1, "cursor/a-1f2a", "main")
THERE, ABSENT = OnRemote(moment(), is_there=True), OnRemote(moment(), is_there=False)
PATIENCE = SetTimer(timer=Timer(TimerKind.LOOK_UP, "a", 1), delay_seconds=LOOK_UP_PATIENCE_SECONDS)


def ended(task: str = "a", **handoff) -> RunEnded:
    return RunEnded(task=task, run_id=run_of(task), status=RunStatus.FINISHED, reply=a_reply(task, **handoff))


def asked(book: Playbook) -> list[WantedRef]:
    return [ref for effect in book.effects(LookUpRefs) for ref in effect.refs]


def read(plan, *rows, **fields) -> Playbook:
    return Playbook(an_unread_state(*rows, **fields)).tell(PlanRead(plan=plan))


def test_a_branch_is_looked_up_beside_the_dependants_that_do_not_start_from_it():
    book = Playbook(a_state(a_plan("a", a_task("b", depends_on=("a",))), a_running_row())).tell(ended()).launches("b")
    assert [effect for effect in book.effects(LookUpRefs) if effect.is_awaited] == []
    assert asked(book) == [WANTED]
    assert book.effects(SetTimer) == []


def test_the_last_look_is_made_at_once_for_the_end_of_the_run_waits_for_it():
    book = Playbook(a_state(a_plan("a", "c"), a_running_row(), a_running_row("c"))).tell(ended())
    assert [effect.is_awaited for effect in book.effects(LookUpRefs)] == [False]
    book = book.tell(ended("c"))
    assert [effect.is_awaited for effect in book.effects(LookUpRefs)] == [True]


def test_who_starts_from_the_branch_waits_for_the_look_and_not_for_long():
    book = Playbook(a_state(a_plan("a", a_verifier("b", of="a"), "c"), a_running_row(), a_running_row("c")))
    book.tell(ended()).asks(LookUpRefs(refs=(WANTED,), is_awaited=True), PATIENCE)


@pytest.mark.parametrize(("handoff", "branch"), [({"branch": None}, OF_A), ({"branch": "main"}, OF_A)])
def test_where_no_branch_was_named_the_planned_one_is_looked_up(handoff, branch):
    book = Playbook(a_state(a_plan("a", "b"), a_running_row(), a_running_row("b"))).tell(ended(**handoff))
    assert asked(book) == [WantedRef("a", 1, branch, "main")]


def test_a_task_that_goes_on_with_its_own_branch_has_no_other_start():
    row = a_running_row(starting_ref="cursor/a-1f2a")
    plan = a_plan(a_task("a", startingRef="cursor/a-1f2a"))
    assert asked(Playbook(a_state(plan, row)).tell(ended())) == [WantedRef("a", 1, "cursor/a-1f2a")]


def test_a_verifier_s_branch_matters_only_to_those_that_start_from_it():
    verifier = a_verifier("v", of="a")
    rows = (a_handed_off_row(pushed=True, on_remote=THERE), a_running_row("v", type="verifier"))
    alone = Playbook(a_state(a_plan("a", verifier), *rows)).tell(ended("v", branch=None))
    assert asked(alone) == []
    followed = a_plan("a", verifier, a_task("b", depends_on=("v",), startingRef=f"orch/{SLUG}/v"))
    book = Playbook(a_state(followed, *rows)).tell(ended("v", branch=None))
    assert [ref.task for ref in asked(book)] == ["v"]


@pytest.mark.parametrize(
    ("fields", "is_asked"),
    [
        ({"pushed": True}, True),
        ({"pushed": True, "on_remote": THERE}, False),
        ({"pushed": False, "on_remote": ABSENT}, True),
        ({"pushed": True, "on_remote": OnRemote(moment(), unknown="no route")}, True),
        ({}, False),  # of another tool, and nobody starts from it
    ],
)
def test_the_next_engine_looks_up_what_this_one_left(fields, is_asked):
    book = read(a_plan("a", "b"), a_handed_off_row(**fields), a_running_row("b"))
    assert [ref.task for ref in asked(book)] == (["a"] if is_asked else [])


def test_a_branch_of_another_tool_s_state_is_looked_up_for_those_that_start_from_it():
    book = read(a_plan("a", a_verifier("b", of="a")), a_handed_off_row(branch="see the notes")).launches()
    assert asked(book) == [WantedRef("a", 1, OF_A, "main")]
    assert book.tell(seen(branch=OF_A)).launches("b").row().branch == "see the notes"


def test_one_order_asks_for_all():
    rows = (a_handed_off_row("a", pushed=True), a_handed_off_row("b", pushed=True))
    book = read(a_plan("a", "b"), *rows)
    assert len(book.effects(LookUpRefs)) == 1
    assert [ref.task for ref in asked(book)] == ["a", "b"]


def test_a_plan_that_is_changed_has_branches_looked_up_for_its_new_tasks():
    book = read(a_plan("a", "z"), a_handed_off_row("a"), a_running_row("z"))
    book.tell(PlanRead(plan=a_plan("a", "z", a_verifier("b", of="a"))))
    assert [ref.task for ref in asked(book)] == ["a"]
    book.tell(PlanRead(plan=a_plan("a", "z", a_verifier("b", of="a")))).asks(PATIENCE)  # it is on its way


def test_who_only_answers_looks_nothing_up():
    book = read(a_plan("a"), a_handed_off_row(pushed=True), settings=Settings(max_concurrent=1, answers_only=True))
    assert asked(book) == []


def test_an_engine_that_leaves_looks_nothing_up():
    book = Playbook(a_state(a_plan("a", "b"), a_running_row("a"), a_row("b")))
    book.tell(StopRequested(reason=StopReason.INTERRUPT)).tell(ended())
    assert asked(book) == []
