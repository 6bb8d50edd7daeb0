"""Trying tasks anew for somebody."""

from dataclasses import replace

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import AnswerRequest, LaunchAgent
from orchestrate.core.events import AgentLaunched, EngineStarted, PlanRead, RunEnded, StopReason, StopRequested
from orchestrate.core.facts import facts_of
from orchestrate.core.request_events import RespawnRequested
from orchestrate.core.story import story_of
from orchestrate.model.records import Record
from orchestrate.model.rows import Acceptance, Cancel, OnRemote, Verdict
from orchestrate.model.vocabulary import FailureMode, RunStatus, TaskStatus, TaskType, Verification
from tests.support.builders import (
    SLUG,
    a_handed_off_row,
    a_plan,
    a_reply,
    a_row,
    a_running_row,
    a_state,
    a_task,
    a_verifier,
    agent_of,
    an_unread_state,
    moment,
)
from tests.support.playbook import Playbook

R = "11111111-0000-4000-8000-000000000001"
ASKED = RespawnRequested(request=R, tasks=("a",), by="ana")
DRAIN = Settings(8, drain=True)
PLAN = a_plan(
    "a",
    a_task("b", depends_on=("a",), startingRef=f"orch/{SLUG}/a"),
    a_task("c", depends_on=("b",), startingRef=f"orch/{SLUG}/b"),
    a_task("other"),
)


def a_failed_row(name="a", **fields):
    failed = {"status": TaskStatus.ERROR, "failure_mode": FailureMode.OOM, "note": "no memory", "finished_at": moment()}
    return a_running_row(name, **{**failed, **fields})


def book(*rows, plan=PLAN, settings=DRAIN):
    return Playbook(a_state(plan, *rows, a_running_row("other"), settings=settings))


def alone(row, *, plan=PLAN):
    """An engine that only answers, without a service."""
    state = an_unread_state(row, settings=Settings(1, answers_only=True, has_service=False))
    return Playbook(state).tell(EngineStarted(engine="e", requests=(R,))).tell(PlanRead(plan=plan))


def answer_of(playbook):
    (effect,) = playbook.effects(AnswerRequest)
    return effect.answer


def follower(name, of, **fields):
    """A row that ran, or waits, on the branch of another one."""
    return {"starting_ref": f"cursor/{of}-1f2a", "ref_from": of, "depends_on": (of,), **fields}


@pytest.mark.parametrize(
    "row",
    [
        a_failed_row(),
        a_failed_row(status=TaskStatus.CANCELLED),
        a_handed_off_row(
            status=TaskStatus.ERROR,
            accepted=Acceptance("bob", moment()),
            verdicts=(Verdict("v", None, None, moment()),),
        ),
    ],
)
def test_the_next_try_begins_at_once_beside_a_running_engine(row):
    told = book(row).tell(ASKED).launches("a")
    told.leaves(
        status=TaskStatus.RUNNING,
        attempts=2,
        branch=f"orch/{SLUG}/a",
        verdicts=(),
        accepted=None,
        note=None,
        failure_mode=None,
        verification=None,
        agent_id=None,
    )
    assert told.row().launch.agent_id == agent_of("a", 2)
    assert told.attention() == ["ana has a tried anew."]
    assert R in told.state.workspace.handled_requests


def test_what_was_stopped_before_its_launch_has_its_first_try():
    told = book(a_row(status=TaskStatus.PRUNED, cancel=Cancel("bob", moment()))).tell(ASKED).launches("a")
    told.leaves(attempts=1, cancel=None)


def test_without_a_running_engine_the_row_waits_and_the_answer_says_so():
    told = alone(a_failed_row())
    details = answer_of(told.tell(ASKED)).details
    assert details == {
        "tasks": [{"task": "a", "status": "pending", "attempt": 2, "startingRef": "main"}],
        "ready": ["a"],
    }


def test_a_request_is_carried_out_once():
    told = book(a_failed_row()).tell(ASKED).tell(ASKED).launches()
    assert answer_of(told).is_done
    told.leaves(attempts=2)


def test_what_waits_for_it_starts_from_its_placeholder_until_it_lands_elsewhere():
    waiting = a_row("b", **follower("b", "a"))
    told = book(
        a_handed_off_row(),
        waiting,
        plan=a_plan(
            *PLAN.tasks[:0], "a", a_task("b", depends_on=("a", "other"), startingRef=f"orch/{SLUG}/a"), "other"
        ),
    )
    told.leaves("b", starting_ref="cursor/a-1f2a")
    told.tell(replace(ASKED, again=True)).leaves("b", starting_ref=f"orch/{SLUG}/a", ref_from=None)
    reply = a_reply(branch="cursor/a-2")
    launched = told.row()
    told.tell(
        AgentLaunched(task="a", agent_id=launched.launch.agent_id, answered_id=launched.launch.agent_id, run_id="run-2")
    )
    told.tell(RunEnded(task="a", run_id="run-2", status=RunStatus.FINISHED, reply=reply))
    told.leaves("b", starting_ref="cursor/a-2", ref_from="a")


def test_what_ran_on_its_former_branch_is_left_alone_unless_asked_for():
    rows = [a_handed_off_row(), a_handed_off_row("b", **follower("b", "a")), a_failed_row("c", **follower("c", "b"))]
    alone = book(*rows).tell(replace(ASKED, again=True)).launches("a")
    alone.leaves("b", status=TaskStatus.HANDED_OFF).leaves("c", status=TaskStatus.ERROR)
    whole = book(*rows).tell(replace(ASKED, again=True, cascade=True)).launches("a")
    whole.leaves("b", status=TaskStatus.PENDING, starting_ref=f"orch/{SLUG}/a", ref_from=None)
    whole.leaves("c", status=TaskStatus.PENDING, starting_ref=f"orch/{SLUG}/b", ref_from=None)
    assert [item["task"] for item in answer_of(whole).details["tasks"]] == ["a", "b", "c"]
    assert whole.attention() == ["ana has a, b, c tried anew."]


def test_what_the_plan_lets_start_from_that_very_branch_is_behind_it_and_what_only_depends_on_it_is_not():
    plan = a_plan("a", a_task("b", startingRef="cursor/a-1f2a"), a_task("c", depends_on=("a",)), "other")
    rows = [
        a_handed_off_row(),
        a_handed_off_row("b", starting_ref="cursor/a-1f2a"),
        a_handed_off_row("c", depends_on=("a",)),
    ]
    whole = book(*rows, plan=plan).tell(replace(ASKED, again=True, cascade=True))
    assert [item["task"] for item in answer_of(whole).details["tasks"]] == ["a", "b"]
    whole.leaves("c", status=TaskStatus.HANDED_OFF)


def test_what_left_the_plan_is_behind_nothing():
    rows = [a_handed_off_row(), a_handed_off_row("b", **follower("b", "a"))]
    whole = book(*rows, plan=a_plan("a")).tell(replace(ASKED, again=True, cascade=True)).launches("a")
    assert [item["task"] for item in answer_of(whole).details["tasks"]] == ["a"]
    whole.leaves("b", status=TaskStatus.HANDED_OFF)


def test_nothing_is_reset_under_what_runs():
    rows = [a_handed_off_row(), a_running_row("b", **follower("b", "a"))]
    told = book(*rows).tell(replace(ASKED, again=True, cascade=True)).launches()
    assert answer_of(told).code == "task_running"
    assert "cancel . b" in answer_of(told).hint
    told.leaves(status=TaskStatus.HANDED_OFF)


CHECKED = a_plan("a", a_verifier("v", "a"), a_verifier("w", "a"), "other")


def a_verdict_of(name, value=Verification.VERIFIER_FAILED):
    return Verdict(by=name, value=value, sha=None, at=moment())


def test_a_verifier_that_looks_anew_takes_its_verdict_back():
    target = a_handed_off_row(
        on_remote=OnRemote(moment(), is_there=True),
        verdicts=(a_verdict_of("v"), a_verdict_of("w", Verification.LIVE_UI_VERIFIED)),
        verification=Verification.VERIFIER_FAILED,
    )
    checker = a_handed_off_row("v", type=TaskType.VERIFIER, **follower("v", "a"))
    other = a_handed_off_row("w", type=TaskType.VERIFIER, **follower("w", "a"))
    told = book(target, checker, other, plan=CHECKED).tell(replace(ASKED, tasks=("v",), again=True)).launches("v")
    told.leaves(
        verification=Verification.LIVE_UI_VERIFIED, verdicts=(a_verdict_of("w", Verification.LIVE_UI_VERIFIED),)
    )
    told.leaves("v", starting_ref="cursor/a-1f2a", ref_from="a")


def test_the_source_of_a_verifier_is_tried_with_it_and_before_it():
    target = a_handed_off_row(verdicts=(a_verdict_of("v"),), verification=Verification.VERIFIER_FAILED)
    checker = a_failed_row("v", type=TaskType.VERIFIER, **follower("v", "a"))
    told = book(target, checker, plan=CHECKED).tell(replace(ASKED, tasks=("v",), source=True)).launches("a")
    told.leaves(verdicts=(), verification=None).leaves("v", status=TaskStatus.PENDING, starting_ref=f"orch/{SLUG}/a")
    only = book(a_failed_row()).tell(replace(ASKED, source=True)).launches("a")
    assert answer_of(only).is_done


def test_a_planner_goes_on_from_its_own_branch_also_when_the_next_engine_launches_it():
    plan = a_plan(a_task("a", type="subplanner"), "other")
    row = a_failed_row(type=TaskType.SUBPLANNER, branch="cursor/a-1f2a")
    told = alone(row, plan=plan)
    told.tell(replace(ASKED, starting_refs={"a": "cursor/a-1f2a"}))
    told.leaves(status=TaskStatus.PENDING, starting_ref="cursor/a-1f2a", ref_from="a", branch=f"orch/{SLUG}/a")
    after = Playbook(a_state(plan, told.row(), settings=DRAIN))
    after.leaves(status=TaskStatus.RUNNING, starting_ref="cursor/a-1f2a")


def test_the_plan_of_today_counts_not_the_one_of_the_former_try():
    changed = a_plan(a_task("a", type="verifier", verifies="b"), "b", "other")
    told = book(a_failed_row(), a_row("b"), plan=changed).tell(ASKED)
    told.leaves(type=TaskType.VERIFIER, depends_on=("b",), status=TaskStatus.PENDING, starting_ref=f"orch/{SLUG}/b")


def test_an_ad_hoc_task_is_tried_again_as_it_was():
    told = book(a_failed_row("x", extra={"adHoc": True}, starting_ref="topic"))
    told.tell(StopRequested(reason=StopReason.INTERRUPT)).tell(ASKED).changes_nothing()
    answering = alone(a_failed_row("x", extra={"adHoc": True}, starting_ref="topic"))
    answering.tell(replace(ASKED, tasks=("x",))).leaves("x", status=TaskStatus.PENDING, starting_ref="topic")


@pytest.mark.parametrize(
    ("row", "tasks", "code"),
    [
        (a_handed_off_row(), ("a",), "already_handed_off"),
        (a_running_row(), ("a",), "task_running"),
        (a_row("b"), ("b",), "task_pending"),
        (a_failed_row(), ("a", "other"), "task_running"),
        (a_failed_row(), ("zz",), "unknown_task"),
        (a_failed_row("gone"), ("gone",), "task_pruned"),
    ],
)
def test_all_or_none(row, tasks, code):
    told = book(row)
    before = told.state.rows
    told.tell(replace(ASKED, tasks=tasks))
    assert (answer_of(told).is_done, answer_of(told).code) == (False, code)
    assert told.state.rows == before


def test_a_long_list_is_told_in_short():
    names = [f"t{number}" for number in range(8)]
    told = Playbook(a_state(a_plan(*names, "other"), *map(a_failed_row, names), a_running_row("other"), settings=DRAIN))
    told.tell(replace(ASKED, tasks=tuple(names)))
    assert told.attention()[0] == "ana has t0, t1, t2, t3, t4 and 3 more tried anew."
    assert len(told.effects(LaunchAgent)) == 7


def test_its_story_and_its_record_tell_who_wanted_it():
    event = facts_of(replace(ASKED, starting_refs={"a": "cursor/a"}))
    assert event["starting_refs"] == {"a": "cursor/a"}
    told = Record(seq=1, engine="e", at=moment(), event=event, rows=(a_row(),))
    assert story_of([told], "a")[0].text == "ana has it tried anew"
    behind = Record(seq=1, engine="e", at=moment(), event=event, rows=(a_handed_off_row(launch=None),))
    assert story_of([behind], "a")[0].text == "is handed-off now"
