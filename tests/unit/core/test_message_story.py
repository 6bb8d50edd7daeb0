"""What the story of a task says of messages to its agent, and of the andon while it waits."""

from dataclasses import replace

import pytest

from orchestrate.core.andon_events import AndonClearRequested, AndonRaiseRequested
from orchestrate.core.changes import Settings
from orchestrate.core.events import EngineStarted, RunEnded, StopReason, StopRequested
from orchestrate.core.follow_up_events import (
    DropRequested,
    FollowUpDelayed,
    FollowUpOutcomeUnknown,
    FollowUpRefused,
    FollowUpSent,
    RunsSeen,
    SteerRequested,
)
from orchestrate.core.request_events import CancelRequested
from orchestrate.core.story import story_of
from orchestrate.model.names import EngineId
from orchestrate.model.records import Record
from orchestrate.model.vocabulary import LaunchDelay, MessageDelay, RunStatus
from tests.support.builders import (
    a_handed_off_row,
    a_launching_row,
    a_plan,
    a_reply,
    a_row,
    a_running_row,
    a_task,
    an_intent,
    moment,
    run_of,
)
from tests.support.messages import M1, M2, a_between_row, a_message
from tests.unit.core.test_story import told

STEER = SteerRequested(request=M1, task="a", digest="0" * 64, by="ana")
PLAN = a_plan("a", "other")
SEEN = RunsSeen(task="a", message_id=M1, step=1, newest=run_of("a"))
SENT = FollowUpSent(task="a", message_id=M1, step=2, run_id=run_of("a", 9))


def story(*events, row, settings=None):
    rows = (row, a_running_row("other"))
    return told(*events, plan=PLAN, rows=rows, settings=settings or Settings(4, drain=True))


def ended(number: int = 1) -> RunEnded:
    return RunEnded(task="a", run_id=run_of("a", number), status=RunStatus.FINISHED, reply=a_reply("a"))


def test_a_message_from_its_arrival_to_its_answer():
    assert story(STEER, ended(), SEEN, SENT, ended(9), row=a_running_row()) == [
        "ana has message 22222222 for its agent",
        "its run ended",
        "message 22222222 of ana has its turn",
        "message 22222222 leaves",
        "running with message 22222222",
        "handed off, success, on cursor/a-1f2a; verification: none",
    ]


def test_a_task_that_is_over_runs_again_at_once_or_when_a_slot_is_free():
    assert story(STEER, row=a_handed_off_row()) == [
        "ana has message 22222222 for its agent",
        "message 22222222 of ana has its turn",
    ]
    over = RunEnded(task="other", run_id=run_of("other"), status=RunStatus.FINISHED, reply=a_reply("other"))
    assert story(STEER, over, row=a_handed_off_row(), settings=Settings(1, drain=True)) == [
        "ana has message 22222222 for its agent; it waits for its turn",
        "message 22222222 of ana has its turn",
    ]


def test_the_next_message_has_its_turn_where_the_first_is_refused():
    refused = FollowUpRefused(task="a", message_id=M1, step=2, code="x", message="too long")
    other = a_message(replace_first(M2), at=moment(1))
    assert story(refused, row=a_between_row(other)) == [
        "message 22222222 was refused: too long",
        "message 33333333 of ana has its turn",
    ]


def replace_first(message):
    return message.replace("22222222", "33333333", 1)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (replace(SEEN, step=2, found=run_of("a", 9)), "message 22222222 has begun a run already; it is watched"),
        (
            FollowUpDelayed(task="a", message_id=M1, step=2, delay=MessageDelay.BUSY, message="busy"),
            "another run of its agent goes on: message 22222222 waits, and was not sent",
        ),
        (
            FollowUpOutcomeUnknown(task="a", message_id=M1, step=2, message="?"),
            "no answer to message 22222222; the runs of its agent are looked at before anything is sent again",
        ),
        (DropRequested(request=M2, task="a", message=M1, by="bo"), "bo took message 22222222 back"),
    ],
)
def test_what_becomes_of_it_on_its_way(event, line):
    assert story(event, row=a_between_row())[0] == line


@pytest.mark.parametrize(
    "event", [replace(SEEN, step=2), FollowUpDelayed(task="a", message_id=M1, step=2, delay="busy", message="x")]
)
def test_after_a_cancel_only_that_is_told(event):
    cancel = CancelRequested(request=M2, task="a", by="bo")
    lines = story(cancel, event, row=a_between_row(sent_at=moment()))
    assert lines == ["bo asked for its cancel", "is cancelled now"]


def test_a_reason_of_another_version_is_later():
    event = {"type": "FollowUpDelayed", "task": "a", "message_id": M1, "delay": "novelty"}
    record = Record(seq=1, engine=EngineId("e"), at=moment(), event=event, rows=(a_between_row(),))
    assert story_of([record], "a")[0].text == "later: message 22222222 waits, and was not sent"


RAISED = AndonRaiseRequested(request=M1, by="ana", reason="wrong base")
CLEARED = AndonClearRequested(request=M2, by="ana")


def test_the_andon_is_told_of_a_task_that_waits_and_of_no_other():
    plan = a_plan("x", a_task("a", depends_on=("x",)))
    lines = told(RAISED, CLEARED, plan=plan, rows=(a_row("a", depends_on=("x",)), a_running_row("x")))
    assert lines == [
        "ana raised the andon: wrong base. Nothing is launched; agents that run go on.",
        "ana cleared the andon.",
    ]
    assert told(RAISED, CLEARED, plan=plan, rows=(a_running_row("x"),), task="x") == []


@pytest.mark.parametrize(
    "row",
    [
        replace(
            a_launching_row("a"), launch=an_intent("a", delay=LaunchDelay.CAPACITY, delays=1), not_before=moment(99)
        ),
        a_handed_off_row(queue=(a_message(due_at=moment()),)),
    ],
)
def test_so_it_is_of_what_waits_for_room_or_with_a_message(row):
    settings = Settings(1, drain=True)
    assert "ana raised the andon: wrong base." in story(RAISED, row=row, settings=settings)[-1]


def test_a_task_that_nobody_knows_yet_has_no_andon():
    started, stopped = EngineStarted(engine="e"), StopRequested(reason=StopReason.INTERRUPT)
    assert told(started, RAISED, stopped, plan=PLAN, task="unknown") == []
