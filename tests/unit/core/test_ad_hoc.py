"""Tasks that somebody adds to a run."""

from dataclasses import replace

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import AnswerRequest
from orchestrate.core.events import AgentLaunched, PlanRead, RunEnded, StopReason, StopRequested
from orchestrate.core.facts import facts_of
from orchestrate.core.request_events import SpawnRequested
from orchestrate.core.story import story_of
from orchestrate.model.records import Record
from orchestrate.model.vocabulary import RunStatus, TaskStatus
from tests.support.builders import (
    SLUG,
    a_handed_off_row,
    a_plan,
    a_reply,
    a_row,
    a_running_row,
    a_state,
    a_task,
    agent_of,
    moment,
    run_of,
    seen,
)
from tests.support.playbook import Playbook

R = "11111111-0000-4000-8000-000000000001"
PLAN = a_plan("a", "b")


def asked(**fields):
    return SpawnRequested(request=R, by="ana", definition=a_task("new", **fields))


def book(*rows, settings=None):
    rows = rows or (a_running_row("a"), a_running_row("b"))
    return Playbook(a_state(PLAN, *rows, settings=settings or Settings(8, drain=True)))


def answer_of(playbook):
    (effect,) = playbook.effects(AnswerRequest)
    return effect.answer


def test_it_is_launched_at_once_with_its_own_definition():
    told = book().tell(asked(timeoutSec=60)).launches("new")
    told.leaves("new", branch=f"orch/{SLUG}/new", starting_ref="main", attempts=1)
    assert told.row("new").extra["adHoc"] is True
    assert told.row("new").extra["definition"]["timeoutSec"] == 60
    assert answer_of(told).details["task"] == "new"
    assert told.attention() == ["ana added the task new."]
    agent = agent_of("new")
    told.tell(AgentLaunched(task="new", agent_id=agent, answered_id=agent, run_id=run_of("new")))
    assert told.state.plan.task("new").timeout_sec == 60
    told.tell(RunEnded(task="new", run_id=run_of("new"), status=RunStatus.FINISHED, reply=a_reply("new")))
    told.leaves("new", status=TaskStatus.HANDED_OFF)


def test_it_waits_for_what_it_depends_on_and_starts_where_that_pushed():
    told = book().tell(asked(dependsOn=["a"], startingRef=f"orch/{SLUG}/a")).launches()
    assert answer_of(told).details == {
        "task": "new",
        "status": "pending",
        "startingRef": f"orch/{SLUG}/a",
        "ready": [],
    }
    told.tell(RunEnded(task="a", run_id=run_of("a"), status=RunStatus.FINISHED, reply=a_reply())).launches()
    told.tell(seen("a", branch="cursor/a-1f2a")).launches("new")
    told.leaves("new", starting_ref="cursor/a-1f2a")
    done = book(a_handed_off_row("a"), a_running_row("b"))
    done.tell(asked(dependsOn=["a"], startingRef=f"orch/{SLUG}/a")).leaves("new", starting_ref="cursor/a-1f2a")


def test_it_stays_of_the_run_when_the_plan_is_read_again():
    told = book().tell(asked(dependsOn=["a"])).tell(PlanRead(plan=PLAN)).leaves("new", status=TaskStatus.PENDING)
    assert "new" in told.state.plan.tasks_by_name
    later = Playbook(a_state(PLAN, *told.state.rows.values()))
    later.tell(RunEnded(task="a", run_id=run_of("a"), status=RunStatus.FINISHED, reply=a_reply())).launches("new")


def test_a_request_is_carried_out_once():
    told = book().tell(asked()).tell(asked()).launches()
    assert answer_of(told).is_done


@pytest.mark.parametrize(
    ("definition", "code"),
    [
        ({"name": "x"}, "bad_task"),
        (a_task("a"), "task_exists"),
        (a_task("gone"), "task_exists"),
        (a_task("new", depends_on=("nobody",)), "unknown_task"),
        (a_task("merge-a"), "task_exists"),
    ],
)
def test_what_cannot_be_added_is_answered(definition, code):
    told = book(a_running_row("a"), a_running_row("b"), a_row("gone", status=TaskStatus.PRUNED))
    told.tell(replace(asked(), definition=definition)).launches()
    assert (answer_of(told).is_done, answer_of(told).code) == (False, code)


def test_an_engine_that_leaves_leaves_it_to_the_next_one():
    book().tell(StopRequested(reason=StopReason.INTERRUPT)).tell(asked()).changes_nothing()


def test_its_story_begins_with_who_added_it_and_its_record_keeps_the_definition_in_the_row_only():
    event = facts_of(asked())
    assert "definition" not in event
    record = Record(seq=1, engine="e", at=moment(), event=event, rows=(a_row("new"),))
    assert story_of([record], "new")[0].text == "added to the run by ana"
    again = Record(seq=2, engine="e", at=moment(), event=event, rows=(a_row("new", note="x"),))
    assert len(story_of([record, again], "new")) == 1
