"""Paths kept: looked at after the handoff, told, and never waited for by anybody but the end."""

from dataclasses import replace

import pytest

from orchestrate.core.changes import Linger, Settings
from orchestrate.core.effects import AnswerRequest, CheckPaths, EndRun, LaunchAgent, LookUpRefs, SetTimer
from orchestrate.core.events import (
    EffectFailed,
    EngineStarted,
    PathsChecked,
    PlanRead,
    RunEnded,
    Timer,
    TimerFired,
    TimerKind,
)
from orchestrate.core.operating import LINGER_SECONDS
from orchestrate.core.request_events import AcceptanceWritten
from orchestrate.model.rows import OnRemote, PathFinding, PathsCheck
from orchestrate.model.vocabulary import PathRule, RunStatus, TaskStatus
from tests.support.builders import (
    SLUG,
    a_handed_off_row,
    a_plan,
    a_reply,
    a_running_row,
    a_state,
    a_task,
    an_unread_state,
    moment,
    run_of,
    seen,
)
from tests.support.playbook import Playbook

BOUND = a_plan(a_task("a", pathsAllowed=["src/**"]), a_task("b", depends_on=("a",)))
LINGERING = SetTimer(timer=Timer(TimerKind.LINGER, attempt=1), delay_seconds=LINGER_SECONDS)
FOUND = tuple(PathFinding(f"docs/{number}.md", PathRule.NOT_ALLOWED) for number in range(7))


def ended(task="a", **handoff):
    return RunEnded(task=task, run_id=run_of(task), status=RunStatus.FINISHED, reply=a_reply(task, **handoff))


def checked(**fields):
    return PathsChecked(**{"task": "a", "branch": "cursor/a-1f2a", **fields})


def test_a_handoff_of_a_bound_task_is_looked_at_beside_its_dependants():
    book = Playbook(a_state(BOUND, a_running_row())).tell(ended())
    assert [type(effect) for effect in book.decision.effects] == [CheckPaths, LookUpRefs, LaunchAgent]
    (order,) = book.effects(CheckPaths)
    assert (order.row, order.allowed, order.forbidden) == (book.row(), ("src/**",), ())


@pytest.mark.parametrize(
    ("task", "handoff"),
    [
        (a_task("a"), {}),
        (a_task("a", pathsForbidden=["docs/**"]), {"branch": None}),
        (a_task("a", pathsForbidden=["docs/**"]), {"branch": "main"}),
        (a_task("a", pathsForbidden=["docs/**"], startingRef="cursor/a-1f2a"), {}),
    ],
    ids=["bound to nothing", "nothing pushed", "the base branch", "its own start"],
)
def test_where_there_is_nothing_to_compare_nobody_looks(task, handoff):
    start = task.get("startingRef", "main")
    book = Playbook(a_state(a_plan(task, "b"), a_running_row(starting_ref=start), a_running_row("b")))
    assert book.tell(ended(**handoff)).effects(CheckPaths) == []


def test_a_broken_rule_is_a_finding_and_an_attention_line_with_five_files():
    book = Playbook(a_state(BOUND, a_running_row())).tell(ended()).tell(checked(findings=FOUND, total=9))
    book.leaves(paths_check=PathsCheck(moment(2), FOUND, total=9))
    names = ", ".join(f"docs/{number}.md (outside pathsAllowed)" for number in range(5))
    assert book.attention() == [f"a changed 9 files that the plan does not give it: {names} and 4 more"]


def test_one_file_is_named_alone():
    book = Playbook(a_state(BOUND, a_running_row())).tell(ended()).tell(checked(findings=FOUND[:1], total=1))
    assert book.attention() == ["a changed a file that the plan does not give it: docs/0.md (outside pathsAllowed)"]


@pytest.mark.parametrize("fields", [{}, {"unknown": "git ls-remote: no route"}], ids=["kept", "unknown"])
def test_paths_that_were_kept_and_what_nobody_can_tell_are_silent(fields):
    book = Playbook(a_state(BOUND, a_running_row())).tell(ended()).tell(checked(**fields))
    book.leaves(paths_check=PathsCheck(moment(2), **fields))
    assert book.attention() == []
    assert book.state.session.checking == frozenset()


def test_what_is_said_of_a_former_branch_changes_nothing():
    book = Playbook(a_state(BOUND, a_running_row())).tell(ended())
    book.tell(checked(branch="cursor/other", findings=FOUND, total=7)).leaves(paths_check=None)
    book.tell(checked(task="gone", findings=FOUND, total=7))
    assert book.attention() == []
    book.tell(replace(checked(findings=FOUND, total=7), task="b")).leaves("b", paths_check=None)


def test_the_end_waits_for_what_is_looked_at():
    book = Playbook(a_state(a_plan(a_task("a", pathsAllowed=["src"])), a_running_row())).tell(ended())
    assert book.effects(SetTimer) == [replace(LINGERING, cause="e1")]
    book.tell(seen()).asks().tell(checked()).asks(EndRun(exit_code=0))


def test_the_end_waits_only_so_long():
    plan = a_plan(*(a_task(name, pathsAllowed=["src"]) for name in "ab"))
    book = Playbook(a_state(plan, a_running_row("a"), a_running_row("b"))).tell(ended("a")).tell(ended("b"))
    assert LINGERING in [replace(effect, cause="") for effect in book.effects(SetTimer)]
    book.tell(checked()).asks()
    assert book.state.session.linger == Linger.NOW
    book.tell(TimerFired(timer=Timer(TimerKind.LINGER))).asks()
    book.tell(TimerFired(timer=LINGERING.timer)).asks(EndRun(exit_code=0))
    book.tell(checked(task="b", branch="cursor/b-1f2a", findings=FOUND[:1], total=1))
    assert book.row("b").paths_check is not None


def test_a_bug_of_ours_is_told_and_not_waited_for():
    book = Playbook(a_state(a_plan(a_task("a", pathsAllowed=["src"])), a_running_row())).tell(ended())
    book.tell(seen()).tell(EffectFailed(effect="CheckPaths", message="a bug", task="a")).asks(EndRun(exit_code=0))
    assert book.attention() == ["a fault of this program in CheckPaths of a: a bug"]


def test_the_next_engine_looks_at_what_this_one_left():
    there = {"pushed": True, "on_remote": OnRemote(moment(), is_there=True)}
    rows = [a_handed_off_row(**there), a_handed_off_row("b", depends_on=("a",), **there)]
    book = Playbook(an_unread_state(*rows)).tell(PlanRead(plan=BOUND))
    assert [effect.row.name for effect in book.effects(CheckPaths)] == ["a"]
    for known in (PathsCheck(moment()), PathsCheck(moment(), unknown="no route")):
        again = Playbook(an_unread_state(replace(rows[0], paths_check=known), rows[1])).tell(PlanRead(plan=BOUND))
        again.asks(EndRun(exit_code=0))


def test_a_foreign_row_is_not_looked_at():
    book = Playbook(an_unread_state(a_handed_off_row())).tell(PlanRead(plan=BOUND))
    assert book.effects(CheckPaths) == []
    assert book.row().branch != f"orch/{SLUG}/a"


def test_who_only_answers_leaves_it_to_the_next_engine():
    settings = Settings(max_concurrent=1, answers_only=True)
    rows = [a_handed_off_row(pushed=True)]
    book = Playbook(an_unread_state(*rows, settings=settings)).tell(PlanRead(plan=BOUND))
    assert book.effects(CheckPaths) == []


def test_an_acceptance_of_who_only_answers_is_looked_at_by_the_next_engine():
    settings = Settings(max_concurrent=1, answers_only=True)
    rows = [a_running_row(status=TaskStatus.ERROR)]
    book = Playbook(an_unread_state(*rows, settings=settings)).tell(EngineStarted(engine="e", requests=("r",)))
    book.tell(PlanRead(plan=BOUND))
    book.tell(AcceptanceWritten(request="r", task="a", branch="ana/a", by="ana", path="handoffs/a.md"))
    assert [type(effect) for effect in book.decision.effects] == [AnswerRequest]
    handed_off = Playbook(an_unread_state(book.row())).tell(PlanRead(plan=BOUND))
    assert [effect.row.branch for effect in handed_off.effects(CheckPaths)] == ["ana/a"]
