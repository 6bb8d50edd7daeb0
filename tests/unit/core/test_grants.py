"""Reading what the planner above granted: before any launch, again while nobody answers, and never guessed."""

from dataclasses import replace

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import AskUsage, CountSubtree, EndRun, ReadGrant, SetTimer
from orchestrate.core.events import EffectFailed, PlanRead, Timer, TimerFired, TimerKind
from orchestrate.core.grant_events import GrantRead, GrantUnread
from orchestrate.core.scheduling import hold_reason
from orchestrate.model.grants import Grant, OwnGrant, Share
from orchestrate.model.rows import OnRemote, Workspace
from orchestrate.model.vocabulary import TaskStatus, TaskType
from tests.support.builders import (
    SLUG,
    WORKSPACE,
    a_charge,
    a_handed_off_row,
    a_plan,
    a_task,
    agent_of,
    an_unread_state,
    moment,
)
from tests.support.playbook import Playbook

OWN = agent_of("own")
CHILD = Settings(max_concurrent=8, depth=1, own_agent_id=OWN)


def child(*rows, plan=None, workspace=None, settings=CHILD) -> Playbook:
    state = an_unread_state(*rows, settings=settings, workspace=workspace)
    return Playbook(state).tell(PlanRead(plan=plan or a_plan("a", "b")))


def read(**bounds) -> GrantRead:
    return GrantRead(agent_id=OWN, grant=Grant(**bounds))


def unread(*, is_final=False, **fields) -> GrantUnread:
    return GrantUnread(message="what agent x was granted cannot be read: no answer", is_final=is_final, **fields)


def test_nothing_is_launched_before_the_grant_is_known():
    book = child().asks(ReadGrant(agent_id=OWN))
    assert hold_reason(book.state) == "what the planner above granted is not known yet"
    book.tell(read(agents=1)).launches("a")
    assert book.state.workspace.grant == OwnGrant(OWN, Grant(agents=1))
    assert book.attention() == [
        "the number of agents that the planner above granted, 1 is reached; nothing new starts, 1 agent goes on. Only"
        " the planner above can grant more: hand off what is done, and say what is missing."
    ]


def test_a_root_asks_nobody_and_neither_does_an_engine_that_only_answers():
    child(settings=Settings(max_concurrent=8)).launches("a", "b")
    assert child(settings=replace(CHILD, answers_only=True)).effects(ReadGrant) == []


def test_the_budget_that_was_granted_binds_and_is_said_to_be_granted():
    book = child(plan=a_plan("a", "b", limits={"budgetCents": 5000})).tell(read(cents=600.0)).launches("a")
    assert book.attention()[0].startswith("the budget that the planner above granted, $6.00 has no room for another")
    assert "Only the planner above can grant more" in book.attention()[0]


def test_launches_set_aside_what_the_planner_above_sets_aside_unless_the_plan_says():
    book = child().tell(read(cents=600.0, reserve=300.0)).launches("a", "b")
    book = child(plan=a_plan("a", "b", limits={"reserveCents": 600})).tell(read(cents=600.0, reserve=300.0))
    book.launches("a")


def test_where_nobody_answers_it_is_asked_again_and_told_once():
    book = child().tell(unread())
    (timer,) = book.effects(SetTimer)
    assert timer.timer == Timer(TimerKind.GRANT, attempt=1)
    assert 1 <= timer.delay_seconds <= 1.25
    assert book.attention() == [
        "what agent x was granted cannot be read: no answer. Nothing is launched until it is known; it is asked for again."
    ]
    book.tell(TimerFired(timer=timer.timer)).asks(ReadGrant(agent_id=OWN))
    book.tell(unread())
    assert book.attention() == []
    book.tell(TimerFired(timer=timer.timer)).changes_nothing()
    book.tell(read()).launches("a", "b").tell(TimerFired(timer=Timer(TimerKind.GRANT, attempt=2))).changes_nothing()


def test_where_the_answer_is_no_the_run_ends_without_a_launch():
    book = child().tell(unread(is_final=True, hint="Ask somebody."))
    assert book.effects(EndRun) == [EndRun(exit_code=1, cause="e2")]
    assert book.attention() == [
        "what agent x was granted cannot be read: no answer. Nothing is launched. Ask somebody."
    ]
    assert child().tell(unread(is_final=True)).attention() == [
        "what agent x was granted cannot be read: no answer. Nothing is launched."
    ]


def test_a_bug_in_the_reading_launches_nothing():
    book = child().tell(EffectFailed(effect="ReadGrant", message="oops"))
    assert book.attention() == ["the grant could not be read: oops. Nothing is launched."]
    assert book.effects(EndRun)


def test_late_answers_change_nothing():
    book = child().tell(read(agents=2)).tell(read(agents=99)).changes_nothing()
    book.tell(unread(is_final=True)).changes_nothing()
    assert book.state.workspace.grant.grant.agents == 2


def test_a_run_that_is_done_does_not_wait_for_its_grant():
    rows = [a_handed_off_row(name, on_remote=OnRemote(moment(), is_there=True)) for name in ("a", "b")]
    assert [effect.exit_code for effect in child(*rows).effects(EndRun)] == [0]


def test_the_same_grant_is_not_written_again_after_a_restart():
    own = OwnGrant(OWN, Grant(agents=2), agents_before=1, cents_before=3.0)
    workspace = Workspace(WORKSPACE, SLUG, grant=own)
    book = child(workspace=workspace).tell(read(agents=2))
    assert book.state.workspace.grant is own
    book = child(workspace=workspace).tell(read(agents=5))
    assert book.state.workspace.grant == replace(own, grant=Grant(agents=5))


def test_what_was_odd_about_a_grant_is_told_once():
    book = child().tell(replace(read(), note="nobody knows that agent.")).launches("a", "b")
    assert book.attention() == ["nobody knows that agent."]
    known = Workspace(WORKSPACE, SLUG, grant=book.state.workspace.grant)
    assert child(workspace=known).tell(replace(read(), note="nobody knows that agent.")).attention() == []


def test_a_planner_that_takes_a_workspace_up_has_its_whole_grant():
    former = OwnGrant(agent_of("own", 2), Grant(agents=1))
    row = a_handed_off_row("a", charges=(a_charge("a", cents=30.0),))
    book = child(row, workspace=Workspace(WORKSPACE, SLUG, grant=former, spent=30.0))
    book.tell(read(agents=1, cents=500.0)).launches("b")
    assert book.state.workspace.grant == OwnGrant(OWN, Grant(agents=1, cents=500.0), 1, 30.0)


def test_a_grant_of_money_makes_the_engine_ask_what_things_cost_and_what_came_of_shares():
    rows = [
        a_handed_off_row("a", charges=(a_charge("a"),)),
        a_handed_off_row(
            "p",
            type=TaskType.SUBPLANNER,
            charges=(a_charge("p", type=TaskType.SUBPLANNER, cents=1.0),),
            shares=(Share(1, agent_of("p"), Grant(agents=2, cents=9.0)),),
        ),
    ]
    plan = a_plan("a", "b", a_task("p", type="subplanner"))
    book = child(*rows, plan=plan).tell(read(cents=2000.0))
    assert [effect.task for effect in book.effects(AskUsage)] == ["a"]
    assert [(effect.task, effect.wants_cost) for effect in book.effects(CountSubtree)] == [("p", True)]


PLANNER = a_task("p", type="subplanner")


@pytest.mark.parametrize(
    ("limits", "grant", "words"),
    [
        ({"maxDepth": 2}, {}, "limits.maxDepth allows 1 level of agents"),
        ({"maxDepth": 1}, {}, "limits.maxDepth allows no level of agents"),
        ({"maxDepth": 9}, {"levels": 1}, "the planner above granted 1 level of agents"),
        ({}, {"levels": 0}, "the planner above granted no level of agents"),
    ],
)
def test_a_subplanner_that_could_launch_nobody_is_in_error_before_its_launch(limits, grant, words):
    book = child(plan=a_plan(PLANNER, limits=limits)).tell(read(**grant))
    note = f"error before launch: {words} below this plan, and a subplanner needs one more for its own"
    book.leaves("p", status=TaskStatus.ERROR, note=note, attempts=0, agent_id=None).launches()
    assert book.attention() == [f"p {note}. No agent was made; have a worker do it."]
    assert book.effects(EndRun) == [EndRun(exit_code=1, cause="e2")]


def test_a_subplanner_with_room_below_is_launched_and_its_levels_are_one_fewer():
    book = child(plan=a_plan(PLANNER, "a", limits={"maxDepth": 3})).tell(read()).launches("p", "a")
    assert [share.grant.levels for share in book.row("p").shares] == [1]
