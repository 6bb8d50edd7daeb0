"""The engine's own life, and the exit codes of ``run``."""

import pytest

from orchestrate.core.changes import Phase, Settings, WorkspaceChanged
from orchestrate.core.effects import EndRun, SetTimer
from orchestrate.core.events import (
    AgentLaunched,
    EngineStarted,
    LaunchRefused,
    PlanRead,
    RunEnded,
    ServiceUnreachable,
    StopReason,
    StopRequested,
    Timer,
    TimerFired,
    TimerKind,
)
from orchestrate.core.operating import GRACE_SECONDS
from orchestrate.core.request_events import RequestAnswered
from orchestrate.core.scheduling import hold_reason
from orchestrate.model.vocabulary import HandoffStatus, RunStatus, TaskStatus
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
    an_unread_state,
    moment,
    run_of,
    seen,
)
from tests.support.playbook import Playbook

INTERRUPT = StopRequested(reason=StopReason.INTERRUPT)
GRACE = Timer(TimerKind.GRACE)


def ended(task: str, status: RunStatus = RunStatus.FINISHED) -> RunEnded:
    reply = a_reply(task) if status == RunStatus.FINISHED else an_empty_reply(task)
    return RunEnded(task=task, run_id=run_of(task), status=status, reply=reply)


def running(*names: str, plan=None, drain: bool = False) -> Playbook:
    plan = plan or a_plan(*names)
    settings = Settings(max_concurrent=8, drain=drain)
    return Playbook(a_state(plan, *map(a_running_row, names), settings=settings))


def test_the_first_record_of_a_workspace_carries_its_id():
    state = an_unread_state()
    book = Playbook(state).tell(EngineStarted(engine="e", is_first=True))
    assert book.changed() == (WorkspaceChanged(state.workspace),)


def test_a_later_engine_tells_only_what_was_odd():
    book = Playbook(an_unread_state()).tell(EngineStarted(engine="e", notes=("a torn line was cut",)))
    assert book.attention() == ["a torn line was cut"]
    Playbook(an_unread_state()).tell(EngineStarted(engine="e")).changes_nothing()


def test_an_engine_that_only_answers_starts_and_watches_nothing_and_leaves_at_once():
    settings = Settings(max_concurrent=8, max_runtime_seconds=5, answers_only=True)
    rows = [a_running_row("a"), a_launching_row("b"), a_row("c"), a_row("d", not_before=moment(60))]
    book = Playbook(an_unread_state(*rows, settings=settings)).tell(EngineStarted(engine="e"))
    book.tell(PlanRead(plan=a_plan("a", "b", "c", "d", "e"))).asks(EndRun(exit_code=0))
    assert [book.row(row.name) for row in rows] == rows
    book.leaves("e", status=TaskStatus.PENDING)


def test_an_engine_that_only_answers_stays_until_all_are_answered():
    settings = Settings(max_concurrent=8, answers_only=True)
    book = Playbook(an_unread_state(settings=settings)).tell(EngineStarted(engine="e", requests=("r", "s")))
    book.tell(PlanRead(plan=a_plan("a"))).asks()
    assert hold_reason(book.state) == "this engine only answers requests"
    book.tell(RequestAnswered(request="r")).asks()
    book.tell(RequestAnswered(request="s")).asks(EndRun(exit_code=0))


def test_all_tasks_handed_off_is_exit_0():
    running("a").tell(ended("a")).tell(seen("a")).asks(EndRun(exit_code=0))


def test_a_new_error_leaves_with_1_while_others_run_on():
    book = running("a", "b").tell(ended("a", RunStatus.ERROR)).asks(EndRun(exit_code=1))
    book.leaves("b", status=TaskStatus.RUNNING)
    assert book.state.session.phase == Phase.ENDED


def test_with_drain_an_error_ends_the_run_when_nothing_is_left_to_do():
    plan = a_plan("a", "b", a_task("c", depends_on=("a",)), a_task("d", depends_on=("b",)))
    book = running("a", "b", plan=plan, drain=True).tell(ended("a", RunStatus.ERROR)).asks()
    book.tell(ended("b")).launches("d")
    agent = AgentLaunched(task="d", agent_id=agent_of("d"), answered_id=agent_of("d"), run_id=run_of("d"))
    book.tell(agent).tell(seen("b")).tell(ended("d")).tell(seen("d")).asks(EndRun(exit_code=1))


def test_an_error_of_a_former_session_stops_nobody_and_is_still_exit_1():
    book = Playbook(an_unread_state(a_row("a", status=TaskStatus.ERROR, attempts=1), a_running_row("b")))
    book.tell(PlanRead(plan=a_plan("a", "b")))
    assert book.effects(EndRun) == []
    book.tell(ended("b")).tell(seen("b")).asks(EndRun(exit_code=1))


@pytest.mark.parametrize("status", [TaskStatus.ERROR, TaskStatus.CANCELLED])
def test_nothing_left_to_do_and_not_all_done_is_exit_1_at_once(status):
    plan = a_plan("a", a_task("b", depends_on=("a",)))
    book = Playbook(an_unread_state(a_row("a", status=status, attempts=1))).tell(PlanRead(plan=plan))
    book.asks(EndRun(exit_code=1)).leaves("b", status=TaskStatus.PENDING)


def test_a_task_that_waits_behind_a_blocked_one_is_the_planner_s_turn():
    plan = a_plan("a", a_task("b", depends_on=("a",)))
    blocked = a_handed_off_row("a", handoff_status=HandoffStatus.BLOCKED)
    Playbook(an_unread_state(blocked)).tell(PlanRead(plan=plan)).asks(EndRun(exit_code=1))


def test_an_interrupt_leaves_agents_running_and_is_exit_130():
    running("a").tell(INTERRUPT).asks(EndRun(exit_code=130)).leaves(status=TaskStatus.RUNNING)


def test_an_interrupt_before_the_plan_was_read_leaves_at_once():
    Playbook(an_unread_state(a_row())).tell(INTERRUPT).asks(EndRun(exit_code=130))


def test_a_checkpoint_is_exit_100():
    running("a").tell(TimerFired(timer=Timer(TimerKind.CHECKPOINT))).asks(EndRun(exit_code=100))


def launching() -> Playbook:
    return Playbook(a_state(a_plan("a"), a_launching_row())).tell(INTERRUPT)


def test_answers_in_flight_are_awaited_for_a_while():
    book = launching().asks(SetTimer(timer=GRACE, delay_seconds=GRACE_SECONDS))
    book.tell(TimerFired(timer=GRACE)).asks(EndRun(exit_code=130)).leaves(status=TaskStatus.RUNNING)
    book.tell(TimerFired(timer=GRACE)).changes_nothing()


def test_a_second_interrupt_leaves_at_once():
    book = launching().tell(INTERRUPT).asks(EndRun(exit_code=130))
    book.tell(INTERRUPT).changes_nothing()


def test_a_checkpoint_while_the_engine_leaves_changes_nothing():
    launching().tell(StopRequested(reason=StopReason.CHECKPOINT)).changes_nothing()


def test_an_error_while_the_engine_leaves_does_not_change_why_it_left():
    refused = LaunchRefused(task="a", agent_id=agent_of("a"), message="no")
    launching().tell(refused).leaves(status=TaskStatus.ERROR).asks(EndRun(exit_code=130))


def test_an_error_waits_for_answers_in_flight_too():
    book = Playbook(a_state(a_plan("a", "b"), a_running_row("a"), a_launching_row("b")))
    book.tell(ended("a", RunStatus.ERROR)).asks(SetTimer(timer=GRACE, delay_seconds=GRACE_SECONDS))
    book.tell(ended("a", RunStatus.ERROR)).changes_nothing()


def test_a_grace_that_nobody_needs_changes_nothing():
    running("a").tell(TimerFired(timer=GRACE)).changes_nothing()


def test_what_is_reported_after_the_end_is_still_taken_in():
    book = running("a", "b").tell(INTERRUPT).tell(ended("a")).leaves("a", status=TaskStatus.HANDED_OFF)
    book.asks()


def test_a_service_that_cannot_be_reached_is_nobody_s_error():
    book = running("a").tell(ServiceUnreachable(message="no answer for a minute.")).asks()
    assert book.attention() == ["no answer for a minute."]
    book.leaves(status=TaskStatus.RUNNING)


def test_a_task_that_waits_for_its_next_try_keeps_the_engine():
    retry = {"attempts": 2, "on": ["unknown"], "backoffSec": 60}
    book = running("a", plan=a_plan(a_task("a", retry=retry))).tell(ended("a", RunStatus.ERROR))
    assert book.effects(EndRun) == []
