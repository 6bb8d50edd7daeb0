"""Where the service takes no more agents: one line, one try at a time, and room where something ends."""

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import ArchiveAgent, LaunchAgent, SetTimer
from orchestrate.core.events import (
    AgentLaunched,
    EffectFailed,
    LaunchDelayed,
    PlanRead,
    RunEnded,
    StopReason,
    StopRequested,
    Timer,
    TimerFired,
    TimerKind,
)
from orchestrate.core.service_events import ArchiveAnswered
from orchestrate.model.rows import Andon, Workspace
from orchestrate.model.vocabulary import LaunchDelay, RunStatus, TaskStatus
from tests.support.builders import (
    SLUG,
    WORKSPACE,
    a_handed_off_row,
    a_launching_row,
    a_plan,
    a_reply,
    a_row,
    a_running_row,
    a_task,
    agent_of,
    an_intent,
    an_unread_state,
    moment,
    run_of,
)
from tests.support.playbook import Playbook

TURN = TimerFired(timer=Timer(TimerKind.TURN))


def dialogue(*tasks, rows=(), slots=8, **settings):
    """A plan whose first tasks are being launched."""
    state = an_unread_state(*rows, settings=Settings(slots, **settings))
    return Playbook(state).tell(PlanRead(plan=a_plan(*tasks)))


def full(task, delay=LaunchDelay.CAPACITY, **fields):
    return LaunchDelayed(task=task, agent_id=agent_of(task), delay=delay, message="full", **fields)


def taken(task):
    agent_id = agent_of(task)
    return AgentLaunched(task=task, agent_id=agent_id, answered_id=agent_id, run_id=run_of(task))


def ended(task):
    return RunEnded(task=task, run_id=run_of(task), status=RunStatus.FINISHED, reply=a_reply(task))


def archived(task, *, accepted=True):
    return ArchiveAnswered(task=task, agent_id=agent_of(task), accepted=accepted)


def a_full_service():
    """Of four launches one was taken; b, c and d wait."""
    book = dialogue("a", "b", "c", "d")
    for event in (full("c"), taken("a"), full("b"), full("d")):
        book.tell(event)
    return book


def test_launches_that_are_refused_together_wait_in_one_line_and_that_is_told_once():
    book = dialogue("a", "b").tell(full("b"))
    assert book.attention() == [
        "the service takes no more agents now; b and what comes after it wait their turn, no try was counted (full)."
    ]
    assert [effect.timer for effect in book.effects(SetTimer)] == [Timer(TimerKind.TURN)]
    book.tell(full("a")).asks()
    assert book.attention() == []
    assert (book.row("a").attempts, book.state.held, book.state.session.line.refusals) == (1, 2, 1)


def test_where_a_run_ends_the_next_one_goes_at_once_and_only_one():
    book = a_full_service().tell(ended("a")).launches("b")
    book.tell(taken("b")).launches()
    book.tell(ended("b")).launches("c")


def test_a_ready_task_stands_in_the_same_line():
    book = dialogue("a", "b", a_task("urgent", depends_on=("a",), priority=5), a_task("late", depends_on=("a",)))
    book.tell(taken("a")).tell(full("b")).tell(ended("a")).launches("urgent")
    book.tell(taken("urgent")).launches().tell(ended("urgent")).launches("b")
    book.tell(taken("b")).tell(ended("b")).launches("late")


def test_a_timer_tries_one_and_what_is_taken_makes_room_for_the_next_try():
    book = a_full_service().tell(TURN).launches("b")
    book.tell(taken("b")).launches("c").tell(full("c", delays=1)).launches()
    assert book.effects(SetTimer)
    book.tell(ended("a")).launches("c")


def test_an_answer_that_comes_late_says_nothing_of_the_room_that_there_is_now():
    a_full_service().tell(taken("a")).changes_nothing()


def test_a_try_that_is_refused_waits_for_longer_the_next_time():
    book = a_full_service()
    pauses = []
    for delays in range(1, 4):
        book.tell(TURN).launches("b").tell(full("b", delays=delays))
        pauses.append(book.effects(SetTimer)[0].delay_seconds)
    assert pauses[1] >= 4
    assert pauses == sorted(pauses)


def test_a_try_that_nobody_will_answer_keeps_nobody_waiting_for_ever():
    book = a_full_service().tell(TURN).launches("b")
    book.tell(EffectFailed(effect="LaunchAgent", message="a bug", task="b")).launches()
    assert [effect.timer.kind for effect in book.effects(SetTimer)] == [TimerKind.TURN]
    book.tell(TURN).launches("c")


def test_ready_tasks_beyond_the_known_room_are_not_sent_to_hear_no_and_a_timer_is_set_for_them():
    book = dialogue("a", "b", a_task("c", depends_on=("a",)), a_task("d", depends_on=("a",)))
    book.tell(taken("a")).tell(full("b")).tell(TURN).launches("b").tell(taken("b")).launches()
    book.tell(ended("a")).launches("c", "d").tell(taken("c")).tell(full("d"))
    book.tell(ended("b")).launches("d")


def test_a_full_service_that_runs_none_of_ours_is_tried_by_the_timer_only():
    book = dialogue("a").tell(full("a")).launches()
    book.tell(TURN).asks(LaunchAgent(row=book.row(), may_have_been_sent=True))


def test_a_late_or_repeated_refusal_changes_nothing():
    book = dialogue("a", "b").tell(full("b"))
    book.tell(full("b")).changes_nothing()
    book.tell(full("x")).changes_nothing()
    dialogue("a").tell(taken("a")).tell(full("a")).changes_nothing()


def test_a_delay_of_another_kind_is_no_matter_of_room():
    book = dialogue("a").tell(full("a", LaunchDelay.UNREACHABLE))
    assert book.state.session.line is None


def test_a_turn_or_an_archive_that_nobody_waits_for_changes_nothing():
    dialogue("a").tell(TURN).changes_nothing()
    dialogue("a").tell(archived("a")).changes_nothing()


def test_a_launch_that_waits_is_pruned_in_its_turn_when_its_task_left_the_plan():
    book = a_full_service().tell(PlanRead(plan=a_plan("a", "c", "d"))).tell(ended("a"))
    book.launches("c").leaves("b", status=TaskStatus.PRUNED)


# Quota


def test_a_used_up_quota_parks_every_launch_until_it_is_given_anew():
    book = dialogue("a", "b", "c").tell(taken("a")).tell(full("b", LaunchDelay.QUOTA, retry_after_seconds=1800))
    until = moment(3 + 1800)
    assert book.attention() == [
        f"the account's quota is used up until {until}; b and what comes after it wait their turn, "
        "no try was counted (full)."
    ]
    assert book.effects(SetTimer)[0].delay_seconds == 1800
    book.leaves("b", not_before=until)
    book.tell(taken("c")).launches().tell(ended("a")).launches().tell(ended("c")).launches()
    book.tell(TURN).launches("b").tell(taken("b"))
    assert book.state.session.line.room is None


def test_a_quota_that_is_said_to_last_for_days_is_asked_for_again_once_an_hour_and_shown_as_it_is():
    book = dialogue("a").tell(full("a", LaunchDelay.QUOTA, retry_after_seconds=3 * 86400))
    assert book.effects(SetTimer)[0].delay_seconds == 3600
    book.leaves(not_before=moment(2 + 3 * 86400))
    book.tell(TURN).launches("a").tell(full("a", LaunchDelay.QUOTA, retry_after_seconds=86400))
    assert book.attention() == []


def test_a_quota_without_a_moment_is_told_without_one():
    book = dialogue("a").tell(full("a", LaunchDelay.QUOTA))
    assert book.attention()[0].startswith("the account's quota is used up; a and")


# Archiving


def a_workspace_with_finished_agents(**settings):
    rows = [
        a_handed_off_row("late", result_status="finished", finished_at=moment(-5)),
        a_handed_off_row("early", result_status="finished", finished_at=moment(-9)),
        a_handed_off_row("gone", result_status="finished", finished_at=moment(-99), archived_at=moment(-50)),
        a_handed_off_row("by-hand", result_status=None, finished_at=moment(-99)),
    ]
    return dialogue("late", "early", "gone", "by-hand", "x", "y", rows=rows, **settings)


def test_a_full_service_has_the_oldest_finished_agent_archived_and_then_the_next_launch_is_tried():
    book = a_workspace_with_finished_agents().tell(full("x"))
    assert book.effects(ArchiveAgent)[0].task == "early"
    book.tell(full("y"))
    assert book.effects(ArchiveAgent) == []
    book.tell(archived("early")).launches("x").leaves("early", archived_at=moment(4))
    book.tell(full("x", delays=1))
    assert book.effects(ArchiveAgent)[0].task == "late"
    book.tell(archived("late")).tell(full("x", delays=2))
    assert book.effects(ArchiveAgent) == []


def test_an_agent_that_cannot_be_archived_is_spared():
    book = a_workspace_with_finished_agents().tell(full("x")).tell(archived("early", accepted=False))
    book.launches().leaves("early", archived_at=None)
    book.tell(full("y"))
    assert book.effects(ArchiveAgent)[0].task == "late"


@pytest.mark.parametrize(("settings", "delay"), [({"archive": False}, "capacity"), ({}, "quota")])
def test_nothing_is_archived_against_the_caller_s_wish_or_for_another_reason(settings, delay):
    book = a_workspace_with_finished_agents(**settings).tell(full("x", LaunchDelay(delay)))
    assert book.effects(ArchiveAgent) == []


@pytest.mark.parametrize("event", [archived("x"), ArchiveAnswered(task="early", agent_id="bc-other", accepted=True)])
def test_a_foreign_answer_to_an_archive_changes_no_row(event):
    book = a_workspace_with_finished_agents().tell(event)
    book.leaves("early", archived_at=None).leaves("x", archived_at=None)


def test_a_bug_while_archiving_is_told_and_ends_nothing():
    book = a_workspace_with_finished_agents().tell(full("x"))
    book.tell(EffectFailed(effect="ArchiveAgent", message="a bug", task="early")).tell(TURN).launches("x")


def test_a_task_that_is_tried_anew_has_an_agent_that_is_not_archived():
    plan = a_plan(a_task("a", retry={"attempts": 2, "on": ["unknown"]}))
    book = Playbook(an_unread_state(a_row("a", archived_at=moment(-1)))).tell(PlanRead(plan=plan))
    book.launches("a").leaves(archived_at=None)


# Leaving, and coming back


def test_what_waits_is_taken_up_by_the_next_engine_in_its_turn():
    rows = [
        a_running_row("a"),
        a_launching_row("b", launch=an_intent("b", delays=1, delay=LaunchDelay.CAPACITY), not_before=moment(31)),
        a_launching_row("c", launch=an_intent("c", delays=1, delay=LaunchDelay.CAPACITY), not_before=moment(-7)),
    ]
    book = dialogue("a", "b", "c", rows=rows)
    assert [(effect.timer.kind, effect.delay_seconds) for effect in book.effects(SetTimer)] == [(TimerKind.TURN, 0.0)]
    book.launches().tell(ended("a")).launches("b")


def test_a_parked_launch_is_not_sent_by_the_next_engine_before_its_time():
    quota = an_intent("b", delays=1, delay=LaunchDelay.QUOTA)
    rows = [a_running_row("a"), a_launching_row("b", launch=quota, not_before=moment(9000))]
    book = dialogue("a", "b", rows=rows)
    assert book.effects(SetTimer)[0].delay_seconds == 3600
    book.tell(ended("a")).launches().tell(TURN).launches("b")


def test_a_run_that_may_launch_nothing_does_not_wait_for_what_waits():
    workspace = Workspace(WORKSPACE, SLUG, andon=Andon(raised_at=moment()))
    held = an_intent("a", delays=1, delay=LaunchDelay.CAPACITY)
    state = an_unread_state(a_launching_row("a", launch=held), workspace=workspace)
    book = Playbook(state).tell(PlanRead(plan=a_plan("a")))
    assert book.state.session.exit_code == 1


def test_whoever_leaves_learns_nothing_more():
    book = dialogue("a", "b").tell(StopRequested(reason=StopReason.INTERRUPT)).tell(full("a"))
    assert book.state.session.line is None
    book.leaves("a", status=TaskStatus.RUNNING).launches()
