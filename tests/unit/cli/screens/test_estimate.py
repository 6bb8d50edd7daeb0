from dataclasses import replace

from orchestrate.cli.screens.estimate import Chain, longest_chain, time_left
from orchestrate.model.vocabulary import TaskType
from tests.support.builders import a_handed_off_row, a_row, a_running_row, moment


def by_name(*rows):
    return {row.name: row for row in rows}


def done(name: str, seconds: float, **fields):
    return a_handed_off_row(name, finished_at=moment(seconds), **fields)


def test_there_is_no_estimate_before_three_tasks_have_ended():
    assert time_left(by_name(done("a", 10), done("b", 10), a_row("c")), now=moment(20)) is None


def test_the_longest_chain_to_do_is_measured_by_what_tasks_of_the_type_took():
    rows = by_name(
        done("a", 100),
        done("b", 100),
        done("v", 10, type=TaskType.VERIFIER),
        a_running_row("c", started_at=moment(40), depends_on=("a",)),
        a_row("d", depends_on=("c",)),
        a_row("check", type=TaskType.VERIFIER, depends_on=("d",)),
        a_row("plan", type=TaskType.SUBPLANNER),
    )
    assert time_left(rows, now=moment(100)) == Chain(40 + 100 + 10, ("c", "d", "check"))


def test_a_task_that_is_late_has_a_little_left():
    rows = by_name(done("a", 100), done("b", 100), done("c", 100), a_running_row("d", started_at=moment()))
    assert time_left(rows, now=moment(1000)) == Chain(10, ("d",))


def test_nothing_to_do_is_no_chain():
    rows = by_name(done("a", 1), done("b", 1), done("c", 1))
    assert time_left(rows, now=moment()) is None
    assert longest_chain({}) is None


def test_the_longest_chain_that_ran_leaves_waiting_out():
    rows = by_name(
        done("a", 50),
        replace(done("b", 100), started_at=moment(60), depends_on=("a",)),
        done("c", 70),
    )
    assert longest_chain(rows) == Chain(90, ("a", "b"))


def test_a_cycle_and_a_missing_dependency_stop_nothing():
    rows = by_name(done("a", 5, depends_on=("gone",)), done("x", 9, depends_on=("y",)), done("y", 9, depends_on=("x",)))
    assert longest_chain(rows) == Chain(5, ("a",))


def test_a_chain_of_five_thousand_is_no_trouble():
    rows = [done("t0", 1)]
    rows += [done(f"t{place}", 1, depends_on=(f"t{place - 1}",)) for place in range(1, 5000)]
    found = longest_chain(by_name(*rows))
    assert found is not None
    assert found.seconds == 5000
