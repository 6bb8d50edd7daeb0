"""Requests of other processes, whatever they ask."""

from orchestrate.core import requesting
from orchestrate.core.events import StopReason, StopRequested
from orchestrate.core.requesting import Refusal
from orchestrate.core.state import apply
from tests.support.builders import a_plan, a_running_row, a_state
from tests.support.playbook import Playbook

R = "11111111-0000-4000-8000-000000000001"


def state():
    return a_state(a_plan("a"), a_running_row("a"))


def test_only_the_latest_requests_are_remembered():
    now = state()
    for number in range(300):
        now = apply(now, [requesting.remembered(now, f"r{number}")])
    assert now.workspace.handled_requests == tuple(f"r{number}" for number in range(44, 300))
    assert requesting.was_done(now, "r299")
    assert not requesting.was_done(now, "r43")


def test_a_request_is_open_until_its_answer_is_on_disk():
    refused = requesting.refused(state(), R, Refusal("no", "No."))
    (effect,) = refused.effects
    assert (effect.answer.code, effect.answer.message, effect.answer.hint) == ("no", "No.", None)
    now = apply(state(), refused.changes)
    assert R in now.session.requests
    assert R not in apply(now, [requesting.closed(now, R)]).session.requests


def test_it_is_too_late_for_requests_once_the_engine_leaves():
    book = Playbook(state())
    assert not requesting.is_too_late(book.state)
    assert requesting.is_too_late(book.tell(StopRequested(reason=StopReason.INTERRUPT)).state)
