"""Rows that say "running" and not whose: the service is asked which agents it has of their names."""

import pytest

from orchestrate.core.changes import Settings
from orchestrate.core.effects import EndRun, LookForNamesakes
from orchestrate.core.events import EffectFailed, PlanRead
from orchestrate.core.request_events import RespawnRequested
from orchestrate.core.service_events import Namesake, NamesakesSeen
from orchestrate.model.vocabulary import AgentStatus, TaskStatus
from tests.support.builders import a_plan, a_row, a_running_row, agent_of, an_unread_state, run_of
from tests.support.playbook import Playbook

LEAD = "the state said running without both ids (agent unknown, run unknown); an agent may exist."


def half_known(name="a", **ids):
    return a_row(name, status=TaskStatus.RUNNING, **ids)


def read(*rows):
    state = an_unread_state(*rows, settings=Settings(2, drain=True))
    return Playbook(state).tell(PlanRead(plan=a_plan(*(row.name for row in rows))))


def namesake(number, *, task="a", status=AgentStatus.ACTIVE, run="run-1"):
    return Namesake(task=task, agent_id=f"bc-{number}", status=status, run_id=run)


def test_one_look_is_for_all_of_them_and_the_run_waits_for_it():
    book = read(half_known(), half_known("b"))
    assert [[row.name for row in effect.rows] for effect in book.effects(LookForNamesakes)] == [["a", "b"]]
    assert book.effects(EndRun) == []
    book.tell(NamesakesSeen(agents=(namesake(1, task="b"),))).asks(EndRun(exit_code=1))
    assert "The service lists none of that name; to have it done, type orchestrate respawn . a" in book.row("a").note
    assert "The service has bc-1 (active, run run-1)." in book.row("b").note


def test_the_note_says_which_agents_there_are_and_what_to_do_with_them():
    book = read(half_known(), a_running_row("b"))
    other = namesake(2, status=AgentStatus.ARCHIVED, run=None)
    book.tell(NamesakesSeen(agents=(namesake(1), other)))
    words = (
        "The service has bc-1 (active, run run-1), bc-2 (archived, no run). End one with orchestrate cancel-run"
        " --agent-id A --run-id R, or take over what it pushed with orchestrate accept . a --branch B; to have it done"
        " anew, type orchestrate respawn . a"
    )
    book.leaves(status=TaskStatus.ERROR, note=f"{LEAD} {words}")
    assert book.attention() == [f"a: {words}."]


def test_a_long_list_is_cut():
    book = read(half_known(), a_running_row("b"))
    book.tell(NamesakesSeen(agents=tuple(namesake(number) for number in range(7))))
    assert "bc-4 (active, run run-1) and 2 more. End one" in book.row().note


def test_where_the_service_cannot_be_asked_the_note_stays_and_that_is_told():
    book = read(half_known())
    note = book.row().note
    book.tell(NamesakesSeen(unknown="no answer")).leaves(note=note).asks(EndRun(exit_code=1))
    assert book.attention() == ["a: the agents of that name could not be listed: no answer"]


@pytest.mark.parametrize("ids", [{"agent_id": agent_of("a")}, {"run_id": run_of("a")}])
def test_half_of_what_is_known_stays_in_the_note(ids):
    book = read(half_known(**ids), a_running_row("b")).tell(NamesakesSeen())
    assert next(iter(ids.values())) in book.row().note


def test_a_task_that_somebody_had_done_anew_meanwhile_is_left_alone():
    book = read(half_known(), a_running_row("b"))
    book.tell(RespawnRequested(request="r", tasks=("a",), by="ana"))
    before = book.row()
    book.tell(NamesakesSeen(agents=(namesake(1),)))
    assert book.row() == before


def test_a_bug_of_ours_is_not_waited_for():
    read(half_known()).tell(EffectFailed(effect="LookForNamesakes", message="a bug")).asks(EndRun(exit_code=1))


def test_a_late_answer_changes_nothing():
    book = read(half_known(), a_running_row("b")).tell(NamesakesSeen())
    before = book.row()
    book.tell(NamesakesSeen(agents=(namesake(1),)))
    assert (book.row(), book.attention()) == (before, [])
