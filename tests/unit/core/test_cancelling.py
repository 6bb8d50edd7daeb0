"""Cancelling a task for somebody: who asked stands in the row until the service confirms it."""

from dataclasses import replace

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import AnswerRequest, CancelRun, EndRun, LookUpAgent, WatchRun
from orchestrate.core.events import (
    AccessLost,
    AgentLaunched,
    AgentNotFound,
    CancelAnswered,
    EngineStarted,
    LaunchDelayed,
    LaunchOutcomeUnknown,
    PlanRead,
    RunEnded,
    StopReason,
    StopRequested,
    Timer,
    TimerFired,
    TimerKind,
)
from orchestrate.core.request_events import CancelRequested, RequestAnswered
from orchestrate.core.story import story_of
from orchestrate.model.records import Record
from orchestrate.model.rows import Cancel
from orchestrate.model.vocabulary import LaunchDelay, RunStatus, TaskStatus
from tests.support.builders import (
    a_handed_off_row,
    a_launching_row,
    a_plan,
    a_reply,
    a_row,
    a_running_row,
    a_state,
    a_task,
    agent_of,
    an_empty_reply,
    an_intent,
    an_unread_state,
    moment,
    run_of,
)
from tests.support.playbook import Playbook

R = "11111111-0000-4000-8000-000000000001"
ASKED = CancelRequested(request=R, task="a", by="ana")
PLAN = a_plan(a_task("a", retry={"attempts": 3, "on": ["unknown"]}), a_task("b", depends_on=("a",)), "other", "later")
CANCEL_RUN = CancelRun(task="a", agent_id=agent_of("a"), run_id=run_of("a"))
ONLY_ANSWERS = Settings(1, answers_only=True)


def book(row, *, settings=None, plan=PLAN):
    """A run that goes on while task ``other`` does; ``later`` waits for a slot that never comes."""
    settings = settings or Settings(2, drain=True)
    return Playbook(a_state(plan, row, a_running_row("other"), settings=settings))


def launched():
    """Task ``a`` was launched a moment ago, and there is no answer yet."""
    return Playbook(a_state(PLAN, a_running_row("other"), settings=Settings(2, drain=True)))


def answer_of(playbook):
    (effect,) = playbook.effects(AnswerRequest)
    return effect.answer


def ended(status, **fields):
    return RunEnded(task="a", run_id=run_of("a"), status=status, reply=an_empty_reply(), **fields)


def test_what_runs_is_cancelled_and_the_row_says_so_until_the_service_confirms_it():
    told = book(a_running_row()).tell(ASKED).leaves(status=TaskStatus.RUNNING, cancel=Cancel("ana", moment(1)))
    assert told.effects(CancelRun) == [replace(CANCEL_RUN, cause="e1")]
    assert answer_of(told).details["status"] == "running"
    assert told.attention() == ["ana cancelled a."]
    assert R in told.state.workspace.handled_requests
    told.tell(CancelAnswered(task="a", run_id=run_of("a"), accepted=True)).leaves(status=TaskStatus.RUNNING)
    told.tell(ended(RunStatus.CANCELLED)).leaves(status=TaskStatus.CANCELLED, cancel=None)
    assert told.row().note == f"cancelled by ana at {moment(1)}"


def test_asked_again_it_is_only_answered_again():
    told = book(a_running_row()).tell(ASKED).tell(ASKED)
    assert told.effects(CancelRun) == []
    assert answer_of(told).is_done
    other = replace(ASKED, request="22222222-0000-4000-8000-000000000002", by="bob")
    told.tell(other).leaves(cancel=Cancel("ana", moment(1)))
    assert told.effects(CancelRun) == [replace(CANCEL_RUN, cause="e3")]


def test_a_task_that_waits_is_not_launched_any_more_even_by_the_next_engine():
    told = book(a_row("later")).tell(replace(ASKED, task="later")).launches()
    told.leaves("later", status=TaskStatus.PRUNED, note="stopped by ana before its launch")
    assert answer_of(told).details == {"task": "later", "status": "pruned", "by": "ana", "at": moment(1)}
    assert told.attention() == ["ana cancelled later, which waited."]
    told.tell(PlanRead(plan=PLAN)).leaves("later", status=TaskStatus.PRUNED)


def test_a_launch_without_an_answer_is_cancelled_once_its_agent_is_known():
    told = book(a_launching_row()).tell(ASKED).leaves(status=TaskStatus.RUNNING)
    assert told.effects(CancelRun) == told.effects(LookUpAgent) == []
    told.tell(AgentLaunched(task="a", agent_id=agent_of("a"), answered_id=agent_of("a"), run_id=run_of("a")))
    assert told.effects(CancelRun) == [replace(CANCEL_RUN, cause="e2")]


def test_a_launch_that_is_put_off_is_given_up_and_its_timer_means_nothing():
    delayed = an_intent("a", delay=LaunchDelay.CAPACITY, delays=1)
    told = book(a_launching_row(launch=delayed, not_before=moment(60))).tell(ASKED)
    told.leaves(status=TaskStatus.CANCELLED, note="cancelled by ana; no agent was made", attempts=1, cancel=None)
    told.tell(TimerFired(timer=Timer(TimerKind.RELAUNCH, "a", 1))).changes_nothing()


def test_a_launch_whose_outcome_is_unknown_is_looked_up_at_once():
    told = launched()
    for delays in range(2):
        told.tell(LaunchOutcomeUnknown(task="a", agent_id=agent_of("a"), delays=delays, message="no answer"))
    assert told.row().launch.delay == LaunchDelay.UNKNOWN_OUTCOME
    told.tell(ASKED)
    assert len(told.effects(LookUpAgent)) == 1


@pytest.mark.parametrize(
    "event",
    [
        LaunchDelayed(task="a", agent_id=agent_of("a"), delay=LaunchDelay.CAPACITY, message="full"),
        AgentNotFound(task="a", agent_id=agent_of("a")),
        AccessLost(task="a", agent_id=agent_of("a"), message="no"),
    ],
)
def test_where_no_agent_was_made_there_is_nothing_more_to_cancel(event):
    launched().tell(ASKED).tell(event).leaves(status=TaskStatus.CANCELLED, note="cancelled by ana; no agent was made")


def test_a_launch_that_a_former_engine_put_off_is_given_up_when_it_is_due():
    delayed = an_intent("a", delay=LaunchDelay.UNREACHABLE, delays=1)
    told = book(a_launching_row(launch=delayed, cancel=Cancel("ana", moment())))
    told.tell(TimerFired(timer=Timer(TimerKind.RELAUNCH, "a", 1))).leaves(status=TaskStatus.CANCELLED)


def test_no_policy_tries_again_what_somebody_wanted_to_end():
    told = book(a_running_row()).tell(ASKED).tell(ended(RunStatus.ERROR, message="broke"))
    told.leaves(status=TaskStatus.ERROR, attempts=1)
    by_deadline = book(a_running_row(cancel=Cancel("deadline", moment())))
    by_deadline.tell(ended(RunStatus.ERROR, message="broke")).leaves(status=TaskStatus.PENDING)
    by_both = book(a_running_row(cancel=Cancel("deadline", moment()))).tell(ASKED)
    by_both.leaves(cancel=Cancel("ana", moment(1)))
    by_both.tell(ended(RunStatus.ERROR, message="broke")).leaves(status=TaskStatus.ERROR)


def test_a_run_that_finishes_first_has_handed_off():
    told = book(a_running_row()).tell(ASKED)
    told.tell(RunEnded(task="a", run_id=run_of("a"), status=RunStatus.FINISHED, reply=a_reply()))
    told.leaves(status=TaskStatus.HANDED_OFF, cancel=None)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (a_handed_off_row(), "not_cancellable"),
        (a_running_row(status=TaskStatus.ERROR), "not_cancellable"),
        (a_row("z", status=TaskStatus.PRUNED), "unknown_task"),
    ],
)
def test_what_cannot_be_cancelled_is_answered(row, code):
    plan = PLAN if row.name == "a" else a_plan("other")
    assert answer_of(book(row, plan=plan).tell(ASKED)).code == code


@pytest.mark.parametrize("status", [TaskStatus.CANCELLED, TaskStatus.PRUNED])
def test_what_is_stopped_already_is_a_success(status):
    row = (
        a_running_row(status=status)
        if status == TaskStatus.CANCELLED
        else a_row(status=status, cancel=Cancel("b", moment()))
    )
    assert answer_of(book(row).tell(ASKED)).is_done


def test_an_engine_that_leaves_leaves_it_to_the_next_one():
    told = book(a_launching_row()).tell(StopRequested(reason=StopReason.INTERRUPT))
    told.tell(ASKED).changes_nothing()


@pytest.mark.parametrize(
    ("row", "effect"), [(a_running_row(), WatchRun), (a_launching_row(), LookUpAgent)], ids=["runs", "no answer yet"]
)
def test_an_engine_that_only_answers_sees_the_cancel_to_its_end(row, effect):
    told = Playbook(an_unread_state(row, settings=ONLY_ANSWERS))
    told.tell(EngineStarted(engine="x", requests=(R,))).tell(PlanRead(plan=PLAN)).tell(ASKED)
    assert len(told.effects(effect)) == 1
    told.tell(RequestAnswered(request=R))
    assert told.effects(EndRun) == []
    if effect is LookUpAgent:
        told.tell(AgentNotFound(task="a", agent_id=agent_of("a"), delays=1))
    else:
        assert told.state.rows["a"].cancel == Cancel("ana", moment(3))
        told.tell(ended(RunStatus.CANCELLED))
    assert [each.exit_code for each in told.effects(EndRun)] == [0]
    told.leaves(status=TaskStatus.CANCELLED)


def test_an_engine_that_only_answers_leaves_when_its_time_is_up_and_the_next_one_asks_again():
    told = Playbook(an_unread_state(a_running_row(), settings=ONLY_ANSWERS))
    told.tell(EngineStarted(engine="x", requests=(R,))).tell(PlanRead(plan=PLAN)).tell(ASKED)
    told.tell(RequestAnswered(request=R)).tell(TimerFired(timer=Timer(TimerKind.CHECKPOINT)))
    assert [each.exit_code for each in told.effects(EndRun)] == [100]
    again = Playbook(an_unread_state(told.row())).tell(PlanRead(plan=PLAN))
    assert len(again.effects(CancelRun)) == 1


def test_where_there_is_no_service_what_runs_is_left_to_whoever_comes_next():
    settings = replace(ONLY_ANSWERS, has_service=False)
    told = Playbook(an_unread_state(a_running_row(), settings=settings))
    told.tell(EngineStarted(engine="x", requests=(R,))).tell(PlanRead(plan=PLAN)).tell(ASKED)
    assert told.effects(AnswerRequest) == []
    told.leaves(status=TaskStatus.RUNNING, cancel=None)
    assert len(told.effects(EndRun)) == 1


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (a_running_row(cancel=Cancel("ana", moment())), "ana asked for its cancel"),
        (a_row(status=TaskStatus.PRUNED), "stopped by ana before its launch"),
        (a_launching_row(status=TaskStatus.CANCELLED, note="cancelled by ana"), "cancelled: cancelled by ana"),
    ],
)
def test_its_story_tells_who_asked(row, words):
    event = {"type": "CancelRequested", "task": "a", "by": "ana"}
    record = Record(seq=1, engine="e", at=moment(), event=event, rows=(row,))
    assert story_of([record], "a")[0].text == words
