"""Sending a message: looked first, sent once, watched; late answers change nothing."""

from dataclasses import replace

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import CancelRun, LookUpRuns, SendFollowUp, SetTimer, WatchRun
from orchestrate.core.events import (
    AccessLost,
    EffectFailed,
    RunEnded,
    StopReason,
    StopRequested,
    Timer,
    TimerFired,
    TimerKind,
)
from orchestrate.core.follow_up_events import (
    FollowUpDelayed,
    FollowUpOutcomeUnknown,
    FollowUpRefused,
    FollowUpSent,
    RunsSeen,
)
from orchestrate.core.request_events import CancelRequested
from orchestrate.model.rows import Cancel
from orchestrate.model.vocabulary import MessageDelay, RunStatus, TaskStatus
from tests.support.builders import (
    a_plan,
    a_reply,
    a_running_row,
    a_state,
    a_task,
    agent_of,
    an_empty_reply,
    moment,
    run_of,
)
from tests.support.messages import M1, M2, a_between_row, a_message
from tests.support.playbook import Playbook

PLAN = a_plan("a", a_task("b", depends_on=("a",)), "other")
NEW = run_of("a", 7)
CANCELLED = Cancel("ana", moment())


def book(row, plan=PLAN):
    """The row is as it is said: what recovery asks for it is undone."""
    told = Playbook(a_state(plan, a_running_row(), a_running_row("other"), settings=Settings(3, drain=True)))
    told.state = replace(told.state, rows=told.state.rows.set("a", row))
    return told


def seen(step=1, **fields):
    return RunsSeen(task="a", message_id=M1, step=step, newest=run_of("a"), **fields)


def sent(step=1, **fields):
    return FollowUpSent(task="a", message_id=M1, step=step, run_id=NEW, **fields)


def delayed(step=1, delay=MessageDelay.BUSY, **fields):
    return FollowUpDelayed(task="a", message_id=M1, step=step, delay=delay, message="later", **fields)


def refused(step=1):
    return FollowUpRefused(task="a", message_id=M1, step=step, code="not_found", message="no such agent.")


def unknown(step=1):
    return FollowUpOutcomeUnknown(task="a", message_id=M1, step=step, message="no answer")


def ended(status=RunStatus.FINISHED, run_id=None, **fields):
    reply = a_reply() if status == RunStatus.FINISHED else an_empty_reply()
    return RunEnded(task="a", run_id=run_id or run_of("a"), status=status, reply=reply, **fields)


def test_when_its_run_has_ended_the_next_message_has_its_turn_and_dependants_wait():
    told = book(a_running_row(queue=(a_message(), a_message(M2)))).tell(ended())
    told.leaves(status=TaskStatus.RUNNING, branch="cursor/a-1f2a", finished_at=None)
    assert told.effects(LookUpRuns)[0].row.queue[0].due_at == moment(1)
    assert told.row("b").status == TaskStatus.PENDING


def test_what_is_newest_is_written_down_before_the_message_leaves():
    told = book(a_between_row()).tell(seen())
    assert (told.row().queue[0].base_run_id, told.row().queue[0].sent_at) == (run_of("a"), moment(1))
    assert [each.row.queue[0].step for each in told.effects(SendFollowUp)] == [2]


def test_its_run_is_watched_and_stands_in_the_row():
    told = book(a_between_row(sent_at=moment(), row={"archived_at": moment()})).tell(sent())
    told.leaves(run_id=NEW, archived_at=None, started_at=moment(1))
    assert [each.run_id for each in (told.row().queue[0], told.effects(WatchRun)[0].row)] == [NEW, NEW]
    assert [(run.id, run.message, run.after) for run in told.row().runs] == [(NEW, M1, run_of("a"))]
    told.tell(ended(run_id=NEW)).leaves(status=TaskStatus.HANDED_OFF, queue=())
    told.launches("b")


@pytest.mark.parametrize("event", [seen(2), sent(2), delayed(2), refused(2), unknown(2), seen(1, found=NEW)])
def test_a_late_answer_changes_nothing(event):
    row = a_between_row(step=3)
    book(row).tell(event).changes_nothing()
    book(a_running_row()).tell(event).changes_nothing()
    book(a_between_row(id=M2, step=event.step)).tell(event).changes_nothing()


def test_the_end_of_the_run_before_told_twice_changes_nothing():
    book(a_between_row()).tell(ended()).changes_nothing()


def test_without_an_answer_the_runs_are_looked_at_and_only_then_it_is_sent_again():
    told = book(a_between_row(sent_at=moment())).tell(unknown())
    (look,) = told.effects(LookUpRuns)
    first = look.row.queue[0]
    assert (first.delay, first.step) == (MessageDelay.UNKNOWN_OUTCOME, 3)
    told.tell(unknown(3))
    (timer,) = told.effects(SetTimer)
    assert timer.timer == Timer(TimerKind.MESSAGE, "a", 4)
    told.tell(TimerFired(timer=timer.timer))
    assert told.effects(LookUpRuns) != []
    told.tell(seen(5))
    assert told.effects(SendFollowUp)[0].row.queue[0].sent_at == moment()


def test_a_run_that_a_look_finds_is_the_message_s():
    told = book(a_between_row(sent_at=moment(), delay=MessageDelay.UNKNOWN_OUTCOME)).tell(seen(found=NEW))
    assert told.row().run_id == NEW


def test_a_busy_agent_is_waited_for_and_looked_at_anew():
    told = book(a_between_row(sent_at=moment())).tell(delayed(retry_after_seconds=77.0))
    (timer,) = told.effects(SetTimer)
    assert timer.delay_seconds == 77.0
    assert told.row().queue[0].sent_at is None
    assert told.tell(TimerFired(timer=timer.timer)).effects(LookUpRuns)[0].row.queue[0].delay is None


def test_a_timer_of_a_former_step_changes_nothing():
    for row in (a_between_row(step=3, delay=MessageDelay.BUSY), a_between_row(), a_running_row()):
        book(row).tell(TimerFired(timer=Timer(TimerKind.MESSAGE, "a", 1))).changes_nothing()
    book(a_running_row()).tell(TimerFired(timer=Timer(TimerKind.MESSAGE))).changes_nothing()


def test_a_refused_message_gives_way_to_the_next_or_the_task_stands_where_it_stood():
    told = book(a_between_row(a_message(M2))).tell(refused())
    assert [message.id for message in told.row().queue] == [M2]
    assert told.effects(LookUpRuns) != []
    assert told.attention() == [f"a: message {M1} of ana was refused: no such agent."]
    book(a_between_row()).tell(refused()).leaves(status=TaskStatus.HANDED_OFF).launches("b")
    book(a_between_row(former=TaskStatus.ERROR)).tell(refused()).leaves(status=TaskStatus.ERROR)
    row = {"pushed": True}
    book(a_between_row(row=row)).tell(refused()).leaves(status=TaskStatus.HANDED_OFF)


@pytest.mark.parametrize("event", [seen(), delayed(), refused()])
def test_cancelled_between_two_runs_it_ends_once_the_message_has_positively_not_left(event):
    told = book(a_between_row(sent_at=moment(), row={"cancel": CANCELLED})).tell(event)
    told.leaves(status=TaskStatus.CANCELLED, queue=())
    assert any("1 message was not sent" in line for line in told.attention())


def test_cancelled_while_its_message_is_on_the_way_the_new_run_is_cancelled():
    asked = CancelRequested(request=M2, task="a", by="ana")
    told = book(a_between_row(sent_at=moment())).tell(asked).leaves(status=TaskStatus.RUNNING)
    assert told.effects(CancelRun) == []
    told.tell(sent())
    assert [each.run_id for each in told.effects(CancelRun)] == [NEW]
    book(a_between_row()).tell(asked).leaves(status=TaskStatus.CANCELLED)


def test_an_engine_that_leaves_sends_nothing():
    told = book(a_between_row()).tell(StopRequested(reason=StopReason.INTERRUPT))
    told.tell(seen()).changes_nothing()
    told = book(a_between_row(delay=MessageDelay.BUSY)).tell(StopRequested(reason=StopReason.INTERRUPT))
    told.tell(TimerFired(timer=Timer(TimerKind.MESSAGE, "a", 1))).changes_nothing()


def test_without_a_key_or_after_a_bug_the_next_engine_goes_on():
    lost = AccessLost(task="a", run_id=run_of("a"), message="the key was refused.")
    assert "a" in book(a_between_row()).tell(lost).state.session.unwatched
    assert "a" not in book(a_between_row()).tell(replace(lost, run_id=NEW)).state.session.unwatched
    failed = EffectFailed(effect="SendFollowUp", message="a bug", task="a")
    assert "a" in book(a_between_row()).tell(failed).state.session.unwatched
    assert "a" not in book(a_running_row()).tell(failed).state.session.unwatched


@pytest.mark.parametrize(("sent_at", "delay"), [(None, None), (moment(), MessageDelay.UNKNOWN_OUTCOME)])
def test_the_next_engine_looks_before_it_sends(sent_at, delay):
    state = a_state(PLAN, a_between_row(sent_at=sent_at))
    first = state.rows["a"].queue[0]
    assert (first.step, first.delay, first.sent_at) == (2, delay, sent_at)


def test_a_run_in_error_does_not_keep_the_next_message():
    told = book(a_running_row(queue=(a_message(),))).tell(ended(RunStatus.ERROR, message="out of luck"))
    told.leaves(status=TaskStatus.RUNNING)
    assert told.row().queue[0].former == TaskStatus.ERROR


def test_a_follow_up_in_error_does_not_begin_the_task_anew():
    plan = a_plan(a_task("a", retry={"attempts": 3, "on": ["unknown"]}), "other")
    told = book(a_between_row(sent_at=moment()), plan).tell(sent())
    told.tell(ended(RunStatus.ERROR, run_id=NEW)).leaves(status=TaskStatus.ERROR, attempts=1)


def test_a_retry_keeps_the_messages_for_the_next_agent():
    plan = a_plan(a_task("a", retry={"attempts": 3, "on": ["unknown"]}), "other")
    told = book(a_running_row(queue=(a_message(),)), plan).tell(ended(RunStatus.ERROR))
    assert told.row().run_id is None
    assert len(told.row().queue) == 1


def test_a_cancelled_task_drops_its_messages_and_says_which():
    queue = tuple(a_message(M1) for _ in range(4))
    told = book(a_running_row(queue=queue)).tell(ended(RunStatus.CANCELLED))
    told.leaves(status=TaskStatus.CANCELLED, queue=())
    assert f"a: 4 messages were not sent, it has ended (messages/{M1}.md" in told.attention()[-1]
    told = book(a_running_row(queue=queue[:1], cancel=CANCELLED)).tell(ended())
    told.leaves(status=TaskStatus.HANDED_OFF, queue=())


def test_the_deadline_and_cancels_of_the_former_run_mean_nothing_between_two():
    for kind in (TimerKind.DEADLINE, TimerKind.CANCEL):
        book(a_between_row()).tell(TimerFired(timer=Timer(kind, "a", 1))).changes_nothing()


def test_the_work_stays_where_it_was_if_a_follow_up_names_no_branch():
    told = book(a_between_row(sent_at=moment(), row={"pushed": True})).tell(sent())
    reply = a_reply(branch=None)
    told.tell(RunEnded(task="a", run_id=NEW, status=RunStatus.FINISHED, reply=reply))
    told.leaves(status=TaskStatus.HANDED_OFF, branch="cursor/a-1f2a", pushed=True)


def test_its_agent_is_the_same():
    assert book(a_between_row(sent_at=moment())).tell(sent()).row().agent_id == agent_of("a")
