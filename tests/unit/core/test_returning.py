"""What subplanners are given, and what comes back of it."""

from dataclasses import replace

import pytest

from orchestrate.core.budgets import money_of, share_of
from orchestrate.core.changes import Settings
from orchestrate.core.effects import CountSubtree, EndRun, SetTimer
from orchestrate.core.events import (
    AccessLost,
    EffectFailed,
    LaunchRefused,
    PlanRead,
    RunEnded,
    Timer,
    TimerFired,
    TimerKind,
)
from orchestrate.core.grant_events import SubtreeCounted
from orchestrate.core.usage_events import UsageAnswered
from orchestrate.model.grants import Grant, Share, Used
from orchestrate.model.messages import QueuedMessage
from orchestrate.model.money import Money
from orchestrate.model.names import RequestId
from orchestrate.model.vocabulary import RunStatus, TaskStatus, TaskType
from tests.support.builders import (
    a_charge,
    a_handed_off_row,
    a_plan,
    a_reply,
    a_row,
    a_running_row,
    a_state,
    a_task,
    agent_of,
    an_unread_state,
    moment,
    run_of,
    seen,
)
from tests.support.playbook import Playbook
from tests.unit.core.test_budgets import launched

REQUEST = RequestId("22222222-2222-4222-8222-222222222222")
DUE = TimerFired(timer=Timer(TimerKind.SUBTREE, "p", 1))


def planner(name: str = "p", **fields) -> dict[str, object]:
    return a_task(name, type="subplanner", **fields)


def read(plan, *rows, **fields) -> Playbook:
    return Playbook(an_unread_state(*rows, **fields)).tell(PlanRead(plan=plan))


def ended(task: str = "p", status: RunStatus = RunStatus.FINISHED) -> RunEnded:
    return RunEnded(task=task, run_id=run_of(task), status=status, reply=a_reply(task))


def counted(agents=None, cents=None, task: str = "p", **fields) -> SubtreeCounted:
    return SubtreeCounted(task=task, attempt=1, agents=agents, cents=cents, **fields)


def question(task: str = "p", *, wants_cost: bool = False) -> CountSubtree:
    return CountSubtree(task=task, attempt=1, agent_id=agent_of(task), wants_cost=wants_cost)


def grant(book: Playbook, task: str = "p") -> Grant:
    return book.row(task).shares[-1].grant


def test_what_is_left_is_divided_among_the_subplanners_that_wait():
    plan = a_plan(planner("p"), planner("q"), "a", limits={"maxAgents": 13})
    book = read(plan).launches("p", "q", "a")
    assert (grant(book, "p").agents, grant(book, "q").agents) == (5, 5)
    assert money_of(book.state) == Money(reserved=1500, agents=13, max_agents=13, given_agents=10)


def test_money_is_divided_after_what_every_waiting_task_sets_aside():
    plan = a_plan(planner("p"), planner("q"), "a", limits={"budgetCents": 1000, "reserveCents": 100})
    book = read(plan).launches("p", "q", "a")
    assert grant(book, "p") == Grant(cents=350.0, reserve=100.0)
    assert money_of(book.state) == Money(reserved=1000, agents=3, budget=1000)


def test_the_plan_may_say_what_a_subplanner_gets():
    plan = a_plan(planner("p", maxAgents=3, budgetCents=40), planner("q"), limits={"maxAgents": 10})
    book = read(plan).launches("p", "q")
    assert grant(book, "p") == Grant(agents=3, cents=40.0, reserve=500.0)
    assert grant(book, "q").agents == 5


def test_a_share_that_the_plan_says_binds_where_nothing_else_does():
    assert grant(read(a_plan(planner("p", maxAgents=3)))).agents == 3
    assert read(a_plan(planner("p"))).row("p").shares == ()


def test_a_subplanner_waits_where_its_share_has_no_room():
    plan = a_plan("a", planner("p", maxAgents=9), limits={"maxAgents": 10})
    book = read(plan).launches("a")
    assert book.attention() == [
        "limits.maxAgents of 10 has no room for the next subplanner and its share; nothing new starts, 1 agent goes on."
        " To go on, set limits.maxAgents in plan.json to 11 or more; it is read at once."
    ]
    plan = a_plan("a", planner("p", budgetCents=100), limits={"budgetCents": 250, "reserveCents": 100})
    book = read(plan).launches("a")
    assert book.attention()[0].endswith("set limits.budgetCents in plan.json to 300 or more; it is read at once.")


def test_each_subplanner_may_launch_one_agent_at_least_or_waits():
    plan = a_plan(*(planner(f"p{number}") for number in range(3)), limits={"maxAgents": 5})
    book = read(plan).launches("p0", "p1")
    assert [book.row(name).shares[0].grant.agents for name in ("p0", "p1")] == [1, 1]
    assert "is reached" not in book.attention()[0]
    plan = a_plan(planner("p"), limits={"maxAgents": 1})
    assert read(plan).launches().attention()[0].startswith("limits.maxAgents of 1 has no room")


def test_given_agents_are_told_beside_the_limit():
    book = read(a_plan(planner("p", maxAgents=2), "a", limits={"maxAgents": 3})).launches("p")
    assert book.attention()[0].startswith("limits.maxAgents of 3 is reached (2 of them given to subplanners)")


def test_a_launch_that_made_no_agent_gives_its_share_back():
    book = read(a_plan(planner(), limits={"maxAgents": 3}))
    book.tell(LaunchRefused(task="p", agent_id=agent_of("p"), message="no.")).leaves("p", charges=())
    assert money_of(book.state) == Money(max_agents=3)


def test_a_launch_that_went_back_is_sent_again_with_the_share_that_it_had():
    book = read(a_plan(planner(), limits={"maxAgents": 9}))
    book.tell(AccessLost(task="p", agent_id=agent_of("p"), message="no key.")).leaves("p", status=TaskStatus.PENDING)
    assert money_of(book.state).agents == 0
    again = read(a_plan(planner(maxAgents=2), "a", limits={"maxAgents": 11}), book.row("p")).launches("p", "a")
    assert again.row("p").shares == (Share(1, agent_of("p"), Grant(agents=8)),)
    waits = read(a_plan(planner(), "a", limits={"maxAgents": 8}), book.row("p"))
    assert waits.launches().attention()[0].startswith("limits.maxAgents of 8 has no room")


def test_an_agent_that_the_service_named_otherwise_keeps_its_share():
    book = read(a_plan(planner(), limits={"maxAgents": 3}))
    book.tell(replace(launched("p"), answered_id="bc-other"))
    assert book.row("p").shares == (Share(1, "bc-other", Grant(agents=2)),)


def test_what_was_not_used_comes_back_once_it_is_certain():
    plan = a_plan(planner("p", maxAgents=8), planner("q", maxAgents=8), limits={"maxAgents": 12})
    book = read(plan).launches("p").tell(launched("p")).tell(ended())
    assert book.effects(CountSubtree) == [replace(question(), cause="e3")]
    book.tell(counted(agents=2)).launches("q").leaves("p", shares=(Share(1, agent_of("p"), Grant(agents=8), Used(2)),))
    assert money_of(book.state) == Money(reserved=1000, agents=12, max_agents=12, given_agents=8)
    assert not book.state.session.counting


def test_as_long_as_nobody_knows_all_of_it_counts_and_it_is_asked_again():
    plan = a_plan(planner("p", maxAgents=8), planner("q", maxAgents=8), limits={"maxAgents": 12})
    book = read(plan).tell(launched("p")).tell(ended()).tell(seen("p")).tell(UsageAnswered(task="p", attempt=1))
    book.tell(counted()).asks(SetTimer(timer=DUE.timer, delay_seconds=2.0)).tell(counted(agents=0)).changes_nothing()
    book.tell(DUE).asks(question()).tell(DUE).changes_nothing()
    book.tell(counted()).asks(SetTimer(timer=DUE.timer, delay_seconds=4.0))
    assert money_of(book.state).agents == 9
    book.tell(DUE).tell(counted(agents=1)).launches("q")


def test_a_run_that_only_a_share_may_let_go_on_does_not_wait_for_ever():
    plan = a_plan(planner("p", maxAgents=8), planner("q", maxAgents=8), limits={"maxAgents": 12})
    book = read(plan, settings=Settings(max_concurrent=8, cost_patience_seconds=60))
    book.tell(launched("p")).tell(ended()).tell(seen("p")).tell(UsageAnswered(task="p", attempt=1))
    assert not book.tell(counted(at=moment(20))).effects(EndRun)
    assert not book.tell(replace(DUE, at=moment(22))).effects(EndRun)
    assert [effect.exit_code for effect in book.tell(counted(at=moment(70))).effects(EndRun)] == [1]


def test_the_cost_below_is_asked_for_until_it_is_known():
    plan = a_plan(planner("p"), "a", limits={"budgetCents": 1000, "reserveCents": 100})
    book = read(plan).tell(launched("p")).tell(launched("a")).tell(ended())
    assert replace(book.effects(CountSubtree)[0], cause="") == question(wants_cost=True)
    book.tell(counted(agents=4)).leaves(
        "p", shares=(Share(1, agent_of("p"), Grant(None, 800.0, None, 100.0), Used(4)),)
    )
    assert money_of(book.state) == Money(reserved=1000, agents=6, budget=1000)
    book.tell(DUE).tell(counted(agents=4, cents=55.5))
    assert money_of(book.state) == Money(spent=55.5, reserved=200, agents=6, budget=1000)


def test_a_subtree_that_took_more_than_it_was_given_counts_as_it_is():
    book = read(a_plan(planner("p", maxAgents=2), "a", limits={"maxAgents": 4})).tell(launched("p")).tell(ended())
    assert money_of(book.tell(counted(agents=9)).state).agents == 11


def test_the_next_engine_asks_what_nobody_had_an_answer_to():
    share = Share(1, agent_of("p"), Grant(agents=8))
    row = a_handed_off_row("p", type=TaskType.SUBPLANNER, shares=(share,), charges=(a_charge("p"),))
    running = a_running_row("q", type=TaskType.SUBPLANNER, shares=(replace(share, agent_id=agent_of("q")),))
    plan = a_plan(planner("p"), planner("q"), limits={"maxAgents": 30})
    book = read(plan, row, running)
    assert [effect.task for effect in book.effects(CountSubtree)] == ["p"]
    assert read(plan, row, running, settings=Settings(max_concurrent=8, answers_only=True)).effects(CountSubtree) == []
    assert read(a_plan(planner("p"), planner("q")), row, running).effects(CountSubtree) == []


def test_a_planner_that_runs_again_is_not_counted_yet():
    share = Share(1, agent_of("p"), Grant(agents=8))
    row = a_handed_off_row("p", type=TaskType.SUBPLANNER, shares=(share,), charges=(a_charge("p"),))
    plan = a_plan(planner("p"), "a", limits={"maxAgents": 30})
    book = read(plan, row)
    again = replace(row, status=TaskStatus.RUNNING)
    state = a_state(plan, again)
    asked = replace(state, session=book.state.session)
    assert not Playbook(asked).tell(counted(agents=1)).state.session.counting
    waiting = replace(state, session=book.tell(counted()).state.session)
    assert not Playbook(waiting).tell(DUE).state.session.counting


def steered(limits, used, *, status=TaskStatus.HANDED_OFF) -> Playbook:
    """A planner that is over, with a message for it."""
    share = Share(1, agent_of("p"), Grant(agents=8, cents=400.0), used)
    charge = a_charge("p", type=TaskType.SUBPLANNER, cents=10.0)
    message = QueuedMessage(REQUEST, "key", "0" * 64, "ana", moment(), run_of("p"))
    row = a_handed_off_row("p", type=TaskType.SUBPLANNER, shares=(share,), charges=(charge,), queue=(message,))
    return read(a_plan(planner("p"), limits=limits), row)


def test_a_planner_that_goes_on_may_take_all_of_its_grant_again():
    book = steered({"maxAgents": 9, "budgetCents": 1000}, Used(3, 50.0)).leaves("p", status=TaskStatus.RUNNING)
    assert book.row("p").shares[0].used is None
    assert money_of(book.state).agents == 9


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"maxAgents": 8}, "set limits.maxAgents in plan.json to 9 or more"),
        ({"budgetCents": 400}, "set limits.budgetCents in plan.json to 420 or more"),
    ],
)
def test_it_waits_where_what_came_back_of_its_grant_is_not_there_any_more(limits, words):
    book = steered(limits, Used(3, 50.0)).leaves("p", status=TaskStatus.HANDED_OFF)
    assert any(words in line for line in book.attention())


def test_a_planner_whose_grant_is_still_out_needs_no_more_of_it():
    steered({"maxAgents": 9}, None).leaves("p", status=TaskStatus.RUNNING)


@pytest.mark.parametrize("task", ["p", "x"])
def test_late_answers_and_timers_change_nothing(task):
    book = read(a_plan(planner(), "a", limits={"maxAgents": 9})).tell(launched("p"))
    book.tell(counted(agents=1, task=task)).changes_nothing()
    book.tell(TimerFired(timer=Timer(TimerKind.SUBTREE, task, 1))).changes_nothing()
    book.tell(TimerFired(timer=Timer(TimerKind.SUBTREE))).changes_nothing()


def test_a_count_of_a_share_that_is_gone_is_forgotten():
    book = read(a_plan(planner(), "a", limits={"maxAgents": 9})).tell(launched("p")).tell(ended())
    state = replace(book.state, rows=book.state.rows.set("p", replace(book.row("p"), shares=())))
    state = replace(state, accounts=a_state(book.state.plan, *state.rows.values()).accounts)
    assert not Playbook(state).tell(counted(agents=1)).state.session.counting


def test_a_bug_in_the_counting_lets_all_of_the_share_count():
    book = read(a_plan(planner(), "a", limits={"maxAgents": 9})).tell(launched("p")).tell(ended())
    book.tell(EffectFailed(effect="CountSubtree", task="p", message="oops"))
    assert not book.state.session.counting
    assert money_of(book.state).agents == 9


def test_a_verifier_and_a_worker_get_no_share():
    state = a_state(a_plan("a", limits={"maxAgents": 3}))
    assert share_of(state, a_row("a")) is None
    outside = a_row("gone", type=TaskType.SUBPLANNER, status=TaskStatus.CANCELLED)
    assert share_of(state, outside) == Grant(agents=1)
