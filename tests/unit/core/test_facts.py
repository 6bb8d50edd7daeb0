"""Facts as they stand in the journal: plain values, for people and for the story."""

import orjson

from orchestrate.core.events import (
    AgentLaunched,
    EngineStarted,
    Event,
    LaunchDelayed,
    PlanRead,
    RunEnded,
    Timer,
    TimerFired,
    TimerKind,
)
from orchestrate.core.facts import facts_of
from orchestrate.model.handoff import MeasurementClaim
from orchestrate.model.vocabulary import LaunchDelay, RunStatus
from tests.support.builders import a_plan, a_reply, agent_of, moment, run_of


def test_what_is_empty_is_left_out_and_the_moment_has_its_own_place():
    event = AgentLaunched(
        task="a", agent_id=agent_of("a"), answered_id=agent_of("a"), run_id=run_of("a"), at=moment(), id="e1"
    )
    assert facts_of(event) == {
        "type": "AgentLaunched",
        "id": "e1",
        "task": "a",
        "agent_id": agent_of("a"),
        "answered_id": agent_of("a"),
        "run_id": run_of("a"),
    }


def test_a_plan_has_its_own_file():
    assert facts_of(PlanRead(plan=a_plan("a"), id="e2")) == {"type": "PlanRead", "id": "e2"}


def test_words_and_inner_records_become_plain_values():
    claims = (MeasurementClaim(name="todos", before="3", op="→", after="0"),)
    reply = a_reply(measurements=claims, notes=("odd",))
    facts = facts_of(RunEnded(task="a", run_id=run_of("a"), status=RunStatus.FINISHED, reply=reply))
    assert facts["status"] == "FINISHED"
    assert facts["reply"]["handoff"]["measurements"] == [{"name": "todos", "before": "3", "op": "→", "after": "0"}]
    assert facts["reply"]["handoff"]["notes"] == ["odd"]
    assert type(facts["status"]) is str


def test_a_timer_is_written_with_what_it_stands_for():
    facts = facts_of(TimerFired(timer=Timer(TimerKind.RETRY, "a", 2)))
    assert facts["timer"] == {"kind": "retry", "task": "a", "attempt": 2}


def test_facts_are_json():
    delayed = LaunchDelayed(task="a", agent_id=agent_of("a"), delay=LaunchDelay.QUOTA, message="later")
    for event in (delayed, EngineStarted(engine="e", notes=("x",)), Event(id="e1")):
        assert orjson.loads(orjson.dumps(facts_of(event))) == facts_of(event)
