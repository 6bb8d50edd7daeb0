"""The plan's bounds on money and agents: what a launch sets aside, when it waits, and what is told."""

from dataclasses import replace

import pytest

from orchestrate.core.budgets import Bound, bound_ahead, has_bounds, last_words, money_of
from orchestrate.core.effects import AskUsage, EndRun, SetTimer
from orchestrate.core.events import AccessLost, AgentLaunched, LaunchRefused, PlanRead, RunEnded
from orchestrate.core.follow_up_events import FollowUpRefused, FollowUpSent, RunsSeen, SteerRequested
from orchestrate.core.usage_events import UsageAnswered
from orchestrate.model.money import Money
from orchestrate.model.rows import Workspace
from orchestrate.model.vocabulary import FailureMode, RunStatus, TaskStatus
from tests.support.builders import (
    SLUG,
    WORKSPACE,
    a_charge,
    a_handed_off_row,
    a_plan,
    a_reply,
    a_row,
    a_running_row,
    a_task,
    a_verifier,
    agent_of,
    an_unread_state,
    run_of,
    seen,
)
from tests.support.messages import M1, a_message
from tests.support.playbook import Playbook

STEER = SteerRequested(request=M1, task="a", digest="0" * 64, by="ana")


def read(plan, *rows, **fields) -> Playbook:
    return Playbook(an_unread_state(*rows, **fields)).tell(PlanRead(plan=plan))


def launched(task: str, attempt: int = 1) -> AgentLaunched:
    agent = agent_of(task, attempt)
    return AgentLaunched(task=task, agent_id=agent, answered_id=agent, run_id=run_of(task, attempt))


def ended(task: str, attempt: int = 1, status: RunStatus = RunStatus.FINISHED, **fields) -> RunEnded:
    return RunEnded(task=task, run_id=run_of(task, attempt), status=status, reply=a_reply(task), **fields)


def cost(task: str, cents: float | None, attempt: int = 1) -> UsageAnswered:
    return UsageAnswered(task=task, attempt=attempt, run_id=run_of(task, attempt), cents=cents)


def test_a_launch_waits_when_it_would_bring_what_is_set_aside_over_the_budget():
    book = read(a_plan("a", "b", "c", limits={"budgetCents": 1000})).launches("a", "b")
    assert money_of(book.state) == Money(spent=0, reserved=1000, agents=2, budget=1000)
    assert book.attention() == [
        "the budget of $10.00 has no room for another agent ($0.00 spent, $10.00 set aside for agents whose cost is not"
        " known); nothing new starts, 2 agents go on. To go on, set limits.budgetCents in plan.json to 1500 or more; it"
        " is read at once."
    ]


def test_a_budget_is_told_once_and_another_one_anew():
    plan = a_plan("a", "b", "c", limits={"budgetCents": 500})
    book = read(plan).launches("a").tell(launched("a"))
    assert book.attention() == []
    book.tell(PlanRead(plan=a_plan("a", "b", "c", limits={"budgetCents": 1000}))).launches("b")
    assert [line[:22] for line in book.attention()] == ["the budget of $10.00 h"]


def test_the_plan_says_what_is_set_aside_until_a_cost_is_known():
    limits = {"budgetCents": 100, "reserveCents": 40}
    plan = a_plan("a", a_task("b", dependsOn=["a"]), a_task("c", dependsOn=["a"]), "d", limits=limits)
    book = read(plan).launches("a", "d").tell(launched("a")).tell(launched("d"))
    book.tell(cost("a", 9.5)).leaves("a", charges=(a_charge("a", reserved=40.0, cents=9.5),))
    book.tell(ended("a")).launches("b", "c")
    assert money_of(book.state) == Money(spent=9.5, reserved=40 + 2 * 9.5, agents=4, budget=100)


def test_each_type_has_a_dearest_cost_of_its_own():
    known = a_handed_off_row("a", charges=(a_charge("a", cents=30.0),))
    book = read(a_plan("a", "b", a_verifier("v", of="a"), limits={"budgetCents": 10_000}), known)
    book.tell(seen("a"))
    reserved = {row.name: row.charges[0].reserved for row in book.state.rows.values()}
    assert reserved == {"a": 500.0, "b": 30.0, "v": 500.0}


def test_what_is_spent_counts_after_a_restart_and_where_only_the_rows_know_it():
    plan, row = a_plan("a", "b", limits={"budgetCents": 600}), a_handed_off_row("a", charges=(a_charge("a", cents=30),))
    spent = Workspace(WORKSPACE, SLUG, spent=100.0)
    assert money_of(read(plan, row).launches("b").state).spent == 30
    assert money_of(read(plan, workspace=spent).launches("a").state).spent == 100


def test_an_agent_too_many_is_not_launched_and_retries_count():
    plan = a_plan(a_task("a", retry={"attempts": 3, "on": ["oom"]}), "b", limits={"maxAgents": 2})
    book = read(plan).launches("a", "b").tell(launched("a")).tell(launched("b"))
    book.tell(ended("a", status=RunStatus.ERROR, failure_mode=FailureMode.OOM)).launches()
    book.tell(seen("a", branch=f"orch/{SLUG}/a", sha=None)).leaves("a", status=TaskStatus.PENDING, attempts=1)
    assert bound_ahead(book.state) is Bound.AGENTS
    assert book.attention()[-1] == (
        "limits.maxAgents of 2 is reached; nothing new starts, 1 agent goes on. To go on, set limits.maxAgents in"
        " plan.json to 3 or more; it is read at once."
    )
    book.tell(cost("a", 5)).tell(cost("b", 5)).tell(ended("b")).tell(seen("b"))
    assert book.effects(EndRun) == [EndRun(exit_code=1, cause=book.effects(EndRun)[0].cause)]
    assert book.attention() == [last_words(book.state)]


def test_a_message_sets_aside_what_its_run_may_cost_until_the_service_tells_the_sum():
    row = a_handed_off_row("a", charges=(a_charge("a", cents=40.0),))
    plan, spent = a_plan("a", "b", limits={"budgetCents": 1000}), Workspace(WORKSPACE, SLUG, spent=40.0)
    book = read(plan, row, a_running_row("b", charges=(a_charge("b"),)), workspace=spent).tell(STEER)
    assert money_of(book.state) == Money(spent=40, reserved=540, agents=2, budget=1000)
    book.tell(RunsSeen(task="a", message_id=M1, step=1, newest=run_of("a")))
    book.tell(FollowUpSent(task="a", message_id=M1, step=2, run_id=run_of("a", 2)))
    assert money_of(book.state).reserved == 540
    book.tell(ended("a", 2)).tell(replace(cost("a", 40), run_id=run_of("a")))
    assert money_of(book.state).reserved == 540
    book.tell(replace(cost("a", 70), run_id=run_of("a", 2)))
    assert money_of(book.state) == Money(spent=70, reserved=500, agents=2, budget=1000)


def test_a_message_waits_when_its_run_would_bring_what_is_set_aside_over_the_budget():
    row = a_handed_off_row("a", charges=(a_charge("a", cents=40.0),))
    plan, spent = a_plan("a", "b", "c", limits={"budgetCents": 500}), Workspace(WORKSPACE, SLUG, spent=40.0)
    book = read(plan, row, a_running_row("b", charges=(a_charge("b", reserved=430.0),)), workspace=spent).tell(STEER)
    book.leaves("a", status=TaskStatus.HANDED_OFF).leaves("c", status=TaskStatus.PENDING)
    assert book.attention() == ["ana has a message for a; it is sent once the budget has room for it."]
    assert last_words(book.state) == (
        "the budget of $5.00 has no room for the message to a ($0.40 spent, $4.30 set aside for agents whose cost is"
        " not known). To go on, set limits.budgetCents in plan.json to 510 or more; it is read at once."
    )
    book.tell(ended("b")).tell(cost("b", 35)).leaves("a", status=TaskStatus.RUNNING)


def test_where_an_agent_has_no_charge_a_message_brings_one():
    book = read(a_plan("a", "b"), a_handed_off_row("a"), a_running_row("b")).tell(STEER)
    assert book.row("a").charges == (a_charge("a", follow_ups=500.0),)


def test_a_message_that_begins_no_run_sets_nothing_aside():
    row = a_handed_off_row("a", charges=(a_charge("a", cents=40.0),))
    book = read(a_plan("a", "b"), row, a_running_row("b")).tell(STEER)
    assert book.row("a").charges[0].set_aside == 40.0
    book.tell(FollowUpRefused(task="a", message_id=M1, step=1, code="x", message="No."))
    book.leaves("a", charges=row.charges, queue=(), status=TaskStatus.HANDED_OFF)


def test_a_message_whose_turn_comes_waits_for_money_and_its_task_stands_where_its_run_left_it():
    for status, left in ((RunStatus.FINISHED, TaskStatus.HANDED_OFF), (RunStatus.ERROR, TaskStatus.ERROR)):
        plan = a_plan("a", a_task("b", depends_on=("a",)), limits={"budgetCents": 600})
        row = a_running_row("a", charges=(a_charge("a"),), queue=(a_message(),))
        book = read(plan, row).tell(ended("a", status=status)).leaves("a", status=left)
        assert book.row("a").queue
        book.tell(cost("a", 60)).leaves("a", status=TaskStatus.RUNNING).leaves("b", status=TaskStatus.PENDING)
        book.tell(FollowUpRefused(task="a", message_id=M1, step=1, code="x", message="No.")).leaves("a", status=left)


def test_only_the_budget_holds_the_run_and_it_ends_with_1_and_says_what_to_do():
    book = read(a_plan("a", "b", limits={"budgetCents": 600, "reserveCents": 600})).launches("a")
    book.tell(launched("a")).tell(ended("a"))
    assert [effect.agent_id for effect in book.effects(AskUsage)] == [agent_of("a")]
    book.tell(seen("a")).tell(cost("a", 550)).asks(EndRun(exit_code=1))
    assert book.attention() == [
        "the budget of $6.00 has no room for another agent ($5.50 spent, $0.00 set aside for agents whose cost is not"
        " known). To go on, set limits.budgetCents in plan.json to 1100 or more; it is read at once."
    ]


def test_a_cost_that_makes_room_lets_the_run_go_on():
    book = read(a_plan("a", "b", limits={"budgetCents": 600})).launches("a").tell(launched("a")).tell(ended("a"))
    book.launches().tell(cost("a", None)).launches()
    assert [effect.delay_seconds for effect in book.effects(SetTimer) if effect.timer.kind == "usage"] == [1.0]
    book.tell(cost("a", 20)).launches("b")


@pytest.mark.parametrize("refusal", ["refused", "no access"])
def test_a_launch_of_which_nothing_was_made_gives_back_what_it_set_aside(refusal):
    book = read(a_plan("a", limits={"budgetCents": 500})).launches("a")
    agent = agent_of("a")
    if refusal == "refused":
        book.tell(LaunchRefused(task="a", agent_id=agent, message="no."))
    else:
        book.tell(AccessLost(task="a", agent_id=agent, message="no."))
    book.leaves("a", charges=())
    assert money_of(book.state).reserved == 0


def test_another_id_that_the_service_chose_is_the_one_that_costs():
    book = read(a_plan("a")).tell(replace(launched("a"), answered_id=agent_of("other")))
    assert book.row().charges == (a_charge("a", agent_id=agent_of("other")),)


def test_agents_of_before_there_were_charges_are_charged_under_a_bound():
    rows = [a_handed_off_row("a"), a_row("b", status=TaskStatus.ERROR, attempts=1)]
    book = read(a_plan("a", "b", "c", limits={"maxAgents": 1}), *rows).launches()
    book.leaves("a", charges=(a_charge("a"),)).leaves("b", charges=())
    assert read(a_plan("a", "b", "c"), *rows).launches("c").row("a").charges == ()


def test_without_bounds_nothing_waits():
    assert not has_bounds(read(a_plan("a")).state)
    assert has_bounds(read(a_plan("a", limits={"budgetCents": 0})).state)
    assert has_bounds(read(a_plan("a", limits={"maxAgents": 1})).state)
    assert last_words(read(a_plan("a")).state) is None


def test_a_budget_of_nothing_launches_nothing():
    book = read(a_plan("a", limits={"budgetCents": 0})).launches()
    assert book.effects(EndRun)
    assert "set limits.budgetCents in plan.json to 500 or more" in book.attention()[-1]
