"""From an intent to a run: one agent for an attempt, whatever the answers are."""

import pytest

from orchestrate.core.changes import Phase, Settings
from orchestrate.core.effects import CancelRun, EndRun, LaunchAgent, LookUpAgent, SetTimer, WatchRun
from orchestrate.core.events import (
    AccessLost,
    AgentLaunched,
    AgentNotFound,
    LaunchDelayed,
    LaunchOutcomeUnknown,
    LaunchRefused,
    PlanRead,
    RunEnded,
    StopReason,
    StopRequested,
    Timer,
    TimerFired,
    TimerKind,
)
from orchestrate.core.launching import CONFLICT_CODES, intended
from orchestrate.core.state import State
from orchestrate.model.names import AgentId
from orchestrate.model.rows import Cancel, Verdict
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, LaunchDelay, RunStatus, TaskStatus, Verification
from tests.support.builders import (
    a_handed_off_row,
    a_launching_row,
    a_plan,
    a_reply,
    a_row,
    a_state,
    a_task,
    agent_of,
    an_intent,
    an_unread_state,
    moment,
    run_of,
)
from tests.support.playbook import Playbook


def launching(*tasks, settings: Settings | None = None, **plan_fields) -> Playbook:
    """A dialogue that begins while the plan's first tasks are launched."""
    return Playbook(an_unread_state(settings=settings)).tell(PlanRead(plan=a_plan(*tasks, **plan_fields)))


def launched(task: str = "a", *, attempt: int = 1, **fields) -> AgentLaunched:
    agent_id = agent_of(task, attempt)
    return AgentLaunched(
        task=task, agent_id=agent_id, **{"answered_id": agent_id, "run_id": run_of(task, attempt), **fields}
    )


def unknown(task: str = "a", **fields) -> LaunchOutcomeUnknown:
    return LaunchOutcomeUnknown(task=task, agent_id=agent_of(task), message="no answer", **fields)


def not_found(task: str = "a", **fields) -> AgentNotFound:
    return AgentNotFound(task=task, agent_id=agent_of(task), **fields)


def delayed(task: str = "a", delay: LaunchDelay = LaunchDelay.CAPACITY, **fields) -> LaunchDelayed:
    return LaunchDelayed(task=task, agent_id=agent_of(task), delay=delay, message="too many agents", **fields)


def turn_due() -> TimerFired:
    return TimerFired(timer=Timer(TimerKind.TURN))


def refused(task: str = "a", **fields) -> LaunchRefused:
    return LaunchRefused(task=task, agent_id=agent_of(task), **{"message": "unknown model.", **fields})


def no_access(task: str = "a") -> AccessLost:
    return AccessLost(task=task, agent_id=agent_of(task), message="the key was refused.")


def relaunch_due(task: str = "a", attempt: int = 1) -> TimerFired:
    return TimerFired(timer=Timer(TimerKind.RELAUNCH, task, attempt))


def test_the_intent_is_in_the_row_before_the_order_to_launch():
    book = launching("a")
    row = book.row()
    assert (row.status, row.attempts, row.agent_id, row.run_id) == (TaskStatus.RUNNING, 1, None, None)
    assert row.launch == an_intent("a", at=moment(1))
    book.asks(LaunchAgent(row=row))


def test_the_same_intent_has_the_same_ids_in_every_engine_and_another_attempt_has_others():
    state: State = a_state(a_plan("z"), settings=Settings(max_concurrent=1))
    first = intended(state, a_row("a"), at=moment())
    again = intended(state, a_row("a"), at=moment(99))
    second = intended(state, a_row("a", attempts=1), at=moment())
    assert first.launch.agent_id == again.launch.agent_id != second.launch.agent_id
    assert first.launch.idempotency_key == again.launch.idempotency_key != second.launch.idempotency_key


def test_a_fresh_attempt_carries_nothing_of_the_former_one():
    state: State = a_state(a_plan("z"), settings=Settings(max_concurrent=1))
    verdict = Verdict(by="v", value=Verification.UNIT_TEST_VERIFIED, sha=None, at=moment())
    former = a_handed_off_row(
        "a",
        status=TaskStatus.PENDING,
        note="old",
        failure_mode=FailureMode.OOM,
        handoff_status=HandoffStatus.PARTIAL,
        self_report=Verification.TYPE_CHECK_ONLY,
        verification=Verification.UNIT_TEST_VERIFIED,
        verdicts=(verdict,),
        pushed=True,
        cancel=Cancel(by="somebody", at=moment()),
    )
    row = intended(state, former, at=moment(5))
    assert (row.note, row.failure_mode, row.handoff_status, row.self_report) == (None, None, None, None)
    assert (row.verification, row.verdicts, row.pushed, row.cancel) == (None, (), None, None)
    assert (row.attempts, row.started_at, row.finished_at, row.result_status) == (2, moment(5), None, None)


def test_an_answer_sets_the_ids_together_and_begins_the_watch():
    book = launching("a").tell(launched(url="https://example.org/a"))
    book.leaves(agent_id=agent_of("a"), run_id=run_of("a"), parent_agent_id=None, url="https://example.org/a")
    book.asks(WatchRun(row=book.row()))
    assert book.attention() == []


def test_the_parent_is_the_planner_that_runs_the_plan():
    launching("a", selfAgentId="bc-parent").tell(launched()).leaves(parent_agent_id="bc-parent")


def test_a_doubled_answer_changes_nothing():
    launching("a").tell(launched()).tell(launched()).changes_nothing()


def test_a_second_answer_with_another_run_changes_nothing():
    book = launching("a").tell(launched()).tell(launched(run_id=run_of("other")))
    book.changes_nothing().leaves(run_id=run_of("a"))


@pytest.mark.parametrize(
    "answer",
    [
        launched(attempt=2),
        AgentLaunched(task="gone", agent_id=agent_of("gone"), answered_id=agent_of("gone"), run_id=run_of("gone")),
        LaunchRefused(task="a", agent_id=agent_of("a", 2), message="no"),
        LaunchDelayed(task="a", agent_id=agent_of("a", 2), delay=LaunchDelay.QUOTA, message="later"),
        LaunchOutcomeUnknown(task="a", agent_id=agent_of("a", 2), message="no answer"),
        AgentNotFound(task="a", agent_id=agent_of("a", 2)),
    ],
    ids=lambda answer: type(answer).__name__,
)
def test_an_answer_to_another_launch_changes_nothing(answer):
    launching("a").tell(answer).changes_nothing()


@pytest.mark.parametrize(
    "answer", [refused(), delayed(), unknown(), not_found()], ids=lambda answer: type(answer).__name__
)
def test_an_answer_after_the_agent_runs_changes_nothing(answer):
    launching("a").tell(launched()).tell(answer).changes_nothing()


def test_an_answer_to_a_former_sending_says_nothing_of_the_last_one():
    """What was not done before may be done by now, and whoever cancels then would leave an agent behind."""
    put_off = launching("a").tell(delayed(delay=LaunchDelay.RATE_LIMIT)).tell(delayed()).changes_nothing()
    sent_again = put_off.tell(relaunch_due()).tell(delayed()).changes_nothing()
    sent_again.tell(unknown(delays=1)).tell(delayed(delays=1)).changes_nothing()
    sent_anew = launching("a").tell(unknown()).tell(not_found(delays=1)).tell(not_found(delays=1)).changes_nothing()
    sent_anew.tell(unknown()).changes_nothing()


def test_another_agent_id_is_taken_into_the_row_and_told():
    other = AgentId("bc-00000000-0000-4000-8000-000000000009")
    book = launching("a").tell(launched(answered_id=other)).leaves(agent_id=other)
    note = f"asked for {agent_of('a')}, the service answered {other}"
    assert book.row().launch.note == note
    assert book.attention() == [f"a: {note}; that agent is watched."]
    again = launching("a").tell(unknown()).tell(not_found(delays=1)).tell(launched(answered_id=other))
    assert again.attention() == [
        f"a: {note}; that agent is watched. A request before it may have made one too: look for others named like a."
    ]


def test_a_refusal_is_final_and_says_so():
    book = launching("a", settings=Settings(max_concurrent=1)).tell(refused(hint="use gpt-5.4"))
    book.leaves(
        status=TaskStatus.ERROR,
        failure_mode=FailureMode.UNKNOWN,
        note="error before launch: unknown model. (use gpt-5.4)",
        attempts=1,
        finished_at=moment(2),
    )
    assert book.attention() == ["a error before launch: unknown model. No agent was made."]
    book.asks(EndRun(exit_code=1))


def test_a_refused_task_is_not_launched_again_even_with_a_retry_policy():
    task = a_task("a", retry={"attempts": 3, "on": ["unknown"]})
    book = launching(task, "b").tell(refused())
    book.leaves("a", status=TaskStatus.ERROR)
    again = Playbook(an_unread_state(book.row("a"), book.row("b"))).tell(PlanRead(plan=a_plan(task, "b")))
    assert "a" not in [getattr(effect, "row", book.row("b")).name for effect in again.decision.effects]


def test_a_refusal_without_a_hint_says_the_message_alone():
    launching("a").tell(refused()).leaves(note="error before launch: unknown model.")


def test_capacity_counts_no_attempt_and_sends_the_same_request_later():
    book = launching("a").tell(delayed())
    seconds = book.effects(SetTimer)[0].delay_seconds
    book.asks(SetTimer(timer=Timer(TimerKind.TURN), delay_seconds=seconds))
    assert 2.0 <= seconds <= 2.5
    assert moment(4) < book.row().not_before < moment(5)
    before = book.row().launch
    book.tell(turn_due()).leaves(attempts=1, not_before=None, started_at=moment(3))
    assert (book.row().launch.agent_id, book.row().launch.idempotency_key) == (before.agent_id, before.idempotency_key)
    book.asks(LaunchAgent(row=book.row(), may_have_been_sent=True))


def test_an_unreachable_service_is_not_told_by_each_launch():
    assert launching("a").tell(delayed(delay=LaunchDelay.UNREACHABLE)).attention() == []


def test_the_service_s_own_wait_is_kept():
    book = launching("a").tell(delayed(delay=LaunchDelay.RATE_LIMIT, retry_after_seconds=42.0))
    assert book.effects(SetTimer)[0].delay_seconds == 42.0


def test_a_task_in_wait_holds_its_slot():
    launching("a", "b", settings=Settings(max_concurrent=1)).tell(delayed()).launches()


def test_silence_is_looked_up_at_once_and_never_launched_again():
    book = launching("a").tell(unknown())
    book.asks(LookUpAgent(row=book.row())).leaves(status=TaskStatus.RUNNING, attempts=1)


def test_an_agent_found_by_a_look_up_is_adopted_and_told():
    book = launching("a").tell(unknown()).tell(launched(adopted=True))
    book.leaves(agent_id=agent_of("a"), attempts=1).asks(WatchRun(row=book.row()))
    assert book.attention() == ["a: the launch had no answer; looked up, it runs. No second agent was made."]


def test_a_late_answer_after_the_look_up_found_the_agent_changes_nothing():
    launching("a").tell(unknown()).tell(launched(adopted=True)).tell(launched()).changes_nothing()


def test_not_there_sends_the_same_request_again():
    book = launching("a").tell(unknown()).tell(not_found(delays=1))
    book.leaves(attempts=1, started_at=moment(3)).asks(LaunchAgent(row=book.row(), may_have_been_sent=True))


def test_silence_again_is_looked_up_after_a_pause():
    book = launching("a").tell(unknown()).tell(not_found(delays=1)).tell(unknown(delays=2))
    assert book.row().launch.delay == LaunchDelay.UNKNOWN_OUTCOME
    assert [effect.timer for effect in book.effects(SetTimer)] == [Timer(TimerKind.RELAUNCH, "a", 1)]
    book.tell(relaunch_due()).asks(LookUpAgent(row=book.row()))


def test_not_there_again_is_sent_after_a_pause():
    book = launching("a").tell(unknown()).tell(not_found(delays=1)).tell(unknown(delays=2))
    book.tell(relaunch_due()).tell(not_found(delays=3))
    assert book.row().launch.delay == LaunchDelay.UNREACHABLE
    book.tell(relaunch_due()).asks(LaunchAgent(row=book.row(), may_have_been_sent=True))


@pytest.mark.parametrize("code", sorted(CONFLICT_CODES))
def test_a_conflict_is_looked_up_by_the_id_that_we_chose(code):
    book = launching("a").tell(unknown(code=code))
    book.asks(LookUpAgent(row=book.row(), code=code))
    book.tell(launched(adopted=True)).leaves(agent_id=agent_of("a"), attempts=1)


def test_a_conflict_after_a_delay_is_looked_up_at_once_and_keeps_its_code():
    book = launching("a").tell(delayed()).tell(turn_due())
    book.tell(unknown(code="agent_id_conflict", delays=1))
    book.asks(LookUpAgent(row=book.row(), code="agent_id_conflict"))


def test_a_service_that_contradicts_itself_ends_in_an_error_that_claims_nothing():
    book = (
        launching("a").tell(unknown(code="idempotency_conflict")).tell(not_found(code="idempotency_conflict", delays=1))
    )
    book.leaves(status=TaskStatus.ERROR).asks(EndRun(exit_code=1))
    assert "an agent may exist" in book.row().note
    assert not any("No agent was made" in line for line in book.attention())


def test_a_refused_key_takes_a_fresh_intent_back_and_holds_the_rest():
    book = launching("a", "b", settings=Settings(max_concurrent=1)).tell(no_access())
    book.leaves(status=TaskStatus.PENDING, attempts=0, launch=None, started_at=None).launches()
    assert book.state.session.hold == "the key was refused."
    assert book.attention() == ["the key was refused. Nothing more is launched."]
    book.asks(EndRun(exit_code=1))


@pytest.mark.parametrize("answers", [(unknown(),), (delayed(), relaunch_due())], ids=["silence", "delay"])
def test_a_refused_key_leaves_an_intent_in_doubt_for_the_next_engine(answers):
    book = launching("a")
    for answer in answers:
        book.tell(answer)
    book.tell(no_access()).leaves(status=TaskStatus.RUNNING, attempts=1)
    assert book.row().launch.delay == LaunchDelay.UNKNOWN_OUTCOME
    book.asks(EndRun(exit_code=1))
    again = Playbook(an_unread_state(book.row())).tell(PlanRead(plan=a_plan("a")))
    again.asks(LookUpAgent(row=again.row()))


def test_a_late_refusal_of_the_key_still_holds_the_rest():
    book = launching("a", "b").tell(launched()).tell(no_access())
    book.leaves(status=TaskStatus.RUNNING, run_id=run_of("a"))
    assert book.state.session.hold is not None


def test_a_timer_that_nobody_waits_for_changes_nothing():
    book = launching("a").tell(relaunch_due()).changes_nothing()
    book.tell(launched()).tell(relaunch_due()).changes_nothing()
    book.tell(relaunch_due("unknown")).changes_nothing()
    book.tell(TimerFired(timer=Timer(TimerKind.RELAUNCH))).changes_nothing()


def test_a_timer_of_a_former_attempt_changes_nothing():
    row = a_launching_row(attempt=2, launch=an_intent("a", attempt=2, delay=LaunchDelay.CAPACITY, delays=1))
    Playbook(a_state(a_plan("a"), row)).tell(relaunch_due(attempt=1)).changes_nothing()


def test_a_timer_of_a_task_that_failed_meanwhile_changes_nothing():
    book = launching("a", "b", settings=Settings(max_concurrent=2, drain=True)).tell(delayed()).tell(refused())
    book.tell(relaunch_due()).changes_nothing()


def test_a_request_that_was_never_made_is_not_sent_after_its_task_left_the_plan():
    book = launching("a", "b").tell(unknown("b")).tell(PlanRead(plan=a_plan("a"))).tell(not_found("b", delays=1))
    book.launches().leaves("b", status=TaskStatus.PRUNED, attempts=0, launch=None)
    assert book.row("b").note == "it is not in the plan any more"


def test_a_delayed_request_is_not_sent_after_its_task_left_the_plan():
    book = launching("a", "b").tell(delayed("b")).tell(PlanRead(plan=a_plan("a"))).tell(turn_due())
    book.launches().leaves("b", status=TaskStatus.PRUNED, attempts=0)


def test_an_agent_of_a_task_that_left_the_plan_is_watched_to_its_end():
    book = launching("a", "b").tell(PlanRead(plan=a_plan("a"))).tell(launched("b"))
    book.leaves("b", status=TaskStatus.RUNNING).asks(WatchRun(row=book.row("b")))
    ended = RunEnded(task="b", run_id=run_of("b"), status=RunStatus.FINISHED, reply=a_reply("b"))
    book.tell(ended).leaves("b", status=TaskStatus.HANDED_OFF)


def leaving() -> Playbook:
    return launching("a").tell(StopRequested(reason=StopReason.INTERRUPT))


def test_a_stop_while_launching_waits_for_the_answer():
    book = leaving()
    assert book.state.session.phase == Phase.LEAVING
    book.tell(launched()).leaves(run_id=run_of("a"))
    assert book.effects(EndRun) == [EndRun(exit_code=130, cause="e3")]


@pytest.mark.parametrize(
    ("answer", "delay"),
    [
        (unknown(), LaunchDelay.UNKNOWN_OUTCOME),
        (not_found(), LaunchDelay.UNREACHABLE),
        (delayed(), LaunchDelay.CAPACITY),
        (unknown(code="agent_id_conflict"), LaunchDelay.UNKNOWN_OUTCOME),
    ],
)
def test_while_the_engine_leaves_what_is_open_is_left_to_the_next_one(answer, delay):
    book = leaving().tell(answer).leaves(status=TaskStatus.RUNNING, attempts=1)
    assert book.row().launch.delay == delay
    assert book.effects(LaunchAgent) == book.effects(LookUpAgent) == []
    assert book.effects(EndRun) == [EndRun(exit_code=130, cause="e3")]


def test_a_launch_that_becomes_due_while_the_engine_leaves_stays_where_it_is():
    book = launching("a", "b").tell(delayed("b")).tell(StopRequested(reason=StopReason.INTERRUPT))
    book.tell(relaunch_due("b")).changes_nothing()


def test_a_run_whose_cancel_was_asked_for_before_its_launch_is_cancelled_with_it():
    row = a_launching_row(cancel=Cancel(by="somebody", at=moment()))
    book = Playbook(a_state(a_plan("a"), row)).tell(launched(adopted=True))
    assert book.effects(CancelRun) == [CancelRun(task="a", agent_id=agent_of("a"), run_id=run_of("a"), cause="e1")]
