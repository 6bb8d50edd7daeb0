"""Whether a failed task is tried again: only if the plan names its failure, and while tries are left."""

from dataclasses import replace

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import EndRun, LookUpRefs, SetTimer
from orchestrate.core.events import PlanRead, RunEnded, StopReason, StopRequested, Timer, TimerFired, TimerKind
from orchestrate.core.ref_events import RefsSeen, WantedRef
from orchestrate.core.retrying import may_retry
from orchestrate.model.names import Timestamp
from orchestrate.model.vocabulary import FailureMode, RunStatus, TaskStatus, TaskType
from tests.support.builders import (
    SLUG,
    a_handed_off_row,
    a_plan,
    a_row,
    a_running_row,
    a_state,
    a_task,
    a_verifier,
    an_empty_reply,
    an_unread_state,
    moment,
    run_of,
    seen,
)
from tests.support.playbook import Playbook

OWN = f"orch/{SLUG}/a"
TIMER = SetTimer(timer=Timer(TimerKind.RETRY, "a", 1), delay_seconds=5.0)
RETRY_IN_A_MINUTE = replace(TIMER, delay_seconds=60.0)
LOOK = LookUpRefs(refs=(WantedRef("a", 1, OWN, "main"),), is_awaited=True)
LOOK_FOR_OWN = replace(LOOK, refs=(WantedRef("a", 1, OWN),))
RETRIED = a_plan(a_task("a", retry={"attempts": 3, "on": ["oom"]}))
FOLLOWING = a_plan(
    "s", a_task("a", depends_on=("s",), startingRef=f"orch/{SLUG}/s", retry={"attempts": 3, "on": ["oom"]})
)
OOM, CAP, UNKNOWN = FailureMode.OOM, FailureMode.CAP_HIT, FailureMode.UNKNOWN


@pytest.mark.parametrize(
    ("fields", "attempts", "mode", "again"),
    [
        ({}, 1, OOM, False),  # no policy, no second try
        ({"retry": {"attempts": 2, "on": ["oom"]}}, 1, OOM, True),
        ({"retry": {"attempts": 2, "on": ["oom"]}}, 1, CAP, False),  # a failure that it does not name
        ({"retry": {"attempts": 2, "on": ["oom"]}}, 2, OOM, False),  # attempts are launches in all
        ({"retry": {"attempts": 1, "on": ["oom"]}}, 1, OOM, False),
        ({"retry": {"attempts": 5, "on": ["oom", "unknown"]}}, 4, UNKNOWN, True),
        ({"retry": {"attempts": 5, "on": ["oom"]}, "maxAttempts": 2}, 1, OOM, True),
        ({"retry": {"attempts": 5, "on": ["oom"]}, "maxAttempts": 2}, 2, OOM, False),  # the plan's bound wins
        ({"maxAttempts": 5}, 1, OOM, False),  # a bound is no policy
    ],
)
def test_the_policy(fields, attempts, mode, again):
    assert may_retry(a_plan(a_task("a", **fields)).task("a"), attempts=attempts, mode=mode) is again


def failing(*, attempts: int = 3, backoff: float | None = None, attempt: int = 1, drain: bool = True) -> Playbook:
    retry = {"attempts": attempts, "on": ["oom", "unknown"], "backoffSec": backoff}
    plan = a_plan(a_task("a", retry=retry), a_task("b", depends_on=("a",)))
    settings = Settings(max_concurrent=4, drain=drain)
    return Playbook(a_state(plan, a_running_row("a", attempt=attempt), settings=settings))


def failed(attempt: int = 1, mode: FailureMode | None = OOM) -> RunEnded:
    return RunEnded(
        task="a",
        run_id=run_of("a", attempt),
        status=RunStatus.ERROR,
        reply=an_empty_reply(),
        failure_mode=mode,
        message="killed",
    )


def own(branch: str = OWN, **answer: object) -> RefsSeen:
    return seen("a", branch=branch, **answer)


def retry_due(attempt: int = 1, task: str | None = "a") -> TimerFired:
    return TimerFired(timer=Timer(TimerKind.RETRY, task, attempt))


def test_a_task_without_pause_is_launched_again_once_its_branch_was_looked_up_with_new_ids():
    book = failing().tell(failed()).launches()
    assert book.attention() == ["a failed on try 1 (oom: killed); the plan's retry starts it again."]
    book.tell(own(sha=None)).launches("a").leaves(status=TaskStatus.RUNNING, attempts=2, run_id=None)
    assert book.row().launch.attempt == 2


def test_it_goes_on_from_its_own_branch_where_the_remote_has_work_on_it():
    book = failing().tell(failed()).asks(TIMER, LOOK).leaves(not_before=moment(6))
    book.tell(own()).launches("a").leaves(starting_ref=OWN, ref_from="a", attempts=2)
    assert book.attention() == [f"a: try 2 goes on from {OWN}, which is on the remote."]


@pytest.mark.parametrize("answer", [{"sha": None}, {"sha": "5ea", "start_sha": "5ea"}])
def test_without_work_on_it_the_next_try_starts_where_the_first_one_did(answer):
    failing().tell(failed()).tell(own(**answer)).launches("a").leaves(starting_ref="main", ref_from=None)


def test_where_nobody_can_tell_it_starts_there_too_and_that_is_told():
    book = failing().tell(failed()).tell(own(unknown="no route")).launches("a").leaves(starting_ref="main")
    assert book.attention() == [f"{OWN} of a could not be looked up (no route); its next try starts from main."]


def test_who_waits_for_the_look_waits_for_a_few_seconds():
    book = failing().tell(failed()).tell(retry_due()).launches("a").leaves(starting_ref="main")
    book.tell(own()).launches().leaves(starting_ref="main")


def test_a_branch_that_the_service_reports_is_its_own():
    book = failing().tell(replace(failed(), reported_branch="cursor/a-9"))
    book.tell(own()).launches()
    book.tell(own(branch="cursor/a-9")).launches("a").leaves(starting_ref="cursor/a-9")


def test_a_pause_goes_on_after_the_look():
    book = failing(backoff=60).tell(failed()).tell(own()).launches().leaves(starting_ref=OWN, not_before=moment(61))
    book.asks(SetTimer(timer=Timer(TimerKind.RETRY, "a", 1), delay_seconds=59.0))
    short = failing(backoff=3).tell(failed()).leaves(not_before=moment(6)).tell(own()).launches()
    short.leaves(not_before=moment(4))


def test_a_branch_that_is_gone_again_is_left_for_the_planned_start():
    gone = Playbook(a_state(RETRIED, a_running_row("a", starting_ref=OWN, ref_from="a")))
    gone.tell(failed()).asks(TIMER, LOOK_FOR_OWN).tell(own(sha=None)).launches("a")
    gone.leaves(starting_ref="main", ref_from=None)


@pytest.mark.parametrize(
    ("source", "start"), [(a_handed_off_row("s"), "cursor/s-1f2a"), (a_row("s"), f"orch/{SLUG}/s")]
)
def test_the_planned_start_may_be_the_branch_of_another_task(source, start):
    own_row = a_running_row("a", starting_ref=OWN, ref_from="a")
    book = Playbook(a_state(FOLLOWING, own_row, source)).tell(failed()).tell(own(sha=None))
    book.leaves(starting_ref=start)


def test_a_verifier_looks_for_no_branch_of_its_own():
    plan = a_plan("b", a_verifier("a", of="b", retry={"attempts": 2, "on": ["oom"]}))
    row = a_running_row("a", type=TaskType.VERIFIER, depends_on=("b",))
    Playbook(a_state(plan, a_handed_off_row("b"), row)).tell(failed()).leaves(not_before=None)


def test_who_leaves_asks_nothing_and_the_next_engine_looks():
    book = failing().tell(StopRequested(reason=StopReason.INTERRUPT)).tell(failed())
    assert not book.effects(LookUpRefs)
    waits = a_row("a", attempts=1, not_before=moment(1), finished_at=moment(-4))
    book = Playbook(an_unread_state(waits)).tell(PlanRead(plan=RETRIED)).asks(TIMER, LOOK)
    book.tell(own()).launches("a").leaves(starting_ref=OWN)


def test_who_may_be_tried_no_more_starts_as_its_plan_says_now():
    book = failing(backoff=60).tell(failed()).tell(PlanRead(plan=a_plan("a", "b")))
    book.tell(own()).launches("a")


def test_no_row_waits_for_the_look_of_another_try():
    book = failing(backoff=60).tell(failed()).tell(own(attempt=2)).leaves(starting_ref="main")
    book.tell(own(branch="cursor/other")).leaves(starting_ref="main")


def test_a_retry_is_no_new_error():
    assert not failing(drain=False).tell(failed()).state.session.has_new_error


def test_a_failure_of_an_unknown_kind_is_named_unknown():
    failing().tell(failed(mode=None)).tell(own(sha=None)).launches("a")


def test_a_task_with_a_pause_waits_for_its_moment():
    book = failing(backoff=60).tell(failed()).launches()
    book.leaves(status=TaskStatus.PENDING, attempts=1, not_before=moment(61), launch=None, agent_id=None, run_id=None)
    book.asks(RETRY_IN_A_MINUTE, LOOK)
    book.tell(retry_due()).launches("a").leaves(attempts=2, not_before=None)
    book.tell(retry_due()).changes_nothing()


@pytest.mark.parametrize("timer", [retry_due(attempt=2), retry_due(task="unknown"), retry_due(task=None)])
def test_a_timer_of_another_attempt_or_task_changes_nothing(timer):
    failing(backoff=60).tell(failed()).tell(timer).changes_nothing()


def test_the_last_try_ends_in_error():
    book = failing(attempts=2, attempt=2).tell(failed(attempt=2))
    book.leaves(status=TaskStatus.ERROR, attempts=2).asks(EndRun(exit_code=1))


def test_a_restart_keeps_the_rest_of_the_pause():
    plan = a_plan(a_task("a", retry={"attempts": 2, "on": ["oom"], "backoffSec": 60}))
    book = Playbook(an_unread_state(a_row("a", attempts=1, not_before=moment(31)))).tell(PlanRead(plan=plan))
    book.asks(SetTimer(timer=Timer(TimerKind.RETRY, "a", 1), delay_seconds=30.0)).launches()


@pytest.mark.parametrize("not_before", [moment(-1), Timestamp("not a moment")])
def test_a_pause_that_is_over_or_unreadable_is_over_at_once(not_before):
    book = Playbook(an_unread_state(a_row("a", attempts=1, not_before=not_before))).tell(PlanRead(plan=a_plan("a")))
    book.asks(SetTimer(timer=Timer(TimerKind.RETRY, "a", 1), delay_seconds=0.0))
    book.tell(retry_due()).launches("a")


def test_a_task_that_left_the_plan_is_not_tried_again():
    book = failing().tell(PlanRead(plan=a_plan("b"))).tell(failed())
    book.leaves(status=TaskStatus.ERROR)
