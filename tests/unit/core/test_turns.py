"""Whose turn it is."""

from orchestrate.core.turns import is_between_runs, is_follow_up, undelivered, without_queue
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import a_running_row, run_of
from tests.support.messages import M2, a_between_row, a_message


def test_a_row_is_between_runs_while_its_first_message_is_on_its_way():
    assert is_between_runs(a_between_row())
    assert not is_between_runs(a_between_row(row={"status": TaskStatus.CANCELLED}))
    assert not is_between_runs(a_running_row(queue=(a_message(),)))
    assert not is_between_runs(a_between_row(run_id=run_of("a")))


def test_what_began_a_run_is_delivered():
    row = a_between_row(a_message(M2), run_id=run_of("a"))
    assert [message.id for message in undelivered(row)] == [M2]
    assert not is_follow_up(row)


def test_nothing_is_said_where_all_was_sent():
    assert len(without_queue(a_running_row(queue=(a_message(run_id=run_of("a")),))).changes) == 1
