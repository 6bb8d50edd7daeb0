"""The rules that hold for every handler."""

from dataclasses import replace

import pytest

from orchestrate.core import retrying
from orchestrate.core.changes import NOTHING, RowChanged, change
from orchestrate.core.effects import LaunchAgent
from orchestrate.core.events import Event, PlanRead, Timer, TimerFired, TimerKind
from orchestrate.core.machine import MachineError, decide, step
from orchestrate.core.state import apply
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import a_handed_off_row, a_plan, a_row, a_state, an_unread_state, moment


def test_deciding_changes_nothing_by_itself():
    state = an_unread_state()
    event = PlanRead(plan=a_plan("a"), at=moment(), id="e1")
    assert decide(state, event) == decide(state, event)
    assert state == an_unread_state()


def test_the_state_after_a_step_is_that_of_its_changes():
    state = an_unread_state()
    after, decision = step(state, PlanRead(plan=a_plan("a", "b"), at=moment(), id="e1"))
    assert apply(state, decision.changes).rows == after.rows


def test_every_effect_carries_the_id_of_its_event():
    decision = decide(an_unread_state(), PlanRead(plan=a_plan("a", "b"), at=moment(), id="e7"))
    assert [(type(effect), effect.cause) for effect in decision.effects] == [(LaunchAgent, "e7"), (LaunchAgent, "e7")]


def test_a_step_that_is_not_in_the_table_is_a_bug_and_is_raised(monkeypatch):
    state = a_state(a_plan("a", "b"), a_handed_off_row("a"), a_row("b"))
    again = replace(state.rows["a"], status=TaskStatus.CANCELLED)
    monkeypatch.setattr(retrying, "on_retry_due", lambda *_: change(RowChanged(again)))
    with pytest.raises(MachineError, match="a: handed-off -> cancelled after TimerFired"):
        step(state, TimerFired(timer=Timer(TimerKind.RETRY, "a", 1)))


def test_an_event_without_a_handler_is_a_bug():
    with pytest.raises(MachineError, match="no handler"):
        decide(an_unread_state(), Event())


def test_nothing_added_to_a_decision_is_that_decision():
    decision = change(RowChanged(a_row()))
    assert decision + NOTHING is decision
    assert (NOTHING + decision).changes == decision.changes
