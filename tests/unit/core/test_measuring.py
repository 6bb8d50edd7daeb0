"""Measurements: taken after the handoff on the commit that was seen, told, and never a verdict."""

from dataclasses import replace

import pytest

from orchestrate.core.changes import Linger, RowChanged, Settings
from orchestrate.core.effects import EndRun, SetTimer, TakeMeasurements
from orchestrate.core.events import EffectFailed, PlanRead, RunEnded, StopReason, StopRequested, Timer, TimerKind
from orchestrate.core.measurement_events import MeasurementsTaken
from orchestrate.core.operating import MEASURING_SECONDS
from orchestrate.core.state import apply
from orchestrate.model.rows import Acceptance, Measured, OnRemote
from orchestrate.model.vocabulary import FindingKind, MeasurementOutcome, RunStatus, Verification
from tests.support.builders import (
    a_handed_off_row,
    a_plan,
    a_reply,
    a_running_row,
    a_state,
    a_task,
    an_unread_state,
    moment,
    run_of,
    seen,
)
from tests.support.playbook import Playbook

TASK = a_task("a", measurements=[{"name": "size", "command": "wc -c < a"}, {"name": "todos", "command": "grep TODO a"}])
THERE = {"pushed": True, "head_sha": "5ea", "on_remote": OnRemote(moment(), is_there=True)}


def measured(name: str = "size", outcome=MeasurementOutcome.MATCH, *, sha: str | None = "5ea", detail="as claimed"):
    return Measured(name, outcome, moment(), detail, sha)


BOTH = (measured("size"), measured("todos"))
MISMATCH = measured(outcome=MeasurementOutcome.VALUE_MISMATCH, detail="claimed 0, measured 3")


def taken(*found: Measured, **fields) -> MeasurementsTaken:
    return MeasurementsTaken(**{"task": "a", "sha": "5ea", "measured": found or BOTH, **fields})


def handed_off(*others: str) -> Playbook:
    rows = (a_running_row("a"), *(a_running_row(name) for name in others))
    book = Playbook(a_state(a_plan(TASK, *others), *rows))
    reply = a_reply(verification=Verification.UNIT_TEST_VERIFIED)
    return book.tell(RunEnded(task="a", run_id=run_of("a"), status=RunStatus.FINISHED, reply=reply))


def due(book: Playbook) -> list[tuple[str, ...]]:
    return [tuple(each.name for each in effect.measurements) for effect in book.effects(TakeMeasurements)]


def read(*rows, **settings) -> Playbook:
    state = an_unread_state(*rows, settings=Settings(max_concurrent=1, **settings))
    return Playbook(state).tell(PlanRead(plan=a_plan(TASK)))


def test_what_the_plan_declares_is_measured_once_the_commit_is_known():
    book = handed_off("z")
    assert due(book) == []
    assert due(book.tell(seen())) == [("size", "todos")]
    assert due(book.tell(seen())) == []


def test_each_outcome_is_told_and_stands_in_the_row():
    book = handed_off("z").tell(seen()).tell(taken(MISMATCH, measured("todos")))
    book.leaves(measured=(MISMATCH, measured("todos")), verification=Verification.UNIT_TEST_VERIFIED)
    assert [(each.kind, each.message) for each in book.row().findings] == [
        (FindingKind.MEASUREMENT, "size: value-mismatch: claimed 0, measured 3.")
    ]
    assert book.attention() == [
        "a: measurement size: value-mismatch: claimed 0, measured 3.",
        "a: measurement todos: match: as claimed.",
    ]
    assert not book.state.session.measuring


def test_a_branch_that_is_not_there_cannot_be_measured_and_is_told_once():
    book = handed_off("z").tell(seen(sha=None))
    assert [(each.name, each.outcome, each.detail) for each in book.row().measured] == [
        ("size", MeasurementOutcome.NOT_RUN, "its branch is not on the remote"),
        ("todos", MeasurementOutcome.NOT_RUN, "its branch is not on the remote"),
    ]
    assert book.tell(seen(sha=None)).attention() == []
    assert due(book.tell(seen())) == [("size", "todos")]


def test_a_branch_that_nobody_can_look_up_is_not_measured_and_says_so():
    book = handed_off("z").tell(seen(unknown="no route"))
    assert {each.outcome for each in book.row().measured} == {MeasurementOutcome.NOT_RUN}


@pytest.mark.parametrize("event", [taken(sha="0ff"), taken(task="gone"), taken(task="z")])
def test_what_was_measured_of_a_former_commit_means_nothing(event):
    assert handed_off("z").tell(seen()).tell(event).leaves(measured=()).attention() == []


def test_a_commit_that_was_handed_off_while_a_former_one_was_measured_is_measured_next():
    """Somebody had the task done again, and it pushed to the same branch."""
    book = handed_off("z").tell(seen())
    row = replace(book.row("a"), head_sha="0ff")
    again = Playbook(apply(book.state, [RowChanged(row)])).tell(taken())
    assert due(again) == [("size", "todos")]
    assert again.effects(TakeMeasurements)[0].row.head_sha == "0ff"
    again.tell(taken(sha="0ff")).leaves(measured=BOTH)


def test_the_end_of_the_run_waits_for_it():
    book = handed_off().tell(seen())
    timer = Timer(TimerKind.LINGER, attempt=2)
    assert book.effects(SetTimer)[-1].timer == timer
    assert book.effects(SetTimer)[-1].delay_seconds == MEASURING_SECONDS
    assert book.state.session.linger == Linger.MEASURING
    book.tell(taken()).asks(EndRun(exit_code=0))


def test_a_bug_of_ours_is_not_waited_for():
    book = handed_off().tell(seen())
    book.tell(EffectFailed(effect="TakeMeasurements", message="a bug", task="a")).asks(EndRun(exit_code=0))


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        (THERE, [("size", "todos")]),
        ({**THERE, "measured": (measured("todos"),)}, [("size",)]),
        ({**THERE, "measured": BOTH}, []),
        ({**THERE, "measured": (measured("size", sha="0ff"), measured("todos"))}, [("size",)]),
        ({**THERE, "pushed": None}, []),  # of another tool
        ({**THERE, "accepted": Acceptance(by="ana", at=moment())}, []),
        ({**THERE, "head_sha": None}, []),
    ],
)
def test_the_next_engine_measures_what_this_one_left(fields, wanted):
    assert due(read(a_handed_off_row(**fields))) == wanted


def test_what_was_not_run_is_measured_where_somebody_asks_for_it():
    row = a_handed_off_row(**THERE, measured=(measured("size", MeasurementOutcome.NOT_RUN), measured("todos")))
    assert due(read(row)) == []
    assert due(read(row, measures=True)) == [("size",)]


def test_who_only_answers_or_leaves_measures_nothing():
    assert due(read(a_handed_off_row(**THERE), answers_only=True)) == []
    left = handed_off("z").tell(StopRequested(reason=StopReason.INTERRUPT)).tell(seen())
    assert due(left) == []


def test_a_task_that_left_the_plan_is_not_measured():
    book = Playbook(an_unread_state(a_handed_off_row(**THERE))).tell(PlanRead(plan=a_plan("b")))
    assert due(book) == []
