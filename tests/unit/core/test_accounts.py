"""Sums over charges, kept up and counted anew alike."""

from immutables import Map

from orchestrate.core.accounts import Accounts, accounts_of, cents, moved, units
from orchestrate.model.vocabulary import TaskType
from tests.support.builders import a_charge, a_row


def test_unknown_costs_are_set_aside_and_known_ones_are_settled():
    rows = [a_row("a", charges=(a_charge("a", reserved=500.0), a_charge("a", attempt=2, cents=12.5))), a_row("b")]
    assert accounts_of(rows) == Accounts(
        reserved=units(500), settled=units(12.5), agents=2, dearest=Map({TaskType.WORKER: units(12.5)})
    )


def test_what_was_added_and_taken_away_leaves_nothing_behind():
    charges = tuple(a_charge("a", attempt=place, reserved=0.1) for place in range(1, 11))
    accounts = moved(Accounts(), (), charges)
    assert (accounts.reserved, cents(accounts.reserved)) == (1000, 1.0)
    assert moved(accounts, charges, ()) == Accounts()


def test_the_dearest_of_a_type_is_kept_and_a_cost_of_nothing_is_known():
    before = moved(Accounts(), (), (a_charge("a", cents=0.0),))
    assert before.dearest == Map({TaskType.WORKER: 0})
    after = moved(before, (), (a_charge("b", cents=7.0), a_charge("c", cents=3.0)))
    assert after.dearest == Map({TaskType.WORKER: units(7)})
