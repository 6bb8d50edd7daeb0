"""How many tasks run at once, and how planners leave slots to others."""

from dataclasses import replace

import pytest

from orchestrate.core.changes import Line, Settings
from orchestrate.core.events import PlanRead, RunEnded
from orchestrate.core.slots import has_slot_for_planner, slots
from orchestrate.model.vocabulary import LaunchDelay, RunStatus, TaskStatus, TaskType
from tests.support.builders import a_plan, a_reply, a_running_row, a_state, a_task, an_unread_state, run_of
from tests.support.playbook import Playbook
from tests.unit.core.test_capacity import full, taken


def planner(name: str, **fields) -> dict[str, object]:
    return a_task(name, type="subplanner", **fields)


PLANNERS = tuple(planner(f"p{number}") for number in range(8))
OURS = Settings(max_concurrent=8, planners_take_slots=False)


def read(*tasks, rows=(), settings=Settings(max_concurrent=8), **fields) -> Playbook:  # noqa: B008  frozen
    return Playbook(an_unread_state(*rows, settings=settings)).tell(PlanRead(plan=a_plan(*tasks, **fields)))


def ended(task: str) -> RunEnded:
    return RunEnded(task=task, run_id=run_of(task), status=RunStatus.FINISHED, reply=a_reply(task))


@pytest.mark.parametrize(
    ("limits", "settings", "expected"),
    [
        ({}, Settings(max_concurrent=5), 5),
        ({"maxConcurrent": 3}, Settings(max_concurrent=5, follows_plan=True), 3),
        ({"maxConcurrent": 3}, Settings(max_concurrent=5), 5),
        ({"maxConcurrentPerRepo": 2}, Settings(max_concurrent=5), 2),
    ],
)
def test_slots_are_the_least_of_what_the_caller_and_the_plan_say(limits, settings, expected):
    assert slots(a_state(a_plan("a", limits=limits), settings=settings)) == expected


def test_planners_take_half_of_the_slots_and_the_rest_is_for_others():
    book = read(*PLANNERS, "a", "b").launches("p0", "p1", "p2", "p3", "a", "b")
    assert book.state.session.benched == {"p4", "p5", "p6", "p7"}
    for name in ("p0", "a"):
        book.tell(taken(name))
    book.tell(ended("a")).launches()
    book.tell(ended("p0")).launches("p4")
    assert book.state.session.benched == {"p5", "p6", "p7"}


def test_a_single_slot_is_enough_for_one_planner():
    assert read(*PLANNERS[:2], settings=Settings(max_concurrent=1)).launches("p0")


def test_on_our_own_server_planners_take_no_slot():
    read(*PLANNERS, settings=OURS).launches(*(task["name"] for task in PLANNERS))


def test_a_server_that_refuses_for_lack_of_room_counts_them_after_all():
    book = read(*PLANNERS, "a", settings=replace(OURS, max_concurrent=7))
    for number in range(6):
        book.tell(taken(f"p{number}"))
    book.tell(full("p6")).launches()
    assert (book.state.session.line.room, book.state.planners) == (6, 6)
    for number in range(3):
        book.tell(ended(f"p{number}"))
    book.leaves("p6", status=TaskStatus.PENDING, attempts=0, launch=None).leaves("a", status=TaskStatus.RUNNING)
    assert "p6" in book.state.session.benched
    book.tell(ended("p3")).launches("p6").leaves("p6", attempts=1)


def test_the_room_that_was_learned_binds_where_it_is_less_than_the_slots():
    state = a_state(a_plan(planner("p")), a_running_row("p", type=TaskType.SUBPLANNER))
    assert has_slot_for_planner(state)
    line = Line(room=2, reason=LaunchDelay.CAPACITY)
    assert not has_slot_for_planner(replace(state, session=replace(state.session, line=line)))


def test_who_comes_first_goes_first_also_from_the_bench():
    tasks = (planner("p"), planner("q", priority=1), planner("r"), a_task("x", dependsOn=["a"], priority=5), "a", "b")
    book = read(*tasks, settings=Settings(max_concurrent=2)).launches("q", "a")
    assert book.state.session.benched == {"p", "r"}
    book.tell(taken("q")).tell(taken("a")).tell(ended("q")).launches("p")
    assert book.state.session.benched == {"r"}


def test_a_ready_task_that_comes_before_the_bench_goes_first():
    tasks = (planner("p", priority=9), planner("q"), a_task("a", priority=5), a_task("b", priority=4))
    book = read(*tasks, settings=Settings(max_concurrent=2)).launches("p", "a")
    assert book.state.session.benched == frozenset()
    book.tell(taken("p")).tell(taken("a")).tell(ended("a")).launches("b")
    book.tell(taken("b")).tell(ended("b")).launches()
    assert book.state.session.benched == {"q"}
    more = (*tasks, a_task("c", priority=2))
    book.tell(PlanRead(plan=a_plan(*more))).launches("c")
    book.tell(taken("c")).tell(ended("p")).launches("q")


def test_a_planner_that_left_the_plan_leaves_the_bench():
    tasks = (planner("p"), planner("q"), "a")
    book = read(*tasks, settings=Settings(max_concurrent=2)).launches("p", "a")
    assert book.state.session.benched == {"q"}
    book.tell(taken("p")).tell(PlanRead(plan=a_plan(planner("p"), "a", "b")))
    book.tell(ended("p")).launches("b")
    assert book.state.session.benched == frozenset()


def test_a_benched_planner_waits_its_turn_behind_others_that_are_ready():
    tasks = (planner("p"), planner("q", priority=-1), *(f"w{number}" for number in range(3)))
    book = read(*tasks, settings=Settings(max_concurrent=2)).launches("p", "w0")
    book.tell(taken("p")).tell(taken("w0")).tell(ended("w0")).launches("w1")
    book.tell(taken("w1")).tell(ended("w1")).launches("w2")
    book.tell(taken("w2")).tell(ended("w2")).launches()
    assert book.state.session.benched == {"q"}
    book.tell(ended("p")).launches("q")
