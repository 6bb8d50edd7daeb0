"""Decisions are put together from changes and effects."""

from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, change
from orchestrate.core.effects import EndRun
from tests.support.builders import a_row


def test_a_decision_is_made_of_changes_and_effects_in_their_order():
    one, two = RowChanged(a_row("a")), AttentionRaised("look")
    assert change(one, two, effects=[EndRun(exit_code=0)]) == Decision((one, two), (EndRun(exit_code=0),))


def test_decisions_add_up_in_their_order():
    first, second = change(RowChanged(a_row("a"))), change(AttentionRaised("look"), effects=[EndRun(exit_code=1)])
    assert first + second == Decision(first.changes + second.changes, second.effects)


def test_nothing_is_a_decision_without_changes_and_effects():
    assert Decision() == NOTHING == change()
