from orchestrate.model.grants import Grant, Share, Used
from orchestrate.model.money import Money, dollars, money_in
from tests.support.builders import a_charge, a_row, agent_of


def test_dollars_have_two_places():
    assert (dollars(412), dollars(0), dollars(123_456.5)) == ("$4.12", "$0.00", "$1,234.57")


def test_what_was_told_and_what_is_set_aside():
    rows = [a_row("a", charges=(a_charge("a"), a_charge("a", attempt=2, cents=12.5))), a_row("b")]
    assert money_in(rows, spent=20.0, budget=1000) == Money(20.0, 500.0, 2, budget=1000)
    assert money_in(rows, spent=0.0, max_agents=3) == Money(12.5, 500.0, 2, max_agents=3)


def test_what_subplanners_were_given_counts_until_it_is_known_what_they_took():
    grant = Grant(agents=8, cents=400.0)
    charges = (a_charge("p"), a_charge("p", attempt=2))
    shares = (Share(1, agent_of("p"), grant, Used(3, 12.5)), Share(2, agent_of("p", 2), grant), Share(3, "bc-3", grant))
    rows = [a_row("p", charges=charges, shares=shares)]
    money = money_in(rows, spent=1.0, max_agents=20)
    assert money == Money(13.5, 1400.0, 13, max_agents=20, given_agents=8)
    assert money.document()["givenAgents"] == 8


def test_money_in_words():
    told = [Money(), Money(spent=412.0), Money(spent=412.0, budget=2000), Money(budget=2000)]
    assert list(map(str, told)) == ["", "$4.12", "$4.12 of $20.00", "$0.00 of $20.00"]


def test_money_for_programs():
    plain = {"spentCents": 1.0, "reservedCents": 2.0, "agents": 3}
    assert Money(1.0, 2.0, 3).document() == plain
    assert Money(1.0, 2.0, 3, 4.0, 5).document() == {**plain, "budgetCents": 4.0, "maxAgents": 5}
