"""A tombstone in the workspace."""

from dataclasses import replace

from orchestrate.core.changes import Settings
from orchestrate.core.effects import AnswerRequest, CancelRun, EndRun
from orchestrate.core.events import AgentLaunched, EngineStarted, PlanRead, RunEnded
from orchestrate.core.request_events import RespawnRequested, StopFound
from orchestrate.core.story import story_of
from orchestrate.model.records import Record
from orchestrate.model.rows import Cancel
from orchestrate.model.stops import StopScope
from orchestrate.model.vocabulary import LaunchDelay, RunStatus, TaskStatus, TaskType
from tests.support.builders import (
    a_launching_row,
    a_plan,
    a_row,
    a_running_row,
    a_state,
    a_task,
    agent_of,
    an_empty_reply,
    an_intent,
    an_unread_state,
    moment,
    run_of,
)
from tests.support.playbook import Playbook

FOUND = StopFound(stop="s1", by="ana", scope=StopScope.TREE)
PLAN = a_plan("a", a_task("p", type="subplanner"), "new", "later", "waits")


def ended(name):
    return RunEnded(task=name, run_id=run_of(name), status=RunStatus.CANCELLED, reply=an_empty_reply(name))


def a_run():
    delayed = an_intent("later", delay=LaunchDelay.QUOTA, delays=1)
    rows = [
        a_running_row("a"),
        a_running_row("p", type=TaskType.SUBPLANNER),
        a_launching_row("new"),
        a_launching_row("later", launch=delayed, not_before=moment(900)),
    ]
    return Playbook(a_state(PLAN, *rows, settings=Settings(4)))


def test_all_that_runs_is_cancelled_planners_first_and_nothing_is_launched_any_more():
    told = a_run().tell(FOUND).launches()
    assert [effect.task for effect in told.effects(CancelRun)] == ["p", "a"]
    told.leaves(cancel=Cancel("ana", moment(1))).leaves("new", status=TaskStatus.RUNNING)
    told.leaves("later", status=TaskStatus.CANCELLED).leaves("waits", status=TaskStatus.PENDING)
    assert told.attention() == ["ana stopped this run: nothing more is launched, 4 running are cancelled."]
    agent = agent_of("new")
    told.tell(AgentLaunched(task="new", agent_id=agent, answered_id=agent, run_id=run_of("new")))
    assert [effect.task for effect in told.effects(CancelRun)] == ["new"]
    for name in ("p", "a", "new"):
        told.tell(ended(name)).launches()
    assert [effect.exit_code for effect in told.effects(EndRun)] == [1]
    told.leaves(status=TaskStatus.CANCELLED, note=f"cancelled by ana at {moment(1)}")


def test_the_same_tombstone_means_nothing_the_second_time():
    a_run().tell(FOUND).tell(FOUND).changes_nothing()


def test_a_task_that_is_tried_anew_meanwhile_waits_for_the_next_run():
    told = a_run().tell(FOUND).tell(ended("a"))
    told.tell(RespawnRequested(request="r", tasks=("a",), by="bob")).launches().leaves(status=TaskStatus.PENDING)


def test_an_engine_that_only_answers_sees_to_it_where_it_can():
    settings = Settings(1, answers_only=True)
    told = Playbook(an_unread_state(a_running_row("a"), settings=settings))
    told.tell(EngineStarted(engine="e", is_stopped=True)).tell(PlanRead(plan=PLAN))
    assert told.effects(EndRun) == []
    told.tell(FOUND)
    assert told.effects(EndRun) == []
    assert told.tell(ended("a")).effects(EndRun) != []
    without = Playbook(an_unread_state(a_running_row("a"), settings=replace(settings, has_service=False)))
    without.tell(EngineStarted(engine="e", is_stopped=True)).tell(PlanRead(plan=PLAN)).tell(FOUND)
    assert len(without.effects(EndRun)) == 1
    without.leaves(cancel=None)
    assert without.effects(AnswerRequest) == without.effects(CancelRun) == []


def test_its_story_tells_who_stopped_it():
    event = {"type": "StopFound", "by": "ana"}
    record = Record(seq=1, engine="e", at=moment(), event=event, rows=(a_running_row("a"),))
    assert story_of([record], "a")[0].text == "ana stopped the run: its cancel is asked for"
    gone = Record(seq=1, engine="e", at=moment(), event=event, rows=(a_row("a", note="cancelled by ana"),))
    assert story_of([gone], "a")[0].text == "ana stopped the run: cancelled by ana"
