"""Which tasks start, in which order, and when none may."""

import pytest

from orchestrate.core.changes import Phase, Settings
from orchestrate.core.effects import LaunchAgent
from orchestrate.core.events import AgentLaunched, PlanRead, RunEnded, StopReason, StopRequested
from orchestrate.core.scheduling import hold_reason
from orchestrate.core.slots import slots
from orchestrate.model.rows import Andon, Workspace
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, RunStatus, TaskStatus
from tests.support.builders import (
    SLUG,
    WORKSPACE,
    a_handed_off_row,
    a_plan,
    a_reply,
    a_row,
    a_running_row,
    a_state,
    a_task,
    a_verifier,
    agent_of,
    an_empty_reply,
    an_unread_state,
    moment,
    run_of,
    seen,
)
from tests.support.playbook import Playbook


def read(plan, *rows, **fields) -> Playbook:
    return Playbook(an_unread_state(*rows, **fields)).tell(PlanRead(plan=plan))


def ended(task: str, *, attempt: int = 1, **handoff) -> RunEnded:
    return RunEnded(task=task, run_id=run_of(task, attempt), status=RunStatus.FINISHED, reply=a_reply(task, **handoff))


def test_tasks_without_dependencies_start_at_once_in_the_plan_s_order():
    read(a_plan("b", "a", a_task("c", depends_on=("a",)))).launches("b", "a")


def test_a_higher_priority_goes_first():
    plan = a_plan("a", a_task("b", priority=1), a_task("c", priority=-1), a_task("d", priority=1))
    read(plan, settings=Settings(max_concurrent=3)).launches("b", "d", "a")


def test_no_more_tasks_start_than_there_are_slots():
    book = read(a_plan("a", "b", "c"), settings=Settings(max_concurrent=2)).launches("a", "b")
    book.tell(AgentLaunched(task="a", agent_id=agent_of("a"), answered_id=agent_of("a"), run_id=run_of("a")))
    book.launches().tell(ended("a")).launches("c")


def test_the_plan_s_limit_for_its_repository_is_kept_as_well():
    plan = a_plan("a", "b", "c", limits={"maxConcurrentPerRepo": 1})
    book = read(plan).launches("a")
    assert slots(book.state) == 1


def test_the_successors_of_a_task_start_with_its_end():
    plan = a_plan("a", "b", a_task("c", depends_on=("a", "b")), a_task("d", depends_on=("a",)))
    book = Playbook(a_state(plan, a_running_row("a"), a_running_row("b")))
    book.tell(ended("a")).launches("d")
    book.tell(ended("b")).launches("c")


def test_the_order_to_launch_carries_the_rows_of_its_dependencies_in_the_plan_s_order():
    plan = a_plan("a", "b", a_task("c", depends_on=("b", "a")))
    book = Playbook(a_state(plan, a_running_row("a"), a_handed_off_row("b"))).tell(ended("a"))
    (launch,) = book.effects(LaunchAgent)
    assert [row.name for row in launch.upstream] == ["b", "a"]
    assert launch.upstream[1].branch == "cursor/a-1f2a"
    assert not launch.may_have_been_sent


def test_a_verifier_waits_for_its_target_without_saying_so():
    read(a_plan(a_verifier("v", of="a"), "a")).launches("a")


@pytest.mark.parametrize("status", [TaskStatus.ERROR, TaskStatus.CANCELLED])
def test_a_task_that_did_not_hand_off_holds_its_dependants(status):
    plan = a_plan("a", a_task("b", depends_on=("a",)))
    read(plan, a_row("a", status=status, attempts=1)).launches()


@pytest.mark.parametrize(
    ("said", "on_blocked", "launched"),
    [
        (HandoffStatus.SUCCESS, "hold", ["b"]),
        (HandoffStatus.PARTIAL, "hold", ["b"]),  # part of it is there, and the handoff says which
        (None, "hold", ["b"]),  # unclear is no block
        (HandoffStatus.BLOCKED, "hold", []),
        (HandoffStatus.BLOCKED, "release", ["b"]),
    ],
)
def test_a_blocked_handoff_holds_its_dependants_unless_the_plan_says_otherwise(said, on_blocked, launched):
    plan = a_plan(a_task("a", onBlocked=on_blocked), a_task("b", depends_on=("a",)))
    Playbook(a_state(plan, a_running_row("a"))).tell(ended("a", status=said)).launches(*launched)


def test_a_blocked_dependency_that_was_loaded_holds_as_well():
    plan = a_plan("a", a_task("b", depends_on=("a",)))
    read(plan, a_handed_off_row("a", handoff_status=HandoffStatus.BLOCKED)).launches()


def test_a_task_that_is_tried_again_is_launched_once_though_slots_are_free():
    plan = a_plan(a_task("a", retry={"attempts": 2, "on": ["unknown"]}), "b")
    book = read(plan).launches("a", "b")
    book.tell(AgentLaunched(task="a", agent_id=agent_of("a"), answered_id=agent_of("a"), run_id=run_of("a")))
    failed = RunEnded(task="a", run_id=run_of("a"), status=RunStatus.ERROR, reply=an_empty_reply())
    book.tell(failed).tell(seen("a", branch=f"orch/{SLUG}/a", sha=None)).launches("a")
    book.leaves("a", attempts=2, failure_mode=None)
    assert book.state.running == 2


def test_the_queue_forgets_what_was_started():
    book = read(a_plan("a", "b", "c"), settings=Settings(max_concurrent=2))
    assert book.state.ready is not None
    assert (book.state.ready.item, book.state.ready.left, book.state.ready.right) == ("c", None, None)


def test_nothing_starts_before_the_plan_was_read():
    assert Playbook(an_unread_state(a_row())).tell(StopRequested(reason=StopReason.INTERRUPT)).launches()


def test_nothing_starts_while_the_andon_is_raised():
    workspace = Workspace(WORKSPACE, SLUG, andon=Andon(raised_at=moment(), reason="look at this"))
    read(a_plan("a"), workspace=workspace).launches()


def test_a_cleared_andon_holds_nothing():
    workspace = Workspace(WORKSPACE, SLUG, andon=Andon(raised_at=moment(), cleared=True))
    read(a_plan("a"), workspace=workspace).launches("a")


def test_nothing_starts_while_the_engine_leaves():
    plan = a_plan("a", a_task("b", depends_on=("a",)), "c")
    book = Playbook(a_state(plan, a_running_row("a")))
    book.tell(StopRequested(reason=StopReason.INTERRUPT))
    assert (book.state.session.phase, hold_reason(book.state)) == (Phase.LEAVING, "the engine is leaving")
    book.tell(ended("a")).launches().leaves("b", status=TaskStatus.PENDING)


def test_a_failure_mode_that_the_policy_does_not_name_starts_nothing():
    plan = a_plan(a_task("a", retry={"attempts": 2, "on": ["oom"]}), "b")
    book = Playbook(a_state(plan, a_running_row("a"), settings=Settings(max_concurrent=1, drain=True)))
    event = RunEnded(
        task="a", run_id=run_of("a"), status=RunStatus.ERROR, reply=an_empty_reply(), failure_mode=FailureMode.CAP_HIT
    )
    book.tell(event).launches("b").leaves("a", status=TaskStatus.ERROR)
