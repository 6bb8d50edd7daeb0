"""A person's word in the place of an agent's handoff."""

from dataclasses import replace

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import AnswerRequest, EndRun, WriteAcceptance
from orchestrate.core.events import EffectFailed, EngineStarted, PlanRead, StopReason, StopRequested
from orchestrate.core.request_events import (
    AcceptanceWritten,
    AcceptRequested,
    FileSetAside,
    RequestAnswered,
    RequestUnmet,
)
from orchestrate.model.inbox_requests import InboxAnswer
from orchestrate.model.rows import Acceptance, Verdict, Workspace
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, TaskStatus, TaskType, Verification
from tests.support.builders import (
    SLUG,
    WORKSPACE,
    a_handed_off_row,
    a_launching_row,
    a_plan,
    a_row,
    a_running_row,
    a_state,
    a_task,
    a_verifier,
    an_unread_state,
    moment,
    seen,
)
from tests.support.playbook import Playbook

R = "11111111-0000-4000-8000-000000000001"
ASKED = AcceptRequested(request=R, task="a", branch="ana/a", by="ana", note="Took out\nthe cache.")
WRITTEN = AcceptanceWritten(
    request=R, task="a", branch="ana/a", by="ana", path="handoffs/a.md", note="Took out\nthe cache."
)
DRAIN = Settings(max_concurrent=8, drain=True)
CHAIN = a_plan(
    "a", a_task("b", depends_on=("a",), startingRef=f"orch/{SLUG}/a"), a_task("c", depends_on=("b",)), "other"
)


def a_failed_row(**fields):
    failed = {"status": TaskStatus.ERROR, "failure_mode": FailureMode.OOM, "note": "no memory", "finished_at": moment()}
    return a_running_row(**{**failed, **fields})


def book(row, *, plan=CHAIN, settings=DRAIN, others=(), workspace=None):
    """A run that goes on while task ``other`` does."""
    state = a_state(plan, row, a_running_row("other"), *others, settings=settings, workspace=workspace)
    return Playbook(state)


def answers(playbook):
    return [effect.answer for effect in playbook.effects(AnswerRequest)]


@pytest.mark.parametrize(
    "row",
    [
        a_failed_row(),
        a_failed_row(status=TaskStatus.CANCELLED),
        a_row(depends_on=("other",)),
        a_handed_off_row(handoff_status=HandoffStatus.BLOCKED),
        a_handed_off_row(handoff_status=HandoffStatus.PARTIAL),
        a_handed_off_row(handoff_status=None),
        a_handed_off_row(pushed=False),
    ],
    ids=["error", "cancelled", "pending", "blocked", "partial", "unreadable", "nothing pushed"],
)
def test_the_handoff_is_written_first_and_then_the_task_has_handed_off(row):
    plan = a_plan(a_task("a", depends_on=row.depends_on), "other", a_task("b", depends_on=("a", "other")))
    asked = book(row, plan=plan).tell(ASKED)
    assert [type(effect) for effect in asked.decision.effects] == [WriteAcceptance]
    asked.leaves(status=row.status).tell(WRITTEN)
    asked.leaves(
        status=TaskStatus.HANDED_OFF,
        branch="ana/a",
        pushed=True,
        handoff_status=HandoffStatus.SUCCESS,
        handoff_path="handoffs/a.md",
        accepted=Acceptance(by="ana", at=moment(2)),
        note=f"accepted by ana at {moment(2)}: Took out the cache.",
        failure_mode=None,
        verification=None,
        attempts=row.attempts,
    )
    assert asked.state.workspace.handled_requests == (R,)
    assert asked.attention() == [f"a was {row.status}; ana accepted it on ana/a."]


def test_dependants_get_the_branch_and_start_at_once():
    told = book(a_failed_row()).tell(ASKED).tell(WRITTEN)
    told.leaves("b", starting_ref="ana/a", ref_from="a").leaves("c", status=TaskStatus.PENDING)
    (answer,) = answers(told)
    told.tell(seen(branch="ana/a", attempt=told.row().attempts)).launches("b")
    assert (answer.id, answer.is_done) == (R, True)
    assert answer.details == {
        "task": "a",
        "branch": "ana/a",
        "by": "ana",
        "at": moment(2),
        "handoffPath": "handoffs/a.md",
        "released": ["b"],
    }


def test_no_note_leaves_none():
    told = book(a_failed_row()).tell(replace(ASKED, note=None)).tell(replace(WRITTEN, note=None))
    told.leaves(note=f"accepted by ana at {moment(2)}")


def test_a_row_that_knew_half_of_its_agent_knows_none_of_it():
    told = book(a_failed_row(run_id=None)).tell(ASKED).tell(WRITTEN)
    told.leaves(agent_id=None, run_id=None, status=TaskStatus.HANDED_OFF)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (a_running_row(), "task_running"),
        (a_running_row(url="https://service.example.org/a"), "task_running"),
        (a_launching_row(), "task_running"),
        (a_handed_off_row(), "already_handed_off"),
        (a_handed_off_row(type=TaskType.VERIFIER, pushed=False, handoff_status=None), "already_handed_off"),
    ],
)
def test_what_cannot_be_accepted_is_answered_with_what_to_do(row, code):
    told = book(row)
    before = told.row()
    (answer,) = answers(told.tell(ASKED))
    assert (answer.is_done, answer.code) == (False, code)
    assert answer.message.startswith("a ")
    assert answer.hint
    assert told.row() == before
    if code == "task_running":
        assert "orchestrate cancel . a" in answer.hint


def test_a_task_that_left_the_plan_or_never_was_in_it_is_refused():
    plan = a_plan("other")
    for row, code in ((a_row(), "task_pruned"), (a_row("z", status=TaskStatus.PRUNED), "unknown_task")):
        (answer,) = answers(book(row, plan=plan).tell(ASKED))
        assert answer.code == code


def test_what_began_meanwhile_is_refused_although_the_handoff_is_written():
    told = book(a_running_row()).tell(WRITTEN)
    assert [answer.code for answer in answers(told)] == ["task_running"]
    assert told.state.workspace.handled_requests == ()


def test_of_two_at_once_the_second_is_refused():
    second = "22222222-0000-4000-8000-000000000002"
    told = book(a_failed_row()).tell(ASKED).tell(replace(ASKED, request=second, branch="ben/a"))
    assert [(answer.id, answer.code) for answer in answers(told)] == [(second, "accepted_meanwhile")]
    told.tell(WRITTEN).leaves(branch="ana/a")


def test_asked_twice_it_is_written_twice_and_done_once():
    told = book(a_failed_row()).tell(ASKED).tell(ASKED)
    assert len(told.effects(WriteAcceptance)) == 1
    told.tell(WRITTEN).leaves(status=TaskStatus.HANDED_OFF).tell(WRITTEN)
    assert [answer.code for answer in answers(told)] == ["already_handed_off"]


@pytest.mark.parametrize(
    ("rows", "details"),
    [
        ([a_handed_off_row(branch="ana/a", accepted=Acceptance("ana", moment()))], {"task", "branch", "by", "at"}),
        ([a_row(handoff_path=None)], {"task", "branch"}),
    ],
)
def test_what_was_done_before_is_only_answered_again(rows, details):
    workspace = Workspace(WORKSPACE, SLUG, handled_requests=(R,))
    told = book(rows[0], workspace=workspace, settings=Settings(max_concurrent=1)).tell(ASKED)
    (answer,) = answers(told)
    assert answer.is_done
    assert set(answer.details) - {"handoffPath"} == details
    assert told.row().accepted == rows[0].accepted


def test_what_was_done_before_to_a_task_that_is_gone_is_answered_too():
    workspace = Workspace(WORKSPACE, SLUG, handled_requests=(R,))
    state = a_state(a_plan("other"), a_running_row("other"), workspace=workspace)
    assert [(answer.is_done, dict(answer.details)) for answer in answers(Playbook(state).tell(ASKED))] == [(True, {})]


def test_only_the_latest_requests_are_remembered():
    workspace = Workspace(WORKSPACE, SLUG, handled_requests=tuple(map(str, range(256))))
    told = book(a_failed_row(), workspace=workspace).tell(ASKED).tell(WRITTEN)
    remembered = told.state.workspace.handled_requests
    assert (len(remembered), remembered[0], remembered[-1]) == (256, "1", R)


def test_an_engine_that_leaves_takes_nothing_up():
    told = book(a_failed_row(), others=[a_launching_row("c")]).tell(StopRequested(reason=StopReason.INTERRUPT))
    told.tell(ASKED).changes_nothing()


def test_a_verdict_of_earlier_work_is_taken_back():
    plan = a_plan("a", a_verifier("v", "a"), "other")
    verdict = Verdict("v", Verification.VERIFIER_FAILED, None, moment())
    row = a_handed_off_row(
        handoff_status=HandoffStatus.BLOCKED, verdicts=(verdict,), verification=Verification.VERIFIER_FAILED
    )
    verifier = a_handed_off_row("v", type=TaskType.VERIFIER, depends_on=("a",))
    told = book(row, plan=plan, others=[verifier]).tell(ASKED).tell(WRITTEN)
    told.leaves(verdicts=(), verification=None)


def test_a_verifier_that_failed_can_be_accepted_and_says_nothing_of_its_target():
    plan = a_plan("a", a_verifier("v", "a"), a_task("b", depends_on=("v",)), "other")
    verifier = a_failed_row(name="v", type=TaskType.VERIFIER, depends_on=("a",))
    told = book(a_handed_off_row(), plan=plan, others=[verifier])
    told.tell(replace(ASKED, task="v")).tell(replace(WRITTEN, task="v")).launches("b")
    told.leaves("a", verdicts=(), verification=None)


def test_the_run_ends_when_the_last_task_was_accepted_and_the_answer_is_written():
    state = a_state(a_plan("a"), a_failed_row(), settings=DRAIN)
    assert state.session.exit_code == 1
    state = an_unread_state(a_failed_row(), settings=DRAIN)
    told = Playbook(state).tell(EngineStarted(engine="e", requests=(R,)))
    told.tell(PlanRead(plan=a_plan("a"))).asks()
    told.tell(ASKED).tell(WRITTEN)
    assert told.effects(EndRun) == []
    told.tell(seen(branch="ana/a", attempt=told.row().attempts))
    told.tell(RequestAnswered(request=R)).asks(EndRun(exit_code=0))


def test_a_request_that_cannot_be_met_is_answered():
    told = book(a_failed_row()).tell(RequestUnmet(request=R, code="unknown_request", message="what?", hint="update"))
    assert answers(told) == [InboxAnswer(R, is_done=False, code="unknown_request", message="what?", hint="update")]


def test_a_file_that_is_no_request_is_told_and_answered_where_it_was_meant_as_one():
    told = book(a_failed_row()).tell(FileSetAside(message="inbox/x is no request"))
    assert (told.attention(), answers(told)) == (["inbox/x is no request"], [])
    told.tell(FileSetAside(message="inbox/y is no request", request=R))
    assert [answer.code for answer in answers(told)] == ["no_request"]


def test_an_answer_that_could_not_be_written_is_told_and_not_waited_for():
    told = book(a_failed_row()).tell(ASKED).tell(WRITTEN)
    told.tell(RequestAnswered(request=R, message="inbox is a symlink"))
    assert told.attention() == [f"request {R} could not be answered: inbox is a symlink"]
    assert not told.state.session.requests


def test_a_bug_of_ours_keeps_no_run_open():
    told = book(a_failed_row()).tell(ASKED)
    told.tell(EffectFailed(effect="WriteAcceptance", message="a bug", task="a", request=R))
    assert told.attention() == ["a fault of this program in WriteAcceptance of a: a bug"]
    assert not told.state.session.requests
    told.tell(EffectFailed(effect="AnswerRequest", message="a bug", request=R)).leaves(status=TaskStatus.ERROR)
