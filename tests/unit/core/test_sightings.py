"""What the remote says of a branch, and what follows from it."""

import pytest

from orchestrate.core.effects import CheckPaths, EndRun
from orchestrate.core.events import EffectFailed, PlanRead, RunEnded, Timer, TimerFired, TimerKind
from orchestrate.core.ref_events import RefsSeen
from orchestrate.model.names import placeholder_branch
from orchestrate.model.rows import Acceptance, OnRemote
from orchestrate.model.vocabulary import FindingKind, HandoffStatus, RunStatus, TaskStatus, Verification
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
    an_unread_state,
    moment,
    run_of,
    seen,
)
from tests.support.playbook import Playbook

OF_A = placeholder_branch(SLUG, "a", task_type="worker")
FOLLOWED = a_plan("a", a_verifier("b", of="a"), "z")
HELD = "cursor/a-1f2a, the branch of a, is not on the remote: push it, then type orchestrate accept . a --branch BRANCH"


def ended(task: str = "a", **handoff) -> RunEnded:
    return RunEnded(task=task, run_id=run_of(task), status=RunStatus.FINISHED, reply=a_reply(task, **handoff))


def after_handoff(plan=None, *, row=None, reported=None, **handoff) -> Playbook:
    plan = plan or a_plan("a", "z")
    book = Playbook(a_state(plan, row or a_running_row(), a_running_row("z")))
    event = RunEnded(
        task="a",
        run_id=run_of("a"),
        status=RunStatus.FINISHED,
        reply=a_reply(**handoff),
        reported_branch=reported,
    )
    return book.tell(event)


def kinds(book: Playbook, task: str = "a") -> list[str]:
    return [finding.kind for finding in book.row(task).findings]


def test_a_branch_that_is_there_gives_its_commit_to_the_row():
    book = after_handoff().tell(seen(start_sha="0ab"))
    book.leaves(head_sha="5ea", on_remote=OnRemote(moment(2), is_there=True), pushed=True, note=None, findings=())
    assert book.attention() == []


def test_a_branch_that_is_not_there_is_a_finding_and_a_note():
    book = after_handoff().tell(seen(sha=None))
    book.leaves(head_sha=None, on_remote=OnRemote(moment(2), is_there=False), pushed=False, note="not on the remote")
    assert kinds(book) == [FindingKind.NOT_ON_REMOTE]
    assert book.attention() == ["a: it says success but pushed nothing: cursor/a-1f2a is not on the remote."]


def test_the_branch_that_the_run_reports_is_named_where_the_other_one_is_not_there():
    book = after_handoff(reported="cursor/other").tell(seen(sha=None)).leaves(reported_branch="cursor/other")
    assert book.attention()[0].endswith("cursor/a-1f2a is not on the remote; the run reports cursor/other.")


def test_a_report_that_agrees_is_not_kept():
    after_handoff(reported="cursor/a-1f2a").leaves(reported_branch=None)


def test_a_branch_that_is_not_there_is_a_finding_whatever_the_status():
    book = after_handoff(status=HandoffStatus.PARTIAL).tell(seen(sha=None))
    assert book.attention() == ["a: cursor/a-1f2a is not on the remote."]


@pytest.mark.parametrize("branch", [None, "main", OF_A])
def test_success_with_no_branch_at_all_is_a_finding(branch):
    book = after_handoff(branch=branch).tell(seen(branch=OF_A, sha=None)).leaves(branch=OF_A, pushed=False)
    assert kinds(book) == [FindingKind.NOTHING_PUSHED]
    assert book.attention() == ["a: it says success but pushed nothing."]


@pytest.mark.parametrize("status", [HandoffStatus.PARTIAL, HandoffStatus.BLOCKED, None])
def test_who_does_not_claim_success_may_have_pushed_nothing(status):
    book = after_handoff(branch=None, status=status).tell(seen(branch=OF_A, sha=None))
    assert (kinds(book), book.attention()) == ([], [])


def test_a_head_at_the_starting_point_means_nothing_pushed():
    book = after_handoff().tell(seen(sha="0ab", start_sha="0ab")).leaves(pushed=False, head_sha="0ab", note=None)
    words = "it says success but pushed nothing: cursor/a-1f2a has no commit beyond main."
    assert (kinds(book), book.attention()) == ([FindingKind.NOTHING_PUSHED], [f"a: {words}"])
    quiet = after_handoff(status=HandoffStatus.PARTIAL).tell(seen(sha="0ab", start_sha="0ab"))
    assert kinds(quiet) == []


def test_a_head_where_the_attempt_began_means_nothing_pushed_also_on_one_branch():
    row = a_running_row(starting_ref="cursor/a-1f2a", starting_sha="0ab")
    plan = a_plan(a_task("a", startingRef="cursor/a-1f2a"), "z")
    after_handoff(plan, row=row).tell(seen(sha="0ab")).leaves(pushed=False)
    after_handoff(plan, row=row).tell(seen(sha="5ea")).leaves(pushed=True)


def test_work_on_the_planned_branch_counts_although_the_handoff_names_none():
    plan = a_plan(a_task("a", pathsAllowed=["src/**"]), "z")
    book = after_handoff(plan, branch=None).leaves(pushed=False).tell(seen(branch=OF_A)).leaves(pushed=True)
    assert kinds(book) == []
    assert [effect.row.branch for effect in book.effects(CheckPaths)] == [OF_A]


@pytest.mark.parametrize(
    ("branch", "found"),
    [("my-own-name", [FindingKind.OTHER_NAME]), ("cursor/x", []), (OF_A, [])],
    ids=["the agent's", "the service's", "the plan's"],
)
def test_a_name_that_the_agent_chose_is_a_finding(branch, found):
    assert kinds(after_handoff(branch=branch).tell(seen(branch=branch))) == found


def test_a_person_may_name_a_branch_as_they_like():
    accepted = a_handed_off_row(branch="ana/a", pushed=True, accepted=Acceptance(by="ana", at=moment()))
    book = Playbook(an_unread_state(accepted)).tell(PlanRead(plan=a_plan("a"))).tell(seen(branch="ana/a"))
    assert kinds(book) == []
    merged = a_handed_off_row(branch="main", pushed=True, accepted=Acceptance(by="ana", at=moment()))
    on_base = Playbook(an_unread_state(merged)).tell(PlanRead(plan=a_plan("a")))
    on_base.tell(seen(branch="main", start_sha="5ea")).leaves(pushed=True, findings=(), head_sha="5ea")
    lost = Playbook(an_unread_state(accepted)).tell(PlanRead(plan=a_plan("a"))).tell(seen(branch="ana/a", sha=None))
    assert kinds(lost) == [FindingKind.NOT_ON_REMOTE]


def test_a_branch_of_two_tasks_is_a_finding_in_both():
    book = Playbook(a_state(a_plan("a", "b", "z"), a_running_row("a"), a_running_row("b"), a_running_row("z")))
    book.tell(ended("a", branch="cursor/one")).tell(seen("a", branch="cursor/one"))
    book.tell(ended("b", branch="cursor/one")).tell(seen("b", branch="cursor/one"))
    assert kinds(book, "a") == kinds(book, "b") == [FindingKind.SHARED_BRANCH]
    assert book.attention() == [
        "b: its branch cursor/one is that of a as well.",
        "a: its branch cursor/one is that of b as well.",
    ]
    assert book.tell(seen("b", branch="cursor/one")).attention() == []


def test_a_task_that_landed_elsewhere_shares_its_former_branch_no_more():
    rows = (a_handed_off_row("a", branch="cursor/one", pushed=True), a_running_row("b"), a_running_row("z"))
    book = Playbook(a_state(a_plan("a", "b", "z"), *rows)).tell(seen("a", branch="cursor/one", start_sha="5ea"))
    book.tell(ended("b", branch="cursor/one")).tell(seen("b", branch="cursor/one"))
    assert kinds(book, "b") == []


def test_two_tasks_that_pushed_nothing_to_one_branch_share_no_work():
    book = Playbook(a_state(a_plan("a", "z"), a_running_row(), a_running_row("z")))
    book.tell(ended()).tell(seen(sha="0ab", start_sha="0ab"))
    assert FindingKind.SHARED_BRANCH not in kinds(book)


def test_a_verifier_that_pushed_nothing_is_no_finding():
    plan = a_plan("a", a_verifier("v", of="a"), a_task("b", depends_on=("v",), startingRef=f"orch/{SLUG}/v"))
    rows = (a_handed_off_row(pushed=True), a_running_row("v", type="verifier", branch=f"orch/{SLUG}/v"))
    book = Playbook(a_state(plan, *rows)).tell(ended("v", branch=None))
    book.tell(seen("v", branch=f"orch/{SLUG}/v", sha=None)).leaves("v", findings=(), note=None)
    assert "v's" not in book.row("b").note
    assert book.row("b").note.startswith(f"orch/{SLUG}/v, the branch of v, is not on the remote")


def test_a_branch_that_is_missing_holds_those_that_start_from_it_and_says_what_to_type():
    book = after_handoff(FOLLOWED).tell(seen(sha=None)).launches().leaves("b", status=TaskStatus.PENDING, note=HELD)
    assert book.attention()[-1] == f"b waits: {HELD}."
    assert book.tell(seen(sha=None)).attention() == []


def test_several_that_wait_are_named_in_one_line():
    plan = a_plan("a", a_verifier("b", of="a"), a_verifier("c", of="a"), "z")
    assert after_handoff(plan).tell(seen(sha=None)).attention()[-1] == f"b and c wait: {HELD}."


def test_they_go_on_once_the_branch_is_there():
    book = after_handoff(FOLLOWED).tell(seen(sha=None)).tell(seen()).launches("b")
    book.leaves("b", note=None, starting_sha="5ea").leaves("a", pushed=True, note="no verdict yet", findings=())


@pytest.mark.parametrize(
    "answer",
    [seen(sha=None, unknown="no route"), TimerFired(timer=Timer(TimerKind.LOOK_UP, "a", 1))],
    ids=["unreachable", "late"],
)
def test_a_branch_that_nobody_can_look_up_holds_nobody(answer):
    book = after_handoff(FOLLOWED).tell(answer).launches("b").leaves(pushed=True)
    reason = "no route" if isinstance(answer, RefsSeen) else "no answer within 5 seconds"
    book.leaves(on_remote=OnRemote(moment(2), unknown=reason))
    assert book.attention() == [
        f"cursor/a-1f2a of a could not be looked up ({reason}); the service has the last word on b."
    ]


def test_a_late_answer_still_counts():
    book = after_handoff(FOLLOWED).tell(TimerFired(timer=Timer(TimerKind.LOOK_UP, "a", 1))).tell(seen())
    book.leaves(head_sha="5ea", on_remote=OnRemote(moment(3), is_there=True))


def test_what_is_known_stays_known():
    for known in (seen(), seen(sha=None)):
        book = after_handoff(FOLLOWED).tell(known)
        sight = book.row().on_remote
        book.tell(seen(unknown="no route")).leaves(on_remote=sight)
        book.tell(TimerFired(timer=Timer(TimerKind.LOOK_UP, "a", 1))).changes_nothing()


def test_success_without_a_branch_is_a_finding_also_where_nobody_can_look():
    book = after_handoff(branch=None).tell(seen(branch=OF_A, unknown="no route"))
    assert kinds(book) == [FindingKind.NOTHING_PUSHED]


@pytest.mark.parametrize(
    "timer", [Timer(TimerKind.LOOK_UP, "a", 2), Timer(TimerKind.LOOK_UP, "gone", 1), Timer(TimerKind.LOOK_UP, "z", 1)]
)
def test_a_timer_of_something_else_changes_nothing(timer):
    after_handoff(FOLLOWED).tell(TimerFired(timer=timer)).changes_nothing()


@pytest.mark.parametrize(
    "answer", [seen(attempt=2), seen(branch="cursor/former"), seen("gone"), seen("z")], ids=lambda _: ""
)
def test_what_is_said_of_a_former_branch_means_nothing(answer):
    after_handoff(FOLLOWED).tell(answer).launches().leaves(on_remote=None)


def test_a_bug_of_ours_holds_nobody():
    book = after_handoff(FOLLOWED).tell(EffectFailed(effect="LookUpRefs", message="a bug")).launches("b")
    assert book.attention()[0] == "a fault of this program in LookUpRefs: a bug"
    assert not book.state.session.looking_up


def test_the_end_waits_for_the_look():
    book = Playbook(a_state(a_plan("a"), a_running_row())).tell(ended())
    assert book.effects(EndRun) == []
    book.tell(seen()).asks(EndRun(exit_code=0))


def test_a_branch_that_moved_takes_its_verdicts_along():
    plan = a_plan("a", a_verifier("v", of="a"), a_task("b", depends_on=("a", "z"), startingRef=OF_A), "z")
    book = Playbook(a_state(plan, a_running_row(), a_running_row("z"))).tell(ended()).tell(seen()).launches("v")
    verifier = a_running_row("v", type="verifier", starting_sha="5ea")
    rows = (book.row(), verifier, book.row("b"), a_running_row("z"))
    book = Playbook(a_state(plan, *rows)).tell(ended("v", verification=Verification.VERIFIER_FAILED))
    book.leaves("a", verification=Verification.VERIFIER_FAILED)
    assert kinds(book) == [FindingKind.VERDICT]
    book.tell(seen(sha="0ff")).leaves("a", verification=None, note="no verdict yet", head_sha="0ff")
    assert kinds(book) == []


def test_a_row_of_another_tool_keeps_its_verification():
    foreign = a_handed_off_row(verification=Verification.LIVE_UI_VERIFIED)
    waiting = a_row("b", starting_ref="cursor/a-1f2a", ref_from="a", depends_on=("a",))
    book = Playbook(an_unread_state(foreign, waiting)).tell(PlanRead(plan=a_plan("a", a_verifier("b", of="a"))))
    book.tell(seen()).leaves(verification=Verification.LIVE_UI_VERIFIED, head_sha="5ea", pushed=None).launches("b")
