"""Messages to agents: taken in, refused, taken back."""

import pytest

from orchestrate.core.changes import Phase, Settings
from orchestrate.core.effects import AnswerRequest, EndRun, LookUpRuns
from orchestrate.core.events import EngineStarted, PlanRead, RunEnded, StopReason, StopRequested
from orchestrate.core.follow_up_events import DropRequested, SteerRequested
from orchestrate.core.request_events import RequestAnswered, StopFound
from orchestrate.core.steering import MOST_MESSAGES
from orchestrate.model.messages import FollowUpRun
from orchestrate.model.names import message_key_for
from orchestrate.model.rows import Andon, Cancel, Workspace
from orchestrate.model.stops import StopScope
from orchestrate.model.vocabulary import MessageDelay, RunStatus, TaskStatus
from tests.support.builders import (
    SLUG,
    WORKSPACE,
    a_handed_off_row,
    a_plan,
    a_reply,
    a_row,
    a_running_row,
    a_state,
    a_task,
    an_unread_state,
    moment,
    run_of,
    seen,
)
from tests.support.messages import M1, M2, a_between_row, a_message
from tests.support.playbook import Playbook

PLAN = a_plan("a", "other")
ASKED = SteerRequested(request=M1, task="a", digest="0" * 64, by="ana")
DROP = DropRequested(request=M2, task="a", message=M1, by="ana")


def book(row, *, settings=None):
    return Playbook(a_state(PLAN, row, a_running_row("other"), settings=settings or Settings(2, drain=True)))


def ended(task: str) -> RunEnded:
    return RunEnded(task=task, run_id=run_of(task), status=RunStatus.FINISHED, reply=a_reply(task))


def answer_of(playbook):
    (effect,) = playbook.effects(AnswerRequest)
    return effect.answer


def test_a_message_to_an_agent_at_work_waits_for_the_end_of_its_run():
    told = book(a_running_row()).tell(ASKED)
    (message,) = told.row().queue
    assert (message.id, message.digest, message.base_run_id) == (M1, "0" * 64, run_of("a"))
    assert message.key == message_key_for(WORKSPACE, "a", M1)
    assert told.effects(LookUpRuns) == []
    details = answer_of(told).details
    assert (details["outcome"], details["messageId"], details["position"]) == ("revert_to_followup", M1, 1)
    assert told.attention() == ["ana has a message for a; it is sent once its run has ended."]


def test_asked_again_it_is_only_answered_again():
    told = book(a_running_row()).tell(ASKED).tell(ASKED)
    assert len(told.row().queue) == 1
    assert answer_of(told).is_done


@pytest.mark.parametrize("row", [a_handed_off_row(), a_running_row(status=TaskStatus.ERROR, finished_at=moment())])
def test_a_task_that_is_over_runs_again_with_a_message(row):
    told = book(row).tell(ASKED).leaves(status=TaskStatus.RUNNING, finished_at=None)
    assert [each.row.name for each in told.effects(LookUpRuns)] == ["a"]
    assert told.row().queue[0].former == row.status
    assert "runs again" in told.attention()[0]


def test_where_all_slots_are_taken_it_waits_for_one_and_holds_its_dependants():
    plan = a_plan("a", "other", a_task("behind", depends_on=("a",)))
    told = Playbook(a_state(plan, a_handed_off_row(), a_running_row("other"), settings=Settings(1, drain=True)))
    told.tell(seen()).tell(ASKED).leaves(status=TaskStatus.HANDED_OFF)
    assert told.attention() == ["ana has a message for a; it is sent once a slot is free."]
    assert (told.effects(LookUpRuns), answer_of(told).details["status"]) == ([], "handed-off")
    told.tell(ended("other"))
    told.leaves(status=TaskStatus.RUNNING).leaves("behind", status=TaskStatus.PENDING)
    assert [each.row.name for each in told.effects(LookUpRuns)] == ["a"]


def test_taken_back_it_lets_go_of_its_dependants():
    plan = a_plan("a", "other", a_task("behind", depends_on=("a",)))
    told = Playbook(a_state(plan, a_handed_off_row(), a_running_row("other"), settings=Settings(1, drain=True)))
    told.tell(seen()).tell(ASKED).tell(DROP).tell(ended("other")).launches("behind")


def test_under_the_andon_no_task_that_is_over_runs_again():
    raised = Workspace(WORKSPACE, SLUG, andon=Andon(raised_at=moment(), raised_by="bo", reason="stop"))
    told = Playbook(a_state(PLAN, a_handed_off_row(), a_running_row("other"), workspace=raised)).tell(ASKED)
    told.leaves(status=TaskStatus.HANDED_OFF)
    assert told.attention() == ["ana has a message for a; it is sent once launches are free (the andon is raised)."]


def test_a_run_with_a_message_that_was_not_sent_is_not_done():
    raised = Workspace(WORKSPACE, SLUG, andon=Andon(raised_at=moment(), raised_by="bo", reason="stop"))
    told = Playbook(a_state(PLAN, a_handed_off_row(), a_running_row("other"), workspace=raised)).tell(ASKED)
    told.tell(RequestAnswered(request=M1)).tell(ended("other")).tell(seen("a")).tell(seen("other"))
    told.asks(EndRun(exit_code=1))


def test_who_only_answers_leaves_it_to_the_next_engine():
    only = Settings(2, answers_only=True)
    told = Playbook(an_unread_state(a_handed_off_row(), a_running_row("other"), settings=only))
    told.tell(EngineStarted(engine="e", requests=(M1, M2))).tell(PlanRead(plan=PLAN))
    told.tell(ASKED).leaves(status=TaskStatus.HANDED_OFF)
    assert told.attention() == ["ana has a message for a; it is sent by the next run, and the task runs again then."]
    told.tell(SteerRequested(request=M2, task="a", digest="1" * 64, by="ana"))
    assert told.attention() == ["ana has a message for a; it is sent after those before it."]
    again = Playbook(a_state(PLAN, told.row(), a_running_row("other")))
    assert again.row().status == TaskStatus.RUNNING


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (a_row(), "not_launched"),
        (a_row(attempts=1, not_before=moment(99)), "not_launched"),
        (a_running_row(status=TaskStatus.CANCELLED), "task_over"),
        (a_running_row(cancel=Cancel("ana", moment())), "being_cancelled"),
        (a_handed_off_row(agent_id=None, run_id=None), "no_agent"),
        (a_running_row(queue=tuple(a_message() for _ in range(MOST_MESSAGES))), "queue_full"),
    ],
)
def test_where_nobody_can_have_a_word_it_is_refused(row, code):
    told = book(row, settings=Settings(1, drain=True)).tell(ASKED)
    assert answer_of(told).code == code


def test_an_unknown_task_is_refused():
    for event in (
        SteerRequested(request=M1, task="b", digest="", by="ana"),
        DropRequested(request=M1, task="b", message=M2, by="ana"),
    ):
        assert answer_of(book(a_running_row()).tell(event)).code == "unknown_task"


def test_a_killed_run_takes_no_messages():
    told = book(a_running_row()).tell(StopFound(stop="s", by="ana", scope=StopScope.WORKSPACE)).tell(ASKED)
    assert answer_of(told).code == "stopped"


def test_an_engine_that_leaves_lets_the_request_lie():
    told = book(a_running_row()).tell(StopRequested(reason=StopReason.INTERRUPT))
    assert told.state.session.phase != Phase.RUNNING
    told.tell(ASKED).changes_nothing()
    told.tell(DROP).changes_nothing()


def test_a_message_that_waits_can_be_taken_back_once():
    told = book(a_running_row()).tell(ASKED).tell(DROP)
    assert told.row().queue == ()
    assert answer_of(told).details == {"task": "a", "messageId": M1}
    assert answer_of(told.tell(DROP)).is_done


def test_the_one_whose_turn_it_is_can_be_taken_back_while_it_has_not_left():
    told = book(a_between_row(delay=MessageDelay.BUSY, step=4)).tell(DROP)
    told.leaves(status=TaskStatus.HANDED_OFF, queue=())


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (a_running_row(), "unknown_message"),
        (a_between_row(sent_at=moment()), "message_leaves"),
        (a_running_row(queue=(a_message(run_id=run_of("a")),)), "message_sent"),
    ],
)
def test_what_has_left_cannot_be_taken_back(row, code):
    assert answer_of(book(row).tell(DROP)).code == code


def test_what_was_answered_cannot_be_taken_back():

    row = a_handed_off_row(runs=(FollowUpRun(run_of("a", 9), M1, 1, moment()),))
    assert answer_of(book(row).tell(DROP)).code == "message_sent"
