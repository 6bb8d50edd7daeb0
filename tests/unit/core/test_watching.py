"""While a run goes on: silence never ends it, the only deadline is the task's own."""

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import CancelRun, EndRun, SetTimer, WatchRun
from orchestrate.core.events import (
    AccessLost,
    AgentLaunched,
    CancelAnswered,
    EffectFailed,
    PlanRead,
    RunEnded,
    RunMissing,
    RunStalled,
    RunStirred,
    Timer,
    TimerFired,
    TimerKind,
)
from orchestrate.core.watching import CANCEL_AGAIN_SECONDS
from orchestrate.model.rows import Cancel
from orchestrate.model.vocabulary import FailureMode, LaunchDelay, RunStatus, TaskStatus
from tests.support.builders import (
    a_launching_row,
    a_plan,
    a_reply,
    a_row,
    a_running_row,
    a_state,
    a_task,
    agent_of,
    an_empty_reply,
    moment,
    run_of,
    seen,
)
from tests.support.playbook import Playbook

CANCEL = CancelRun(task="a", agent_id=agent_of("a"), run_id=run_of("a"))


def watching(*rows, plan=None, settings: Settings | None = None, **row_fields) -> Playbook:
    first = a_running_row("a", **row_fields)
    return Playbook(a_state(plan or a_plan("a"), first, *rows, settings=settings))


def timed(seconds: float = 100) -> Playbook:
    """A dialogue with a run that has a deadline, begun at the start of the day."""
    return watching(plan=a_plan(a_task("a", timeoutSec=seconds)))


def deadline(attempt: int = 1, task: str | None = "a", at: float = 100) -> TimerFired:
    return TimerFired(timer=Timer(TimerKind.DEADLINE, task, attempt), at=moment(at))


def stalled(**fields) -> RunStalled:
    return RunStalled(**{"task": "a", "run_id": run_of("a"), "since": moment(-600), **fields})


def test_silence_is_told_once_and_ends_nothing():
    book = watching().tell(stalled(last_activity="pytest"))
    book.leaves(status=TaskStatus.RUNNING, stalled_since=moment(-600)).asks()
    assert book.attention() == [f"a has been silent since {moment(-600)}; it was not stopped. Last: pytest"]
    book.tell(stalled()).changes_nothing()


def test_silence_without_a_known_activity_says_less():
    assert watching().tell(stalled()).attention() == [f"a has been silent since {moment(-600)}; it was not stopped."]


def test_a_run_that_stirs_is_told_once():
    book = watching().tell(stalled()).tell(RunStirred(task="a", run_id=run_of("a"))).leaves(stalled_since=None)
    assert book.attention() == [f"a was silent since {moment(-600)} and went on."]
    book.tell(RunStirred(task="a", run_id=run_of("a"))).changes_nothing()


@pytest.mark.parametrize(
    "event",
    [
        stalled(run_id=run_of("a", 2)),
        stalled(task="unknown"),
        RunStirred(task="a", run_id=run_of("a", 2)),
        RunMissing(task="a", run_id=run_of("a", 2), message="gone"),
        CancelAnswered(task="a", run_id=run_of("a", 2), accepted=True),
        RunEnded(task="a", run_id=run_of("a", 2), status=RunStatus.ERROR, reply=an_empty_reply()),
    ],
    ids=lambda event: type(event).__name__,
)
def test_news_of_another_run_change_nothing(event):
    watching().tell(event).changes_nothing()


def test_a_run_that_the_service_forgot_is_an_error_that_says_where_its_work_is():
    book = watching(cancel=Cancel(by="somebody", at=moment()))
    book.tell(RunMissing(task="a", run_id=run_of("a"), message="the service does not know it."))
    note = "the service does not know it. Its work, if any, is on its branch at the remote."
    book.leaves(status=TaskStatus.ERROR, failure_mode=FailureMode.UNKNOWN, note=note, cancel=None)
    assert book.attention() == [f"a: {note}"]
    book.asks(EndRun(exit_code=1))


def test_the_deadline_counts_from_the_start_of_the_task():
    row = a_launching_row("a", started_at=moment(-40))
    book = Playbook(a_state(a_plan(a_task("a", timeoutSec=100)), row))
    book.tell(AgentLaunched(task="a", agent_id=agent_of("a"), answered_id=agent_of("a"), run_id=run_of("a")))
    timer = SetTimer(timer=Timer(TimerKind.DEADLINE, "a", 1), delay_seconds=59.0)
    book.asks(WatchRun(row=book.row()), timer)


def test_the_plan_s_own_limit_is_the_deadline_of_tasks_that_have_none():
    plan = a_plan("a", limits={"taskTimeoutSec": 50})
    watching(plan=plan).tell(deadline(at=50)).asks(CANCEL)


def test_the_deadline_cancels_and_says_so():
    note = "its deadline of 100 s was reached; it was cancelled"
    book = timed().tell(deadline()).asks(CANCEL)
    book.leaves(status=TaskStatus.RUNNING, note=note, cancel=Cancel(by="deadline", at=moment(100)))
    assert book.attention() == [f"a: {note}."]
    book.tell(deadline(at=101)).changes_nothing()
    ended = RunEnded(task="a", run_id=run_of("a"), status=RunStatus.CANCELLED, reply=an_empty_reply())
    book.tell(ended).leaves(status=TaskStatus.CANCELLED, note=note, cancel=None).asks(EndRun(exit_code=1))


def test_a_deadline_that_the_planner_moved_is_waited_for_again():
    book = timed().tell(PlanRead(plan=a_plan(a_task("a", timeoutSec=300)), at=moment(90)))
    book.asks(SetTimer(timer=Timer(TimerKind.DEADLINE, "a", 1), delay_seconds=210.0))
    book.tell(deadline()).asks(SetTimer(timer=Timer(TimerKind.DEADLINE, "a", 1), delay_seconds=200.0))


def test_a_deadline_that_the_planner_took_away_cancels_nothing():
    timed().tell(PlanRead(plan=a_plan("a"))).asks().tell(deadline()).changes_nothing()


@pytest.mark.parametrize("event", [deadline(attempt=2), deadline(task="unknown"), deadline(task=None)])
def test_a_deadline_of_another_attempt_or_task_changes_nothing(event):
    timed().tell(event).changes_nothing()


def test_a_cancel_is_confirmed_by_the_run_s_status_only():
    answer = CancelAnswered(task="a", run_id=run_of("a"), accepted=True)
    timer = Timer(TimerKind.CANCEL, "a", 1)
    book = timed().tell(deadline()).tell(answer)
    book.leaves(status=TaskStatus.RUNNING).asks(SetTimer(timer=timer, delay_seconds=CANCEL_AGAIN_SECONDS))
    book.tell(TimerFired(timer=timer)).asks(CANCEL)


def test_a_run_that_ended_before_its_cancel_arrived_is_what_its_status_says():
    ended = RunEnded(task="a", run_id=run_of("a"), status=RunStatus.FINISHED, reply=a_reply())
    book = timed().tell(deadline()).tell(CancelAnswered(task="a", run_id=run_of("a"), accepted=False)).tell(ended)
    book.leaves(status=TaskStatus.HANDED_OFF, cancel=None, note=None)
    book.tell(TimerFired(timer=Timer(TimerKind.CANCEL, "a", 1))).changes_nothing()


def test_an_answer_to_a_cancel_that_nobody_asked_for_changes_nothing():
    book = watching().tell(CancelAnswered(task="a", run_id=run_of("a"), accepted=True)).changes_nothing()
    book.tell(TimerFired(timer=Timer(TimerKind.CANCEL, "a", 1))).changes_nothing()


def test_a_run_that_nobody_may_watch_goes_on_and_the_engine_leaves_with_the_rest_done():
    book = watching(a_running_row("b"), plan=a_plan("a", "b"))
    lost = AccessLost(task="a", run_id=run_of("a"), message="the key was refused.", hint="run setup")
    book.tell(lost).leaves("a", status=TaskStatus.RUNNING).asks()
    assert book.attention() == ["the key was refused. Nothing more is launched: run setup."]
    book.tell(lost).asks()
    assert book.attention() == []
    ended = RunEnded(task="b", run_id=run_of("b"), status=RunStatus.FINISHED, reply=a_reply("b"))
    book.tell(ended).tell(seen("b")).asks(EndRun(exit_code=1))


def test_lost_access_to_a_former_run_holds_launches_only():
    book = watching().tell(AccessLost(task="a", run_id=run_of("a", 2), message="no"))
    assert not book.state.session.unwatched
    assert book.state.session.hold == "no"


def fault(effect: str, task: str | None = "a") -> EffectFailed:
    return EffectFailed(effect=effect, message="KeyError('x')", task=task)


def test_a_fault_while_launching_leaves_the_intent_to_the_next_engine():
    book = Playbook(a_state(a_plan("a"), a_launching_row("a"))).tell(fault("LookUpAgent"))
    book.leaves(status=TaskStatus.RUNNING).asks(EndRun(exit_code=1))
    assert book.row().launch.delay == LaunchDelay.UNKNOWN_OUTCOME
    assert book.attention() == ["a fault of this program in LookUpAgent of a: KeyError('x')"]


def test_an_answer_after_all_is_taken_in_and_watched():
    book = Playbook(a_state(a_plan("a", "b"), a_launching_row("a"), a_running_row("b"))).tell(fault("LaunchAgent"))
    book.tell(AgentLaunched(task="a", agent_id=agent_of("a"), answered_id=agent_of("a"), run_id=run_of("a")))
    book.leaves("a", run_id=run_of("a"))
    assert not book.state.session.unwatched


def test_a_fault_while_watching_leaves_the_run_to_the_next_engine():
    watching().tell(fault("WatchRun")).leaves(status=TaskStatus.RUNNING).asks(EndRun(exit_code=1))


def test_a_fault_in_a_cancel_asks_again_and_the_watch_goes_on():
    book = timed().tell(deadline()).tell(fault("CancelRun"))
    book.asks(SetTimer(timer=Timer(TimerKind.CANCEL, "a", 1), delay_seconds=CANCEL_AGAIN_SECONDS))


@pytest.mark.parametrize(
    ("effect", "task"),
    [("CancelRun", "a"), ("LaunchAgent", "a"), ("SetTimer", None), ("WatchRun", "b"), ("WatchRun", "unknown")],
)
def test_a_fault_that_concerns_no_open_order_is_only_told(effect, task):
    plan = a_plan("a", a_task("b", depends_on=("a",)))
    book = watching(a_row("b", depends_on=("a",)), plan=plan).tell(fault(effect, task)).asks()
    assert len(book.attention()) == 1
    assert not book.state.session.unwatched


def test_a_fault_of_a_watch_that_ended_is_only_told():
    book = Playbook(a_state(a_plan("a"), a_launching_row("a"))).tell(fault("WatchRun"))
    assert not book.state.session.unwatched


def test_attempts_that_nobody_watches_and_that_hold_every_slot_do_not_keep_the_engine():
    book = watching(plan=a_plan("a", "b"), settings=Settings(max_concurrent=1))
    book.tell(fault("WatchRun")).leaves("b", status=TaskStatus.PENDING).asks(EndRun(exit_code=1))


def test_a_cancel_of_a_launch_waits_until_there_is_a_run():
    row = a_launching_row("a", cancel=Cancel(by="somebody", at=moment()))
    Playbook(a_state(a_plan("a"), row)).tell(TimerFired(timer=Timer(TimerKind.CANCEL, "a", 1))).changes_nothing()
