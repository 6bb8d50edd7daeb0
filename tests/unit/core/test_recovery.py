"""Taking in a plan, and taking up what a former engine left."""

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import CancelRun, EndRun, LaunchAgent, LookForNamesakes, LookUpAgent, SetTimer, WatchRun
from orchestrate.core.events import AgentNotFound, PlanRead, Timer, TimerKind
from orchestrate.core.service_events import NamesakesSeen
from orchestrate.model.rows import Cancel
from orchestrate.model.vocabulary import FailureMode, LaunchDelay, TaskStatus, TaskType
from tests.support.builders import (
    SLUG,
    a_handed_off_row,
    a_launching_row,
    a_plan,
    a_row,
    a_running_row,
    a_task,
    a_verifier,
    agent_of,
    an_intent,
    an_unread_state,
    moment,
    run_of,
)
from tests.support.playbook import Playbook


def read(plan, *rows, **fields) -> Playbook:
    return Playbook(an_unread_state(*rows, **fields)).tell(PlanRead(plan=plan))


def test_a_new_plan_makes_a_row_of_each_task():
    book = read(a_plan("z", a_verifier("v", of="merge-a"), "merge-a"), settings=Settings(max_concurrent=1))
    book.leaves("v", type=TaskType.VERIFIER, status=TaskStatus.PENDING, depends_on=("merge-a",), attempts=0)
    book.leaves("v", branch="orch/shop/v", starting_ref="orch/shop/a", last_update=moment(1))
    book.leaves("merge-a", branch="orch/shop/a", starting_ref="main")


def test_a_plan_in_which_everything_has_handed_off_is_done_at_once():
    read(a_plan("a", "b"), a_handed_off_row("a"), a_handed_off_row("b")).asks(EndRun(exit_code=0))


def test_a_resumed_run_repeats_nothing_that_handed_off():
    plan = a_plan("a", a_task("b", depends_on=("a",)))
    read(plan, a_handed_off_row("a")).launches("b").leaves("a", attempts=1)


def test_a_run_that_was_left_is_watched_again():
    book = read(a_plan(a_task("a", timeoutSec=100)), a_running_row(started_at=moment(-39)))
    timer = SetTimer(timer=Timer(TimerKind.DEADLINE, "a", 1), delay_seconds=60.0)
    book.asks(WatchRun(row=book.row()), timer)


def test_a_deadline_that_passed_meanwhile_is_due_at_once():
    book = read(a_plan(a_task("a", timeoutSec=10)), a_running_row(started_at=moment(-99)))
    assert book.effects(SetTimer)[0].delay_seconds == 0.0


def test_a_cancel_that_was_not_confirmed_is_asked_for_again():
    book = read(a_plan("a"), a_running_row(cancel=Cancel(by="deadline", at=moment())))
    cancel = CancelRun(task="a", agent_id=agent_of("a"), run_id=run_of("a"))
    book.asks(WatchRun(row=book.row()), cancel)


@pytest.mark.parametrize(
    "intent",
    [{}, {"delays": 3}, {"delays": 1, "delay": LaunchDelay.UNKNOWN_OUTCOME}],
    ids=["sent", "resent", "unknown"],
)
def test_an_intent_without_an_answer_is_looked_up_and_never_launched_blindly(intent):
    book = read(a_plan("a"), a_launching_row(launch=an_intent("a", **intent))).launches()
    book.asks(LookUpAgent(row=book.row())).leaves(attempts=1)
    assert book.row().launch.delay is None
    assert book.row().launch.delays == max(1, intent.get("delays", 0))


def test_an_intent_that_was_never_sent_is_sent_after_the_look_up():
    book = read(a_plan("a"), a_launching_row()).tell(AgentNotFound(task="a", agent_id=agent_of("a"), delays=1))
    book.asks(LaunchAgent(row=book.row(), may_have_been_sent=True)).leaves(attempts=1)


def test_a_delayed_launch_waits_on():
    intent = an_intent("a", delays=4, delay=LaunchDelay.UNREACHABLE)
    book = read(a_plan("a"), a_launching_row(launch=intent, not_before=moment(91)))
    book.asks(SetTimer(timer=Timer(TimerKind.RELAUNCH, "a", 1), delay_seconds=90.0)).leaves(launch=intent)


def test_a_delayed_launch_whose_moment_is_past_or_unknown_is_due_at_once():
    intent = an_intent("a", delays=1, delay=LaunchDelay.RATE_LIMIT)
    for not_before in (moment(-5), None):
        book = read(a_plan("a"), a_launching_row(launch=intent, not_before=not_before))
        book.asks(SetTimer(timer=Timer(TimerKind.RELAUNCH, "a", 1), delay_seconds=0.0))


@pytest.mark.parametrize(
    "ids",
    [{}, {"agent_id": agent_of("a")}, {"run_id": run_of("a")}, {"agent_id": agent_of("a"), "launch": an_intent("a")}],
    ids=["none", "agent only", "run only", "agent and intent"],
)
def test_a_foreign_row_that_runs_without_both_ids_becomes_an_error_and_is_never_launched(ids):
    row = a_row("a", status=TaskStatus.RUNNING, **ids)
    book = read(a_plan("a"), row).launches().leaves(status=TaskStatus.ERROR, finished_at=moment(1), attempts=0)
    assert "Look for one named like a at the service" in book.row().note
    assert book.attention() == [f"a: {book.row().note}."]
    assert book.effects(LookForNamesakes) == [LookForNamesakes(root_slug=SLUG, rows=(book.row(),), cause="e1")]
    book.tell(NamesakesSeen()).asks(EndRun(exit_code=1))
    read(a_plan("a"), book.row()).asks(EndRun(exit_code=1))


def test_a_foreign_row_with_both_ids_is_watched():
    row = a_row("a", status=TaskStatus.RUNNING, agent_id=agent_of("a"), run_id=run_of("a"), attempts=1)
    book = read(a_plan("a"), row).asks(WatchRun(row=row))
    book.leaves(status=TaskStatus.RUNNING)


def test_a_foreign_row_without_a_branch_gets_its_placeholder():
    row = a_row("b", branch="", starting_ref="", depends_on=("a",))
    book = read(a_plan("a", a_task("b", depends_on=("a",))), a_running_row(), row)
    book.leaves("b", branch="orch/shop/b", starting_ref="main")


def test_a_waiting_task_that_left_the_plan_is_pruned_and_comes_back():
    plan = a_plan("a", a_task("b", depends_on=("a",)))
    book = read(plan, a_running_row()).tell(PlanRead(plan=a_plan("a")))
    book.leaves("b", status=TaskStatus.PRUNED, note="it is not in the plan any more")
    book.tell(PlanRead(plan=plan)).leaves("b", status=TaskStatus.PENDING, note=None)


def test_a_pruned_task_that_was_launched_before_stays_pruned_and_is_not_done():
    book = read(a_plan("a"), a_row("a", status=TaskStatus.PRUNED, attempts=1))
    book.leaves(status=TaskStatus.PRUNED).asks(EndRun(exit_code=1))


def test_an_ad_hoc_task_is_in_no_plan_and_stays():
    row = a_row("extra", extra={"adHoc": True})
    read(a_plan("a"), row, settings=Settings(max_concurrent=1)).leaves("extra", status=TaskStatus.PENDING)


@pytest.mark.parametrize("status", [TaskStatus.ERROR, TaskStatus.CANCELLED, TaskStatus.HANDED_OFF])
def test_a_task_that_ended_and_left_the_plan_stays_as_it_is_and_counts_no_more(status):
    gone = a_handed_off_row("b", status=status)
    read(a_plan("a"), a_handed_off_row("a"), gone).leaves("b", status=status).asks(EndRun(exit_code=0))


def test_the_error_of_a_task_that_left_the_plan_ends_no_run():
    book = read(a_plan("a"), a_running_row("a"), a_launching_row("b", attempt=1))
    book.tell(AgentNotFound(task="b", agent_id=agent_of("b"), delays=1, code="agent_id_conflict"))
    book.leaves("b", status=TaskStatus.ERROR, failure_mode=FailureMode.UNKNOWN).asks()


def test_a_task_that_waits_takes_what_the_plan_says_now():
    plan = a_plan("a", "c", a_task("b", depends_on=("a",)))
    book = read(plan, a_running_row("a"), a_running_row("c"))
    book.tell(PlanRead(plan=a_plan("a", "c", a_verifier("b", of="c"))))
    book.leaves("b", type=TaskType.VERIFIER, depends_on=("c",), starting_ref="orch/shop/c")


def test_a_task_that_runs_keeps_its_own_facts():
    row = a_running_row("a", starting_ref="main")
    book = read(a_plan("a"), row).tell(PlanRead(plan=a_plan(a_task("a", startingRef="release/2.0"))))
    book.leaves("a", starting_ref="main")


def test_a_task_whose_dependency_left_the_plan_with_its_name_in_it_waits():
    row = a_row("extra", depends_on=("gone",), extra={"adHoc": True})
    read(a_plan("a"), a_handed_off_row("a"), row, a_row("gone")).launches().asks(EndRun(exit_code=1))


def test_a_second_reading_watches_nothing_twice():
    book = read(a_plan("a"), a_running_row()).tell(PlanRead(plan=a_plan("a", "b")))
    assert book.effects(WatchRun) == []
    book.launches("b")


def test_a_second_reading_of_the_same_plan_changes_no_row():
    book = read(a_plan("a", "b"), a_running_row("a"), a_running_row("b"))
    rows = book.state.rows
    assert book.tell(PlanRead(plan=a_plan("a", "b"))).state.rows == rows


def test_a_dependant_that_joins_later_starts_at_once():
    book = read(a_plan("a", "z"), a_handed_off_row("a"))
    book.tell(PlanRead(plan=a_plan("a", "z", a_task("b", depends_on=("a",))))).launches("b")


def test_the_checkpoint_is_set_once():
    book = read(a_plan("a"), settings=Settings(max_concurrent=1, max_runtime_seconds=3300.0))
    timer = SetTimer(timer=Timer(TimerKind.CHECKPOINT), delay_seconds=3300.0, cause="e1")
    assert timer in book.effects(SetTimer)
    assert timer not in book.tell(PlanRead(plan=a_plan("a"))).effects(SetTimer)
