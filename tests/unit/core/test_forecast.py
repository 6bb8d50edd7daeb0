from dataclasses import replace

from orchestrate.core.changes import Settings
from orchestrate.core.forecast import Fate, Forecast, forecast
from orchestrate.model.names import TaskName
from orchestrate.model.plan import Plan
from orchestrate.model.rows import Andon, OnRemote, TaskRow, Workspace
from orchestrate.model.vocabulary import HandoffStatus, LaunchDelay, TaskStatus
from tests.support.builders import (
    SLUG,
    WORKSPACE,
    a_handed_off_row,
    a_launching_row,
    a_plan,
    a_row,
    a_running_row,
    a_task,
    a_verifier,
    an_intent,
    an_unread_state,
    moment,
)


def told(plan: Plan, *rows: TaskRow, slots: int = 8, workspace: Workspace | None = None) -> Forecast:
    state = an_unread_state(*rows, settings=Settings(max_concurrent=slots), workspace=workspace)
    return forecast(state, plan, at=moment(60))


def fates(found: Forecast) -> dict[str, str]:
    return {task.name: task.fate.value for task in found.tasks}


def test_a_new_plan_starts_in_waves():
    plan = a_plan("a", "b", a_task("c", depends_on=("a", "b")), a_verifier("check-c", of="c"))
    found = told(plan)
    assert [(task.name, task.fate, task.wave, task.because_of) for task in found.tasks] == [
        ("a", Fate.LAUNCHED, 0, ()),
        ("b", Fate.LAUNCHED, 0, ()),
        ("c", Fate.WAITS, 1, ("a", "b")),
        ("check-c", Fate.WAITS, 2, ("c",)),
    ]
    assert found.launches == list(found.tasks)


def test_without_a_slot_a_ready_task_is_queued_by_its_priority():
    plan = a_plan("a", a_task("b", priority=1), "c")
    found = told(plan, slots=1)
    assert fates(found) == {"b": "launched", "a": "queued", "c": "queued"}


def test_what_waits_for_queued_tasks_comes_after_the_last_of_them():
    found = told(a_plan("a", "b", "c", a_task("d", depends_on=("b", "c"))), slots=1)
    assert [(task.name, task.wave) for task in found.tasks] == [("a", 0), ("b", 0), ("c", 0), ("d", 1)]


def test_a_half_done_workspace_is_taken_up():
    plan = a_plan(
        "done", "runs", "asked", "put-off", a_task("next", depends_on=("done",)), a_task("then", depends_on=("runs",))
    )
    put_off = an_intent("put-off", delays=1, delay=LaunchDelay.UNREACHABLE)
    found = told(
        plan,
        a_handed_off_row("done"),
        a_running_row("runs"),
        a_launching_row("asked"),
        a_launching_row("put-off", launch=put_off, not_before=moment(90)),
    )
    assert fates(found) == {
        "next": "launched",
        "then": "waits",
        "done": "stays",
        "runs": "watched",
        "asked": "looked-up",
        "put-off": "resent",
    }
    assert [task.wave for task in found.of(Fate.LAUNCHED, Fate.WAITS, Fate.WATCHED)] == [0, 1, None]
    assert {task.name for task in found.launches} == {"next", "then"}


def test_a_row_that_runs_and_nobody_knows_whose_is_lost():
    found = told(a_plan("a", a_task("b", depends_on=("a",))), a_row("a", status=TaskStatus.RUNNING))
    assert fates(found) == {"a": "lost", "b": "held"}
    assert found.of(Fate.LOST)[0].row.note is not None


def test_what_stands_behind_an_error_is_held_however_far():
    plan = a_plan("a", a_task("b", depends_on=("a",)), a_task("c", depends_on=("b",)), "d")
    found = told(plan, a_handed_off_row("a", status=TaskStatus.ERROR, handoff_status=None))
    assert fates(found) == {"d": "launched", "a": "stays", "b": "held", "c": "held"}
    assert {task.name: task.because_of for task in found.of(Fate.HELD)} == {"b": ("a",), "c": ("b",)}


def test_a_blocked_task_holds_unless_the_plan_lets_it_release():
    rows = a_handed_off_row("a", handoff_status=HandoffStatus.BLOCKED)
    behind = a_task("b", depends_on=("a",))
    assert fates(told(a_plan("a", behind), rows))["b"] == "held"
    assert fates(told(a_plan(a_task("a", onBlocked="release"), behind), rows))["b"] == "launched"


def test_a_task_that_waits_for_its_next_try_is_paused():
    found = told(a_plan("a"), a_row("a", attempts=1, not_before=moment(600)))
    assert fates(found) == {"a": "paused"}


def test_the_andon_holds_everything_that_would_be_launched():
    workspace = Workspace(WORKSPACE, SLUG, andon=Andon(raised_at=moment()))
    found = told(a_plan("a", a_task("b", depends_on=("a",)), "c"), a_running_row("c"), workspace=workspace)
    assert fates(found) == {"a": "held", "b": "held", "c": "watched"}
    assert found.hold == "the andon is raised"


def test_what_left_the_plan_is_taken_out_or_stays():
    found = told(a_plan("a"), a_row("gone"), a_row("long-gone", status=TaskStatus.PRUNED))
    assert fates(found) == {"a": "launched", "gone": "pruned", "long-gone": "stays"}


def test_a_task_that_runs_and_left_the_plan_is_watched():
    assert fates(told(a_plan("a"), a_running_row("gone")))["gone"] == "watched"


def test_tasks_of_another_tool_that_wait_for_each_other_are_held():
    ad_hoc = {"extra": {"adHoc": True}}
    found = told(
        a_plan("a"),
        a_row("x", depends_on=(TaskName("y"),), **ad_hoc),
        a_row("y", depends_on=(TaskName("x"),), **ad_hoc),
        a_row("z", depends_on=(TaskName("missing"),), **ad_hoc),
    )
    assert fates(found) == {"a": "launched", "x": "held", "y": "held", "z": "held"}


def test_a_long_chain_is_told_without_recursion():
    names = [f"t{number}" for number in range(3000)]
    tasks = [a_task(name, depends_on=(names[place - 1],) if place else ()) for place, name in enumerate(names)]
    found = told(a_plan(*tasks))
    assert [task.wave for task in found.tasks] == list(range(3000))


def test_nothing_of_the_state_is_changed():
    state = an_unread_state(a_running_row("a"))
    forecast(state, a_plan("a"), at=moment())
    assert state == replace(state)
    assert state.blueprint is None


def test_branches_are_taken_to_be_there_unless_they_are_known_to_be_missing():
    plan = a_plan("a", a_verifier("b", of="a"))
    assert fates(told(plan, a_handed_off_row("a"))) == {"a": "stays", "b": "launched"}
    missing = a_handed_off_row("a", on_remote=OnRemote(moment(), is_there=False))
    found = told(plan, missing)
    assert fates(found) == {"a": "stays", "b": "held"}
    assert found.tasks[-1].because_of == ("a",)


def test_a_budget_without_room_holds_everything_and_names_itself():
    found = told(a_plan("a", a_task("b", depends_on=("a",)), limits={"budgetCents": 300}))
    assert fates(found) == {"a": "held", "b": "held"}
    assert found.hold is not None
    assert found.hold.startswith("the budget of $3.00 has no room")
    assert found.money.budget == 300


def test_what_runs_may_still_make_room_in_a_budget_but_not_among_agents():
    plan = a_plan("a", "b", limits={"budgetCents": 600})
    assert fates(told(plan)) == {"a": "launched", "b": "queued"}
    bounded = told(a_plan("a", "b", limits={"maxAgents": 1}))
    assert (fates(bounded), bounded.hold) == ({"a": "launched", "b": "held"}, "limits.maxAgents of 1 is reached")
