from dataclasses import replace

from orchestrate.cli.following import Follower, Move
from orchestrate.core.changes import Phase, RowChanged, SessionChanged, Settings
from orchestrate.core.state import State, apply
from orchestrate.model.names import TaskName
from orchestrate.model.rows import Attention, Finding, TaskRow
from orchestrate.model.vocabulary import FailureMode, FindingKind, HandoffStatus, TaskStatus
from orchestrate.ports import Publication
from tests.support.builders import (
    a_handed_off_row,
    a_plan,
    a_row,
    a_running_row,
    a_state,
    a_task,
    moment,
)
from tests.support.clocks import StoppedClock

PLAN = a_plan("a", a_task("b", depends_on=("a",)), a_task("c", depends_on=("b",)), a_task("d"), rootSlug="shop")


class Run:
    """A follower with the state that it was told last."""

    def __init__(self, *rows: TaskRow, plan=PLAN) -> None:
        self.clock = StoppedClock()
        self.follower = Follower(plan=plan, clock=self.clock)
        self.state: State = a_state(plan, *rows, settings=Settings(max_concurrent=2))
        self.first = self.follower.take(Publication(self.state, tuple(self.state.rows.values()), ()))

    def tell(self, *rows: TaskRow, attention: tuple[str, ...] = ()):
        self.state = apply(self.state, [RowChanged(row) for row in rows])
        lines = tuple(Attention(moment(), message) for message in attention)
        return self.follower.take(Publication(self.state, rows, lines))


def test_what_was_there_before_is_no_news():
    run = Run(a_handed_off_row("a"))
    assert run.first.is_first
    assert run.first.moves == ()


def test_a_move_knows_the_row_before_and_the_last_of_several_counts():
    run = Run()
    before = run.state.rows[TaskName("a")]
    news = run.tell(replace(before, note="x"), a_handed_off_row("a"))
    assert news.moves == [Move(a_handed_off_row("a"), before)]


def test_a_line_that_repeats_its_row_is_told_once():
    run = Run()
    failed = a_running_row("a", status=TaskStatus.ERROR, failure_mode=FailureMode.OOM, note="killed by the kernel")
    news = run.tell(failed, attention=("a is in error after 1 try: oom: killed by the kernel", "a: read this too"))
    assert [item.message for item in news.attention] == ["a: read this too"]


def test_a_line_about_silence_is_told_by_the_row():
    run = Run()
    run.tell(a_running_row("a"))
    words = f"a has been silent since {moment()}; it was not stopped."
    news = run.tell(a_running_row("a", stalled_since=moment()), attention=(words,))
    assert news.attention == []


def test_a_new_starting_point_is_no_trouble():
    run = Run()
    words = "b starts from cursor/a-1f2a now, the branch of a (was orch/shop/a)"
    moved = replace(run.state.rows[TaskName("b")], starting_ref="cursor/a-1f2a")
    assert run.tell(moved, attention=(words, "b: something else")).attention[0].message == "b: something else"


def test_tasks_behind_a_task_are_found_over_several_steps():
    run = Run()
    assert run.follower.held_by(TaskName("a")) == ["b", "c"]
    assert run.follower.held_by(TaskName("d")) == []
    assert Follower(plan=PLAN, clock=StoppedClock()).held_by(TaskName("a")) == []


def test_the_view_shows_what_runs_failed_and_comes_next():
    run = Run()
    run.tell(a_running_row("a", started_at=moment()), a_row("d", status=TaskStatus.ERROR))
    run.clock.seconds += 60
    run.follower.saw(TaskName("a"), "thinking")
    run.follower.saw(TaskName("a"), None)
    run.clock.seconds += 5
    view = run.follower.view()
    assert view is not None
    assert view.tally == run.follower.tally
    assert view.elapsed_seconds == 65
    assert view.slots == 2
    active = view.active[0]
    assert (active.row.name, active.seconds, active.seen_seconds, active.doing, active.tries) == (
        "a",
        65,
        5,
        "thinking",
        "1",
    )
    assert [(each.row.name, each.behind) for each in view.failed] == [("d", 0)]
    assert [(each.row.name, each.waits_for) for each in view.upcoming] == [("b", ("a",)), ("c", ("b",))]


def test_a_task_that_ended_is_not_seen_any_more():
    run = Run()
    run.tell(a_running_row("a"))
    run.follower.saw(TaskName("a"), "thinking")
    assert run.follower.doing(TaskName("a")) == "thinking"
    run.tell(a_handed_off_row("a"))
    assert run.follower.doing(TaskName("a")) is None
    view = run.follower.view()
    assert view is not None
    assert "a" not in [each.row.name for each in view.active]


def test_tries_are_counted_against_what_the_plan_allows():
    plan = a_plan(a_task("a", maxAttempts=3), a_task("b", retry={"attempts": 2, "on": ["oom"]}))
    run = Run(plan=plan)
    run.tell(a_running_row("a"), a_running_row("b", attempt=2))
    view = run.follower.view()
    assert view is not None
    assert [each.tries for each in view.active] == ["1 of 3", "2 of 2"]


def test_before_the_first_publication_everything_waits():
    follower = Follower(plan=PLAN, clock=StoppedClock())
    assert follower.view() is None
    assert follower.tally.waiting == 4
    assert follower.state is None


def test_leaving_is_no_hold():
    run = Run()
    session = replace(run.state.session, phase=Phase.LEAVING)
    run.state = apply(run.state, [SessionChanged(session)])
    run.tell()
    view = run.follower.view()
    assert view is not None
    assert view.is_leaving
    assert view.hold is None


def test_an_estimate_comes_once_three_tasks_have_ended():
    run = Run()
    done = [a_handed_off_row(name, finished_at=moment(60)) for name in ("a", "b", "d")]
    run.tell(*done)
    view = run.follower.view()
    assert view is not None
    assert view.left is not None
    assert view.left.names == ("c",)


def test_the_end_has_the_rows_in_the_plans_order():
    run = Run(a_handed_off_row("x"), a_handed_off_row("d", started_at=moment(5), finished_at=moment(9)))
    run.clock.seconds += 100
    end = run.follower.end(run.state, 1)
    assert [row.name for row in end.rows] == ["a", "b", "c", "d", "x"]
    assert end.elapsed_seconds == 100
    assert "orch/shop/a" in end.no_branches
    assert "main" in end.no_branches


def test_the_end_knows_what_a_blocked_task_holds():
    run = Run(a_handed_off_row("a", handoff_status=HandoffStatus.BLOCKED), a_handed_off_row("d"))
    assert run.follower.end(run.state, 1).holds == {"a": ["b", "c"]}


def test_a_new_plan_is_looked_at_as_a_whole():
    run = Run()
    run.state = a_state(a_plan("a", "z"), *run.state.rows.values())
    news = run.follower.take(Publication(run.state, (), ()))
    assert news.is_first


def test_who_has_findings_is_shown_in_the_order_of_the_ends_until_the_finding_is_gone():
    lies = (Finding(FindingKind.MEASUREMENT, "x: value-mismatch: 1."),)
    run = Run(a_handed_off_row("d", findings=lies, finished_at=moment(9)))
    run.tell(a_handed_off_row("a", findings=lies, finished_at=moment(5)))
    assert [row.name for row in run.follower.view().found] == ["a", "d"]
    run.tell(a_handed_off_row("d"))
    assert [row.name for row in run.follower.view().found] == ["a"]
