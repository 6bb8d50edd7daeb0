"""How a run's end is taken in: what its task is from now on, and what nobody may take it for."""

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import EndRun
from orchestrate.core.events import Reply, RunEnded
from orchestrate.model.handoff import Handoff
from orchestrate.model.rows import Cancel
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, RunStatus, TaskStatus, Verification
from tests.support.builders import (
    a_plan,
    a_reply,
    a_running_row,
    a_state,
    a_task,
    a_verifier,
    an_empty_reply,
    moment,
    run_of,
    seen,
)
from tests.support.playbook import Playbook

DRAIN = Settings(max_concurrent=8, drain=True)


def ended(task: str = "a", status: RunStatus = RunStatus.FINISHED, *, attempt: int = 1, **fields) -> RunEnded:
    reply = a_reply(task) if status == RunStatus.FINISHED else an_empty_reply(task)
    return RunEnded(task=task, run_id=run_of(task, attempt), status=status, **{"reply": reply, **fields})


def running(task: object = "a", *, attempt: int = 1, settings: Settings | None = None, **fields) -> Playbook:
    plan = a_plan(task, a_task("last", depends_on=("a",)))
    return Playbook(a_state(plan, a_running_row("a", attempt=attempt, **fields), settings=settings))


def test_a_finished_run_with_a_message_is_handed_off():
    reply = a_reply(verification=Verification.UNIT_TEST_VERIFIED, pr_number=214)
    book = running(stalled_since=moment(), cancel=Cancel(by="somebody", at=moment())).tell(ended(reply=reply))
    book.leaves(
        status=TaskStatus.HANDED_OFF,
        result_status="finished",
        branch="cursor/a-1f2a",
        pushed=True,
        handoff_path="handoffs/a.md",
        handoff_status=HandoffStatus.SUCCESS,
        self_report=Verification.UNIT_TEST_VERIFIED,
        verification=Verification.UNIT_TEST_VERIFIED,
        pr_number=214,
        failure_mode=None,
        finished_at=moment(1),
        stalled_since=None,
        cancel=None,
        note=None,
    )
    assert book.attention() == []


@pytest.mark.parametrize(
    ("ended_at", "finished_at"),
    [
        (None, moment(600)),
        (moment(90), moment(90)),
        (moment(600), moment(600)),
        (moment(-1), moment(600)),
        (moment(601), moment(600)),
        ("yesterday", moment(600)),
    ],
)
def test_a_run_ended_when_the_service_says_unless_its_clock_is_another(ended_at, finished_at):
    book = running(started_at=moment()).tell(ended(ended_at=ended_at, at=moment(600)))
    book.leaves(status=TaskStatus.HANDED_OFF, finished_at=finished_at, last_update=moment(600))


def test_a_doubled_end_changes_nothing():
    running().tell(ended()).tell(ended()).changes_nothing()


def test_the_late_end_of_a_former_attempt_changes_nothing():
    running(attempt=2).tell(ended(status=RunStatus.ERROR)).changes_nothing()


def test_an_empty_message_is_an_error_though_the_run_finished():
    book = running(settings=DRAIN).tell(ended(reply=an_empty_reply()))
    book.leaves(status=TaskStatus.ERROR, result_status="finished", note="the agent finished and wrote nothing")
    book.leaves(handoff_path="handoffs/a-failure.md", failure_mode=FailureMode.UNKNOWN).launches()


@pytest.mark.parametrize(
    ("status", "task_status", "word"),
    [
        (RunStatus.ERROR, TaskStatus.ERROR, "error"),
        (RunStatus.EXPIRED, TaskStatus.ERROR, "expired"),
        (RunStatus.CANCELLED, TaskStatus.CANCELLED, "cancelled"),
    ],
)
def test_an_end_that_is_no_success_is_what_the_service_says(status, task_status, word):
    running(settings=DRAIN).tell(ended(status=status)).leaves(status=task_status, result_status=word).launches()


def test_an_error_keeps_the_service_s_words_and_tells_the_tries():
    event = ended(status=RunStatus.ERROR, attempt=2, message="usage limit", failure_mode=FailureMode.CAP_HIT)
    book = running(attempt=2).tell(event)
    book.leaves(note="usage limit", failure_mode=FailureMode.CAP_HIT, handoff_status=None)
    assert book.attention() == ["a is in error after 2 tries: cap-hit: usage limit"]


def test_an_error_without_words_says_so():
    book = running().tell(ended(status=RunStatus.EXPIRED))
    assert book.attention() == ["a is in error after 1 try: unknown: the service says no reason"]


def test_a_reply_without_headings_is_a_handoff_with_a_note():
    book = running().tell(ended(reply=Reply(path="handoffs/a.md", handoff=Handoff())))
    book.leaves(status=TaskStatus.HANDED_OFF, note="the reply has none of the handoff's headings")
    assert book.attention() == ["a: the reply has none of the handoff's headings; read it before you build on it."]


UNSTRUCTURED = Reply(path="handoffs/a.md", handoff=Handoff())
EMPTY = Reply(path="handoffs/a.md", is_empty=True, handoff=Handoff())


@pytest.mark.parametrize(
    ("reply", "of_plan", "of_task", "status"),
    [
        (UNSTRUCTURED, None, None, TaskStatus.HANDED_OFF),
        (EMPTY, None, None, TaskStatus.ERROR),
        (UNSTRUCTURED, "error", None, TaskStatus.ERROR),
        (EMPTY, "handed-off", None, TaskStatus.HANDED_OFF),
        (UNSTRUCTURED, "error", "handed-off", TaskStatus.HANDED_OFF),  # the task's word is the nearer one
        (EMPTY, "handed-off", "error", TaskStatus.ERROR),
        (a_reply(), "error", "error", TaskStatus.HANDED_OFF),
    ],
)
def test_the_plan_says_what_a_finished_run_without_a_handoff_is(reply, of_plan, of_task, status):
    plan = a_plan(a_task("a", onUnstructured=of_task), onUnstructured=of_plan)
    Playbook(a_state(plan, a_running_row("a"))).tell(ended(reply=reply)).leaves(status=status)


def test_the_rule_of_the_plan_holds_for_a_task_that_left_it():
    book = Playbook(a_state(a_plan("b", onUnstructured="error"), a_running_row("a")))
    book.tell(ended(reply=UNSTRUCTURED)).leaves(status=TaskStatus.ERROR)


def test_an_error_for_want_of_a_handoff_says_so_and_is_tried_again_where_the_plan_wants_it():
    retry = {"attempts": 2, "on": ["unknown"]}
    once, twice = (a_plan(a_task("a", retry=each), onUnstructured="error") for each in (None, retry))
    book = Playbook(a_state(once, a_running_row("a"))).tell(ended(reply=UNSTRUCTURED))
    assert book.attention() == ["a is in error after 1 try: unknown: the reply has none of the handoff's headings"]
    Playbook(a_state(twice, a_running_row("a"))).tell(ended(reply=UNSTRUCTURED)).leaves(status=TaskStatus.PENDING)


def test_a_handoff_without_a_word_says_where_to_look():
    plan = a_plan(a_task("a", onUnstructured="handed-off"))
    book = Playbook(a_state(plan, a_running_row("a"))).tell(ended(reply=EMPTY))
    book.leaves(note="the agent finished and wrote nothing", pushed=False)
    assert book.attention() == ["a: the agent finished and wrote nothing; look at its branch before you build on it."]


def test_success_with_nothing_pushed_is_told_and_keeps_the_placeholder():
    book = running().tell(ended(reply=a_reply(branch=None)))
    book.leaves(status=TaskStatus.HANDED_OFF, branch="orch/shop/a", pushed=False).tell(
        seen(branch="orch/shop/a", sha=None)
    )
    assert book.attention() == ["a: it says success but pushed nothing."]


def test_a_verifier_pushes_nothing_and_nobody_is_told():
    book = Playbook(a_state(a_plan(a_verifier("v", of="a"), "a"), a_running_row("v", type="verifier")))
    assert book.tell(ended("v", reply=a_reply("v", branch=None, status=None))).attention()[-1:] != [
        "v: it says success but pushed nothing."
    ]


def test_a_blocked_handoff_is_told():
    book = running().tell(ended(reply=a_reply(status=HandoffStatus.BLOCKED)))
    assert book.attention() == [
        "a: it handed off blocked; the tasks that depend on it wait unless the plan says otherwise."
    ]
    book.tell(seen()).asks(EndRun(exit_code=1))


def test_what_was_odd_in_a_handoff_is_told():
    book = running().tell(ended(reply=a_reply(notes=("the branch line carries a remark",))))
    assert book.attention() == ["a: the branch line carries a remark"]


def test_a_pull_request_that_is_known_stays_when_the_handoff_names_none():
    running(pr_number=7).tell(ended()).leaves(pr_number=7)


def test_a_postmortem_does_not_hide_the_handoff_of_a_former_run():
    running(handoff_path="handoffs/a.md", settings=DRAIN).tell(ended(status=RunStatus.ERROR, reply=Reply())).leaves(
        handoff_path="handoffs/a.md"
    )


@pytest.mark.parametrize(
    ("row", "note"),
    [
        ({}, "somebody cancelled it at the service"),
        ({"cancel": Cancel(by="operator", at=moment())}, f"cancelled by operator at {moment()}"),
        ({"note": "its deadline of 9 s was reached"}, "its deadline of 9 s was reached"),
    ],
)
def test_a_cancelled_task_says_by_whom(row, note):
    book = running(**row).tell(ended(status=RunStatus.CANCELLED)).leaves(note=note, cancel=None)
    assert book.attention() == [f"a was cancelled: {note}."]


def test_a_cancelled_task_is_never_tried_again():
    every = [mode.value for mode in FailureMode]
    book = running(a_task("a", retry={"attempts": 5, "on": every}))
    book.tell(ended(status=RunStatus.CANCELLED)).leaves(status=TaskStatus.CANCELLED).launches()


def test_a_cancel_ends_no_run_while_others_go_on():
    plan = a_plan("a", "b")
    book = Playbook(a_state(plan, a_running_row("a"), a_running_row("b"))).tell(ended(status=RunStatus.CANCELLED))
    book.asks().tell(ended("b")).tell(seen("b")).asks(EndRun(exit_code=1))
