"""Whether a failed task is tried again: only if the plan names its failure, and while tries are left."""

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import EndRun, SetTimer
from orchestrate.core.events import PlanRead, RunEnded, Timer, TimerFired, TimerKind
from orchestrate.core.retrying import may_retry
from orchestrate.model.names import Timestamp
from orchestrate.model.vocabulary import FailureMode, RunStatus, TaskStatus
from tests.support.builders import (
    a_plan,
    a_row,
    a_running_row,
    a_state,
    a_task,
    an_empty_reply,
    an_unread_state,
    moment,
    run_of,
)
from tests.support.playbook import Playbook

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


def retry_due(attempt: int = 1, task: str | None = "a") -> TimerFired:
    return TimerFired(timer=Timer(TimerKind.RETRY, task, attempt))


def test_a_task_without_pause_is_launched_again_at_once_with_new_ids():
    book = failing().tell(failed()).launches("a").leaves(status=TaskStatus.RUNNING, attempts=2, run_id=None)
    assert book.row().launch.attempt == 2
    assert book.attention() == ["a failed on try 1 (oom: killed); the plan's retry starts it again."]


def test_a_retry_is_no_new_error():
    assert not failing(drain=False).tell(failed()).state.session.has_new_error


def test_a_failure_of_an_unknown_kind_is_named_unknown():
    failing().tell(failed(mode=None)).launches("a")


def test_a_task_with_a_pause_waits_for_its_moment():
    book = failing(backoff=60).tell(failed()).launches()
    book.leaves(status=TaskStatus.PENDING, attempts=1, not_before=moment(61), launch=None, agent_id=None, run_id=None)
    book.asks(SetTimer(timer=Timer(TimerKind.RETRY, "a", 1), delay_seconds=60.0))
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
