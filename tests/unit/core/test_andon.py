"""The cord: nothing new is launched while it is raised, what runs goes on, and only the root clears it."""

import pytest

from orchestrate.core.andon_events import AndonClearRequested, AndonKnown, AndonRaiseRequested, AndonSeen, AndonUnknown
from orchestrate.core.effects import AnswerRequest, EndRun, LaunchAgent, SetTimer
from orchestrate.core.events import (
    AgentNotFound,
    LaunchDelayed,
    PlanRead,
    StopReason,
    StopRequested,
    Timer,
    TimerFired,
    TimerKind,
)
from orchestrate.core.request_events import RequestAnswered
from orchestrate.model.rows import Andon
from orchestrate.model.vocabulary import LaunchDelay, TaskStatus
from tests.support.builders import a_plan, a_row, a_running_row, agent_of, an_unread_state, moment
from tests.support.playbook import Playbook

CHILD = {"andonStateRef": "orch-state/top", "andonStatePath": ".orchestrate/top/state.json"}
RAISE = AndonRaiseRequested(request="r1", by="ana@host", reason="main is broken")
CLEAR = AndonClearRequested(request="r2", by="ana@host", note="green again")


def running(**fields):
    state = an_unread_state(a_running_row("a"), a_row("b"))
    return Playbook(state).tell(PlanRead(plan=a_plan("a", "b", **fields)))


def answer_of(book):
    return next(effect.answer for effect in book.effects(AnswerRequest))


def test_a_raised_andon_holds_every_launch_and_a_cleared_one_lets_them_go():
    book = Playbook(an_unread_state(a_running_row("z"))).tell(PlanRead(plan=a_plan("z")))
    book.tell(RAISE)
    assert book.state.workspace.andon == Andon(moment(2), "ana@host", "main is broken")
    assert "Nothing is launched; agents that run go on." in book.attention()[0]
    assert answer_of(book).details["raised"] is True
    book.tell(PlanRead(plan=a_plan("z", "b"))).launches()
    book.leaves("b", status=TaskStatus.PENDING)
    book.tell(CLEAR).launches("b")
    assert book.state.workspace.andon.clear_note == "green again"
    assert answer_of(book).details["raised"] is False
    assert book.attention() == ["ana@host cleared the andon: green again."]


def test_asked_again_it_is_only_answered_again():
    book = running().tell(RAISE)
    for again in (RAISE, AndonRaiseRequested(request="r9", by="ben", reason="other")):
        book.tell(again)
        assert answer_of(book).is_done
        assert book.state.workspace.andon.reason == "main is broken"
    book.tell(CLEAR).tell(CLEAR)
    assert answer_of(book).is_done
    assert book.attention() == []


def test_clearing_what_was_never_raised_changes_nothing():
    book = running().tell(CLEAR)
    assert answer_of(book).details == {"raised": False}
    assert book.state.workspace.andon is None


def test_only_the_root_clears():
    book = running(**CHILD).tell(RAISE).tell(CLEAR)
    assert (answer_of(book).is_done, answer_of(book).code) == (False, "not_the_root")
    assert book.state.workspace.andon.is_raised


@pytest.mark.parametrize("event", [RAISE, CLEAR])
def test_an_engine_that_leaves_keeps_it_for_the_next(event):
    book = Playbook(an_unread_state(a_running_row("a", run_id=None, agent_id=None))).tell(PlanRead(plan=a_plan("a")))
    book.tell(StopRequested(reason=StopReason.INTERRUPT))
    book.tell(event).changes_nothing()


def test_a_request_that_made_no_agent_does_not_go_out_again_while_it_is_raised():
    book = Playbook(an_unread_state()).tell(PlanRead(plan=a_plan("a"))).launches("a")
    book.tell(LaunchDelayed(task="a", agent_id=agent_of("a"), delay=LaunchDelay.RATE_LIMIT, message="later"))
    book.tell(RAISE)
    due = TimerFired(timer=Timer(TimerKind.RELAUNCH, task="a", attempt=1))
    book.tell(due).asks(SetTimer(timer=due.timer, delay_seconds=5.0))
    book.tell(CLEAR)
    book.tell(due).launches("a")


def test_a_launch_in_doubt_that_made_no_agent_waits_too():
    book = Playbook(an_unread_state()).tell(PlanRead(plan=a_plan("a"))).tell(RAISE)
    book.tell(AgentNotFound(task="a", agent_id=agent_of("a")))
    assert book.effects(LaunchAgent) == []
    book.leaves("a", status=TaskStatus.RUNNING)


def test_what_the_root_says_holds_here():
    book = running(**CHILD)
    raised = Andon(moment(100), "root", "stop all")
    book.tell(AndonSeen(andon=raised))
    assert book.attention() == ["root raised the andon of the tree: stop all. Nothing is launched."]
    assert book.state.workspace.andon.last_checked_at == moment(2)
    book.tell(AndonSeen(andon=raised)).changes_nothing()
    cleared = Andon(moment(100), "root", "stop all", True, moment(200), "ana", "go")
    book.tell(AndonSeen(andon=cleared))
    assert book.attention() == ["ana cleared the andon of the tree: go."]
    book.tell(AndonSeen(andon=cleared)).changes_nothing()


def test_a_raise_from_before_the_clear_is_an_old_one():
    book = running().tell(RAISE).tell(CLEAR)
    book.tell(AndonSeen(andon=Andon(moment(2), "ana@host", "main is broken"))).changes_nothing()
    book.tell(AndonSeen(andon=Andon(moment(500), "child", "again")))
    assert book.state.workspace.andon.is_raised


def test_one_that_says_little_is_told_all_the_same():
    book = running(**CHILD).tell(AndonSeen(andon=Andon(moment(1))))
    assert book.attention() == ["somebody raised the andon of the tree: no reason given. Nothing is launched."]
    book.tell(AndonSeen(andon=Andon(moment(1), cleared=True, cleared_at=moment(9))))
    assert book.attention() == ["the root cleared the andon of the tree."]


def test_an_older_clear_of_the_root_does_not_end_a_raise_of_our_own():
    book = running(**CHILD).tell(RAISE)
    book.tell(AndonSeen(andon=Andon(moment(0), cleared=True, cleared_at=moment(1)))).changes_nothing()
    book.tell(AndonSeen(andon=Andon(moment(0), cleared=True))).changes_nothing()
    assert book.state.workspace.andon.is_raised


def test_while_nobody_can_tell_what_was_known_last_holds():
    book = running(**CHILD).tell(AndonUnknown(since=moment(1), reason="timed out"))
    assert book.attention() == [
        f"andon unknown since {moment(1)}: timed out; what was known last holds, launching goes on."
    ]
    assert book.state.session.hold is None
    assert book.tell(AndonKnown()).attention() == ["the andon of the tree can be read again."]


def test_a_strict_engine_launches_nothing_while_nobody_can_tell():
    book = running(**CHILD).tell(AndonUnknown(since=moment(1), reason="timed out", is_strict=True))
    assert book.state.session.hold == "the andon is unknown"
    assert "nothing is launched meanwhile" in book.attention()[0]
    book.tell(PlanRead(plan=a_plan("a", "b", "c", **CHILD))).launches()
    book.tell(AndonKnown()).launches("c")
    assert book.state.session.hold is None


def test_a_run_in_which_only_a_delayed_launch_is_left_ends_under_the_andon_and_the_next_one_takes_it_up():
    book = Playbook(an_unread_state(a_row("b"))).tell(PlanRead(plan=a_plan("b"))).launches("b")
    book.tell(RAISE).tell(RequestAnswered(request="r1"))
    delayed = LaunchDelayed(task="b", agent_id=agent_of("b"), delays=0, delay=LaunchDelay.RATE_LIMIT, message="later")
    assert book.tell(delayed).effects(EndRun) == [EndRun(cause="e4", exit_code=1)]
    again = Playbook(an_unread_state(book.row("b"), a_running_row("z"), workspace=book.state.workspace))
    again.tell(PlanRead(plan=a_plan("b", "z"))).launches()
    again.tell(CLEAR).tell(TimerFired(timer=Timer(TimerKind.RELAUNCH, "b", 1))).launches("b")
