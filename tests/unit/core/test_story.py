"""What the journal tells of a task, in sentences."""

from dataclasses import replace

import pytest

from orchestrate.core.changes import AttentionRaised, RowChanged, Settings
from orchestrate.core.events import (
    AccessLost,
    AgentLaunched,
    AgentNotFound,
    EffectFailed,
    Event,
    LaunchDelayed,
    LaunchOutcomeUnknown,
    LaunchRefused,
    PathsChecked,
    PlanRead,
    RunEnded,
    RunMissing,
    RunStalled,
    RunStirred,
    Timer,
    TimerFired,
    TimerKind,
)
from orchestrate.core.facts import facts_of
from orchestrate.core.machine import step
from orchestrate.core.ref_events import RefsSeen, SeenRef
from orchestrate.core.request_events import AcceptanceWritten
from orchestrate.core.story import Line, story_of
from orchestrate.core.usage_events import UsageAnswered
from orchestrate.model.names import EngineId
from orchestrate.model.records import Record
from orchestrate.model.rows import Attention, PathFinding
from orchestrate.model.vocabulary import FailureMode, LaunchDelay, PathRule, RunStatus, TaskStatus, Verification
from tests.support.builders import (
    SLUG,
    a_handed_off_row,
    a_launching_row,
    a_plan,
    a_reply,
    a_row,
    a_running_row,
    a_task,
    a_verifier,
    agent_of,
    an_empty_reply,
    an_unread_state,
    moment,
    run_of,
    seen,
)

SETTINGS = Settings(max_concurrent=8, drain=True)


def told(*events: Event, plan=None, rows=(), task: str = "a", settings: Settings = SETTINGS) -> list[str]:
    """The story that the machine's own records of these events tell; without its beginning if rows were loaded."""
    state = an_unread_state(*rows, settings=settings)
    records = [_record(Event(), rows=tuple(rows))] if rows else []
    for second, event in enumerate([PlanRead(plan=plan or a_plan("a")), *events]):
        stamped = replace(event, at=event.at or moment(second), id=f"e{second}")
        state, decision = step(state, stamped)
        changed = {each.row.name: each.row for each in decision.changes if isinstance(each, RowChanged)}
        lines = [Attention(stamped.at, each.message) for each in decision.changes if isinstance(each, AttentionRaised)]
        records.append(_record(stamped, rows=tuple(changed.values()), attention=tuple(lines)))
    return [line.text for line in story_of(records, task)][len(rows) and 1 :]


def _record(event: Event, **fields) -> Record:
    return Record(seq=1, engine=EngineId("e"), at=event.at or moment(), event=facts_of(event), **fields)


def launched(**fields) -> AgentLaunched:
    return AgentLaunched(
        task="a", agent_id=agent_of("a"), **{"answered_id": agent_of("a"), "run_id": run_of("a"), **fields}
    )


def unknown(at: float, **fields) -> LaunchOutcomeUnknown:
    return LaunchOutcomeUnknown(task="a", agent_id=agent_of("a"), message="no answer", at=moment(at), **fields)


def ended(task: str = "a", status: RunStatus = RunStatus.FINISHED, **fields) -> RunEnded:
    reply = a_reply(task) if status == RunStatus.FINISHED else an_empty_reply(task)
    return RunEnded(task=task, run_id=run_of(task), status=status, **{"reply": reply, **fields})


def not_found(**fields) -> AgentNotFound:
    return AgentNotFound(task="a", agent_id=agent_of("a"), **fields)


ASKED = "launch 1 asked for, starting from main"
NOWHERE = "there is no agent of that id; the same request goes out again"


def test_the_plain_life_of_a_task():
    reply = a_reply(verification=Verification.UNIT_TEST_VERIFIED)
    assert told(launched(), ended(reply=reply)) == [
        "in the plan",
        ASKED,
        "running",
        "handed off, success, on cursor/a-1f2a; verification: unit-test-verified",
    ]


def test_each_sentence_has_its_moment():
    records = [_record(PlanRead(plan=a_plan("a"), at=moment(7)), rows=(a_row(),))]
    assert story_of(records, "a") == (Line(moment(7), "in the plan"),)


def test_a_task_tells_what_it_waited_for_and_where_it_starts():
    plan = a_plan("x", "y", "z", a_task("a", depends_on=("x", "y", "z"), startingRef="orch/shop/x"))
    rows = (a_running_row("x"), a_running_row("y"), a_running_row("z"))
    assert (
        told(ended("x"), ended("y"), ended("z"), seen("x"), plan=plan, rows=rows)
        == [
            "in the plan; waits for x, y and z",
            "starts from cursor/x-1f2a now, the branch of x",
            "ready: x, y and z had handed off",
            "launch 1 asked for, starting from cursor/x-1f2a",
        ][1:]
    )


def test_silence_and_a_look_up():
    assert told(unknown(30), launched(adopted=True))[1:] == [
        ASKED,
        "no answer for 30s; looking the agent up by its id",
        "looked up by its id: it is there; running",
    ]


def test_a_request_that_never_arrived():
    due = TimerFired(timer=Timer(TimerKind.RELAUNCH, "a", 1), at=moment(200))
    story = told(
        unknown(90),
        not_found(at=moment(101), delays=1),
        unknown(131, delays=2),
        due,
        not_found(at=moment(211), delays=3),
    )
    assert story[2:5] == [
        "no answer for 1m 30s; looking the agent up by its id",
        NOWHERE,
        "no answer for 30s; the agent is looked up by its id after 5s",
    ]
    assert story[5] == "looking the agent up by its id again"
    assert story[6].startswith(f"{NOWHERE} after ")


def test_a_conflict_names_its_code():
    story = told(unknown(1, code="agent_id_conflict"), not_found(code="agent_id_conflict", delays=1))
    assert story[2] == "the service answered agent_id_conflict; looking the agent up by its id"
    assert story[3] == "is error now"


@pytest.mark.parametrize(
    ("delay", "words"),
    [
        (LaunchDelay.CAPACITY, "the service takes no more agents now"),
        (LaunchDelay.QUOTA, "the account's quota is used up"),
        (LaunchDelay.RATE_LIMIT, "the service asks for fewer calls"),
        (LaunchDelay.UNREACHABLE, "the service cannot be reached"),
        (LaunchDelay.UNKNOWN_OUTCOME, "later"),
    ],
)
def test_a_delay_says_why_and_that_no_try_was_counted(delay, words):
    later = LaunchDelayed(task="a", agent_id=agent_of("a"), delay=delay, message="x", retry_after_seconds=3600)
    is_held = delay in (LaunchDelay.CAPACITY, LaunchDelay.QUOTA)
    due = Timer(TimerKind.TURN) if is_held else Timer(TimerKind.RELAUNCH, "a", 1)
    story = told(later, TimerFired(timer=due))
    assert story[2] == f"{words}; no try was counted, asked again after 1h 00m"
    again = (
        "looking the agent up by its id again"
        if delay == LaunchDelay.UNKNOWN_OUTCOME
        else "the same request goes out again"
    )
    assert story[3] == again


def test_a_refusal_says_that_no_agent_was_made():
    refused = LaunchRefused(task="a", agent_id=agent_of("a"), message="unknown model.")
    assert told(refused)[-1] == "error before launch: unknown model. No agent was made"


def test_another_agent_than_the_one_asked_for_is_named():
    assert told(launched(answered_id="bc-other"))[-1] == "running, as another agent than the one asked for: bc-other"


def test_a_refused_key():
    lost = AccessLost(task="a", agent_id=agent_of("a"), message="no")
    assert told(lost)[-1] == "the key was refused: nothing was launched"
    assert told(unknown(5), lost)[-1] == "the key was refused: the next engine with a good key looks the agent up"


def test_silence_of_a_run():
    stalled = RunStalled(task="a", run_id=run_of("a"), since=moment(2), last_activity="pytest")
    stirred = RunStirred(task="a", run_id=run_of("a"), at=moment(302))
    assert told(launched(), stalled, stirred)[-2:] == [
        f"silent since {moment(2)[11:19]}, last: pytest; it was not stopped",
        "went on after 5m 00s of silence",
    ]
    assert told(launched(), replace(stalled, last_activity=None))[-1].endswith(
        f"{moment(2)[11:19]}; it was not stopped"
    )


def test_what_a_try_cost():
    done = [launched(), ended(), UsageAnswered(task="a", attempt=1, cents=92.4)]
    assert told(*done, plan=a_plan("a", "b"))[-1] == "try 1 cost $0.92"


def test_a_cost_in_a_journal_of_another_version_is_passed_over():
    record = _record(UsageAnswered(task="a", attempt=1), rows=(a_row(),))
    assert [line.text for line in story_of([record], "a")] == ["is pending now"]


def test_an_error_and_what_follows():
    failed = ended(status=RunStatus.ERROR, message="usage limit", failure_mode=FailureMode.CAP_HIT)
    assert told(launched(), failed)[-1] == "ended in error: usage limit (cap-hit). Not tried again"
    at_once = a_plan(a_task("a", retry={"attempts": 2, "on": ["cap-hit"]}))
    seen = RefsSeen(refs=(SeenRef("a", 1, f"orch/{SLUG}/a"),))
    assert told(launched(), failed, seen, plan=at_once)[-2:] == [
        "ended in error: usage limit (cap-hit). Tried again at once",
        "launch 2 asked for, starting from main",
    ]
    later = a_plan(a_task("a", retry={"attempts": 2, "on": ["cap-hit"], "backoffSec": 60}))
    due = TimerFired(timer=Timer(TimerKind.RETRY, "a", 1))
    assert told(launched(), failed, due, plan=later)[-2:] == [
        "ended in error: usage limit (cap-hit). Tried again after 1m 00s",
        "launch 2 asked for, starting from main",
    ]


def test_an_error_without_words():
    assert told(launched(), ended(status=RunStatus.EXPIRED))[-1] == (
        "ended in error: no reason was given (unknown). Not tried again"
    )
    assert told(launched(), ended(reply=an_empty_reply()))[-1] == (
        "ended in error: it wrote nothing (unknown). Not tried again"
    )


def test_a_handoff_without_branch_and_status():
    assert told(launched(), ended(reply=a_reply(branch=None, status=None)))[-1] == (
        "handed off, without a status, with nothing pushed; verification: none"
    )


def test_a_cancel_at_the_deadline():
    due = TimerFired(timer=Timer(TimerKind.DEADLINE, "a", 1), at=moment(61))
    story = told(launched(), due, ended(status=RunStatus.CANCELLED), plan=a_plan(a_task("a", timeoutSec=60)))
    words = "its deadline of 60 s was reached; it was cancelled"
    assert story[-2:] == [words, f"cancelled: {words}"]


def test_a_run_that_is_not_there_any_more():
    missing = RunMissing(task="a", run_id=run_of("a"), message="no such run.")
    assert told(launched(), missing)[-1].startswith("error: no such run. Its work")


def test_a_fault_of_our_own():
    fault = EffectFailed(effect="LaunchAgent", task="a", message="KeyError")
    assert told(fault)[-1] == "a fault of this program in LaunchAgent: KeyError; the next engine takes it up"
    watch = EffectFailed(effect="WatchRun", task="a", message="KeyError")
    assert told(launched(), watch)[-1] == "a fault of this program in WatchRun of a: KeyError"


def test_a_plan_that_changes():
    plan = a_plan("x", "y", a_task("a", depends_on=("x",)))
    plans = [a_plan("x", "y", a_task("a", depends_on=("x", "y"))), a_plan("x", "y", "a"), a_plan("x", "y"), plan]
    rows = (a_running_row("x"), a_running_row("y"))
    story = told(*[PlanRead(plan=each) for each in plans], plan=plan, rows=rows, settings=Settings(max_concurrent=2))
    assert story == [
        "the plan changed: waits for x and y",
        "the plan changed: waits for nothing",
        "left the plan before it was launched",
        "in the plan again; waits for x",
    ]


def test_a_task_that_the_new_plan_lets_start_says_so():
    plan = a_plan("x", a_task("a", depends_on=("x",)))
    assert told(PlanRead(plan=a_plan("x", "a")), plan=plan, rows=(a_running_row("x"),)) == [ASKED]


def test_a_new_engine_looks_up_what_has_no_answer():
    row = a_launching_row("a")
    assert told(rows=(row,)) == ["a new engine looks the agent up by its id"]


def test_verdicts_are_told_where_they_are_about():
    plan = a_plan("a", a_verifier("v", of="a"), a_verifier("w", of="a"))
    rows = (a_handed_off_row("a"), a_running_row("v"), a_running_row("w"))
    good = ended("v", reply=a_reply("v", verification=Verification.LIVE_UI_VERIFIED))
    assert told(good, ended("w"), plan=plan, rows=rows) == [
        "verdict of v: live-ui-verified",
        "verdict of w: unreadable, it does not count",
    ]


def test_an_event_of_a_version_that_we_do_not_know_tells_the_step():
    records = [
        Record(seq=1, engine=EngineId("e"), at=moment(), event={"type": "Novelty"}, rows=(a_row(),)),
        Record(seq=2, engine=EngineId("e"), at=moment(1), event={"type": 7}, rows=(a_running_row(launch=None),)),
        Record(seq=3, engine=EngineId("e"), at=moment(2), event={}, rows=(a_running_row(launch=None, note="x"),)),
        Record(
            seq=4, engine=EngineId("e"), at=moment(3), event={"type": "TimerFired", "timer": "odd"}, rows=(a_row(),)
        ),
    ]
    assert [line.text for line in story_of(records, "a")] == ["is pending now", "is running now", "is pending now"]


def test_records_of_other_tasks_tell_nothing():
    assert told(launched(), task="unknown") == []


def test_who_accepted_a_task_and_on_which_branch():
    written = AcceptanceWritten(request="r", task="a", branch="ana/a", by="ana", path="handoffs/a.md")
    row = a_running_row(status=TaskStatus.ERROR)
    assert told(written, rows=[row])[-1] == "accepted by ana on ana/a"
    assert told(replace(written, note="by hand"), rows=[row])[-1] == "accepted by ana on ana/a: by hand"


def test_an_acceptance_tells_nothing_of_the_tasks_behind_it_but_their_new_start():
    written = AcceptanceWritten(request="r", task="a", branch="ana/a", by="ana", path="handoffs/a.md")
    plan = a_plan("a", a_task("b", depends_on=("a", "c"), startingRef="orch/shop/a"), "c")
    rows = [a_running_row(status=TaskStatus.ERROR), a_running_row("c")]
    assert told(written, plan=plan, rows=rows, task="b")[-1] == "starts from ana/a now, the branch of a"


def test_files_that_were_not_to_be_changed():
    plan = a_plan(a_task("a", pathsAllowed=["src"]))
    row = a_handed_off_row(pushed=True)
    found = (PathFinding("docs/a.md", PathRule.NOT_ALLOWED),)
    checked = PathsChecked(task="a", branch=row.branch)
    many, one = replace(checked, findings=found, total=3), replace(checked, findings=found, total=1)
    words = "changed {} that the plan does not give it, first of all docs/a.md (outside pathsAllowed)"
    assert told(many, plan=plan, rows=[row])[-1] == words.format("3 files")
    assert told(one, plan=plan, rows=[row])[-1] == words.format("a file")
    for silent in (checked, replace(checked, unknown="no route")):
        assert told(silent, plan=plan, rows=[row]) == told(plan=plan, rows=[row])


@pytest.mark.parametrize(
    ("look", "text"),
    [
        (seen(sha="5ea1ab5ea1ab5ea1ab"), "the remote has cursor/a-1f2a, at 5ea1ab5ea1ab"),
        (seen(sha=None), "its branch is not on the remote"),
        (seen(unknown="no route"), "its branch could not be looked up: no route"),
    ],
)
def test_what_the_remote_said_of_the_branch_is_told_once(look, text):
    rows = (a_running_row("a"), a_running_row("z"))
    assert told(ended("a"), look, plan=a_plan("a", "z"), rows=rows)[-1] == text
    assert told(ended("a"), look, look, plan=a_plan("a", "z"), rows=rows).count(text) == 1
