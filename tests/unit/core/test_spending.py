"""Asking for costs: after the end of a run, again because costs lag, and by the next engine."""

from dataclasses import replace

from orchestrate.core.changes import Settings
from orchestrate.core.effects import AskUsage, EndRun, SetTimer, WatchRun
from orchestrate.core.events import EffectFailed, PlanRead, RunEnded, RunMissing, Timer, TimerFired, TimerKind
from orchestrate.core.usage_events import UsageAnswered
from orchestrate.model.vocabulary import RunStatus, TaskStatus
from tests.support.builders import (
    a_charge,
    a_handed_off_row,
    a_plan,
    a_reply,
    a_row,
    a_running_row,
    agent_of,
    an_unread_state,
    moment,
    run_of,
    seen,
)
from tests.support.playbook import Playbook

BOUND = {"limits": {"budgetCents": 10_000}}
#: Seconds after which only the budget is left to hold a run.
PATIENT = Settings(max_concurrent=8, cost_patience_seconds=5.0)
ASKED = AskUsage(task="a", attempt=1, agent_id=agent_of("a"), run_id=run_of("a"))
TIMER = Timer(TimerKind.USAGE, "a", 1)


def running(*names: str, settings=None, **fields) -> Playbook:
    rows = [a_running_row(name, charges=(a_charge(name),)) for name in names]
    return Playbook(an_unread_state(*rows, settings=settings)).tell(PlanRead(plan=a_plan(*names, **fields)))


def ended(task: str = "a", status: RunStatus = RunStatus.FINISHED) -> RunEnded:
    return RunEnded(task=task, run_id=run_of(task), status=status, reply=a_reply(task))


def answer(cents: float | None = None, *, task: str = "a", tokens: int | None = None) -> UsageAnswered:
    return UsageAnswered(task=task, attempt=1, run_id=run_of(task), cents=cents, tokens=tokens)


def pauses(book: Playbook) -> list[float]:
    return [effect.delay_seconds for effect in book.effects(SetTimer) if effect.timer == TIMER]


def test_under_a_budget_the_end_of_the_engine_waits_for_the_first_answer():
    book = running("a", **BOUND).tell(ended())
    assert book.effects(AskUsage)
    assert not book.effects(EndRun)
    assert not book.tell(seen()).effects(EndRun)
    book.tell(answer(92.5, tokens=7)).asks(EndRun(exit_code=0))
    book.leaves(charges=(a_charge("a", cents=92.5, tokens=7),))
    assert book.state.workspace.spent == 92.5


def test_without_a_budget_the_end_waits_for_no_cost():
    book = running("a").tell(ended())
    assert book.effects(AskUsage)
    book.tell(seen()).asks(EndRun(exit_code=0))


def test_a_run_that_nobody_knows_any_more_is_asked_for_too():
    book = running("a", "b").tell(RunMissing(task="a", run_id=run_of("a"), message="gone."))
    assert [effect.task for effect in book.effects(AskUsage)] == ["a"]


def test_the_end_does_not_wait_for_a_cost_that_is_not_known_yet():
    book = running("a", **BOUND).tell(ended()).tell(seen())
    book.tell(answer()).asks(SetTimer(timer=TIMER, delay_seconds=1.0), EndRun(exit_code=0))


def test_the_pauses_between_two_questions_grow():
    book, found = running("a", "b", **BOUND).tell(ended()), []
    for _ in range(11):
        found += pauses(book.tell(answer()))
        book.tell(TimerFired(timer=TIMER)).asks(ASKED)
    assert found == [1, 2, 4, 8, 16, 32, 64, 128, 300, 300, 300]


def test_without_a_budget_it_is_asked_three_times_and_then_left():
    book = running("a", "b").tell(ended())
    assert pauses(book.tell(answer())) == [60.0]
    assert pauses(book.tell(TimerFired(timer=TIMER)).tell(answer())) == [300.0]
    book.tell(TimerFired(timer=TIMER)).tell(answer()).asks()
    book.tell(TimerFired(timer=TIMER)).changes_nothing()


def test_a_service_that_told_no_cost_is_asked_for_a_few_attempts_only():
    names = [f"t{number}" for number in range(10)]
    book, asked_for = running(*names, "last"), []
    for name in names:
        asked_for += [effect.task for effect in book.tell(ended(name)).effects(AskUsage)]
    assert asked_for == names[:8]


def test_the_first_cost_that_is_told_has_the_others_asked_for():
    names = [f"t{number}" for number in range(10)]
    book = running(*names, "c", "last")
    for name in names:
        book.tell(ended(name))
    book.tell(answer(0.0, task="t3"))
    assert [effect.task for effect in book.effects(AskUsage)] == ["t8", "t9"]
    assert [effect.task for effect in book.tell(ended("c")).effects(AskUsage)] == ["c"]


def test_with_a_budget_every_attempt_is_asked_for_however_little_was_told():
    names = [f"t{number}" for number in range(10)]
    book = running(*names, "last", **BOUND)
    assert all(book.tell(ended(name)).effects(AskUsage) for name in names)


def test_a_bound_on_agents_alone_asks_for_no_cost_of_before():
    book = Playbook(an_unread_state(a_handed_off_row("a", charges=(a_charge("a"),)), a_row("b")))
    assert not book.tell(PlanRead(plan=a_plan("a", "b", limits={"maxAgents": 9}))).effects(AskUsage)


def test_an_answer_that_comes_twice_sets_one_timer():
    book = running("a", "b").tell(ended()).tell(answer())
    book.tell(answer()).changes_nothing()
    book.tell(TimerFired(timer=TIMER)).asks(ASKED).tell(TimerFired(timer=TIMER)).changes_nothing()


def test_a_cost_may_grow_and_never_becomes_less():
    book = running("a", "b").tell(ended()).tell(answer(10.0, tokens=5))
    book.tell(answer(12.0)).leaves(charges=(a_charge("a", cents=12.0, tokens=5),))
    book.tell(answer(3.0)).leaves(charges=(a_charge("a", cents=12.0, tokens=5),))
    book.tell(answer()).leaves(charges=(a_charge("a", cents=12.0, tokens=5),))
    assert book.state.workspace.spent == 12.0


def test_what_nobody_asked_for_changes_nothing():
    book = running("a")
    book.tell(answer(5.0, task="zz")).changes_nothing()
    book.tell(answer()).changes_nothing()
    book.tell(TimerFired(timer=TIMER)).changes_nothing()
    book.tell(TimerFired(timer=Timer(TimerKind.USAGE, "zz", 1))).changes_nothing()
    book.tell(TimerFired(timer=Timer(TimerKind.USAGE))).changes_nothing()


def test_the_budget_waits_for_costs_only_so_long():
    plan = a_plan("a", "b", limits={"budgetCents": 500})
    row = a_running_row("a", charges=(a_charge("a"),))
    book = Playbook(an_unread_state(row, settings=PATIENT)).tell(PlanRead(plan=plan)).tell(ended()).tell(seen())
    assert not book.tell(answer()).effects(EndRun)
    book.tell(TimerFired(timer=TIMER)).tell(replace(answer(), at=moment(60)))
    assert book.effects(EndRun)
    book.leaves("b", status=TaskStatus.PENDING)


def test_a_later_engine_does_not_wait_anew_for_a_cost_that_was_waited_for():
    plan, row = a_plan("a", "b", limits={"budgetCents": 500}), a_handed_off_row("a", charges=(a_charge("a"),))
    book = Playbook(an_unread_state(row, settings=PATIENT))
    book.tell(PlanRead(plan=plan, at=moment(60))).asks(ASKED)
    assert book.tell(replace(answer(), at=moment(61))).effects(EndRun)


def test_the_next_engine_asks_for_what_is_not_known():
    rows = [
        a_handed_off_row("a", charges=(a_charge("a"),)),
        a_handed_off_row("b", charges=(a_charge("b", cents=5.0),)),
        a_running_row("c", attempt=2, charges=(a_charge("c"), a_charge("c", attempt=2))),
    ]
    book = Playbook(an_unread_state(*rows)).tell(PlanRead(plan=a_plan("a", "b", "c", **BOUND)))
    assert [(effect.task, effect.attempt) for effect in book.effects(AskUsage)] == [("a", 1), ("c", 1)]
    assert book.effects(WatchRun)
    assert not book.tell(PlanRead(plan=a_plan("a", "b", "c", **BOUND))).effects(AskUsage)


def test_the_next_engine_asks_nothing_without_a_bound():
    book = Playbook(an_unread_state(a_handed_off_row("a", charges=(a_charge("a"),)), a_row("b")))
    assert not book.tell(PlanRead(plan=a_plan("a", "b"))).effects(AskUsage)


def test_an_engine_that_only_answers_asks_nothing():
    settings = Settings(max_concurrent=1, answers_only=True)
    row = a_handed_off_row("a", charges=(a_charge("a"),))
    Playbook(an_unread_state(row, settings=settings)).tell(PlanRead(plan=a_plan("a", **BOUND))).asks(
        EndRun(exit_code=0)
    )


def test_a_question_that_could_not_be_asked_holds_nobody_up():
    book = (
        running("a", **BOUND)
        .tell(ended())
        .tell(seen())
        .tell(EffectFailed(effect="AskUsage", task="a", message="a bug"))
    )
    book.asks(EndRun(exit_code=0))
    assert book.attention() == ["a fault of this program in AskUsage of a: a bug"]
