"""A planner whose agents the service has no room for gives its own slot up after ten minutes."""

from dataclasses import replace

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import EndRun, SetTimer
from orchestrate.core.events import PlanRead, RunEnded, StopReason, StopRequested, Timer, TimerFired, TimerKind
from orchestrate.core.starving import PATIENCE_SECONDS
from orchestrate.model.vocabulary import LaunchDelay, RunStatus, TaskStatus
from tests.support.builders import a_plan, a_reply, a_running_row, agent_of, an_unread_state, moment, run_of
from tests.support.playbook import Playbook
from tests.unit.core.test_capacity import full, taken

CHILD = Settings(max_concurrent=8, depth=1)
STARVED = TimerFired(timer=Timer(TimerKind.STARVED))
ORDER = SetTimer(timer=STARVED.timer, delay_seconds=PATIENCE_SECONDS)


def child(*rows, settings=CHILD) -> Playbook:
    return Playbook(an_unread_state(*rows, settings=settings)).tell(PlanRead(plan=a_plan("a", "b")))


def due(seconds: float) -> TimerFired:
    return replace(STARVED, at=moment(seconds))


def orders(book: Playbook) -> list[SetTimer]:
    return [replace(each, cause="") for each in book.effects(SetTimer) if each.timer.kind == TimerKind.STARVED]


def test_ten_minutes_after_the_first_refusal_the_engine_says_so_and_leaves():
    book = child().tell(full("a"))
    assert orders(book) == [ORDER]
    assert orders(book.tell(full("b", at=moment(2)))) == []
    assert not book.tell(due(500)).effects(EndRun)
    book.tell(due(602))
    assert [effect.exit_code for effect in book.effects(EndRun)] == [75]
    assert book.attention() == [
        "no agent of this planner is alive, and for 10 minutes the service has taken none. Hand off `blocked`: this"
        " planner holds a slot itself. Run again to go on; nothing is lost."
    ]
    book.leaves("a", status=TaskStatus.RUNNING, attempts=1, agent_id=None)


def test_a_launch_that_is_taken_meanwhile_begins_it_anew():
    book = child().tell(full("a")).tell(full("b", at=moment(2))).tell(taken("a"))
    assert book.state.session.starves_since is None
    assert not book.tell(due(602)).effects(EndRun)
    end = RunEnded(task="a", run_id=run_of("a"), status=RunStatus.FINISHED, reply=a_reply(), at=moment(700))
    book.tell(end).launches("b")
    assert orders(book.tell(full("b", delays=1, at=moment(701)))) == [ORDER]
    assert not book.tell(due(1200)).effects(EndRun)
    assert [effect.exit_code for effect in book.tell(due(1301)).effects(EndRun)] == [75]


def test_as_long_as_an_agent_lives_it_waits():
    book = child(a_running_row("a")).tell(full("b"))
    assert orders(book) == []


@pytest.mark.parametrize("settings", [Settings(max_concurrent=8), replace(CHILD, answers_only=True)])
def test_an_engine_that_holds_no_slot_waits(settings):
    assert orders(child(settings=settings).tell(full("a")).tell(full("b"))) == []


def test_a_root_planner_that_is_an_agent_holds_one():
    settings = Settings(max_concurrent=8, own_agent_id=agent_of("own"))
    state = replace(child(settings=settings).state)
    free = replace(state, session=replace(state.session, awaits_grant=False))
    book = Playbook(free).tell(full("x")).launches("a", "b")
    assert orders(book.tell(full("a"))) == [ORDER]


@pytest.mark.parametrize("delay", [LaunchDelay.QUOTA, LaunchDelay.RATE_LIMIT])
def test_only_a_lack_of_room_counts(delay):
    assert orders(child().tell(full("a", delay)).tell(full("b", delay))) == []


def test_a_late_refusal_of_nobody_counts_for_nothing():
    book = child(settings=replace(CHILD, max_concurrent=1)).tell(full("a"))
    assert orders(book) == [ORDER]
    assert orders(child().tell(full("x"))) == []
    idle = child(a_running_row("a"), a_running_row("b"))
    for task in ("a", "b"):
        end = RunEnded(task=task, run_id=run_of(task), status=RunStatus.FINISHED, reply=a_reply(task))
        idle.tell(end)
    assert orders(idle.tell(full("a"))) == []


def test_who_leaves_already_is_not_told():
    book = child(settings=replace(CHILD, max_concurrent=1)).tell(full("a"))
    book.tell(StopRequested(reason=StopReason.INTERRUPT)).tell(due(700)).changes_nothing()
