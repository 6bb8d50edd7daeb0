"""Agents that come to light when nobody waits for them any more."""

import pytest

from orchestrate.core.effects import CancelRun
from orchestrate.core.events import AgentLaunched
from orchestrate.model.names import AgentId
from orchestrate.model.rows import Cancel
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import a_plan, a_row, a_state, agent_of, an_intent, moment, run_of
from tests.support.playbook import Playbook

OTHER = AgentId("bc-other")


def late(task: str = "a", *, attempt: int = 1) -> AgentLaunched:
    return AgentLaunched(
        task=task, agent_id=agent_of(task, attempt), answered_id=OTHER, run_id=run_of(task, attempt), adopted=True
    )


def book(row, plan=None) -> Playbook:
    return Playbook(a_state(plan or a_plan("a"), row))


def test_the_agent_of_a_task_that_left_the_plan_is_named_with_how_to_end_it():
    told = book(a_row("a", status=TaskStatus.PRUNED), a_plan("b")).tell(late())
    note = f"agent {OTHER} (run {run_of('a')}) was made after its launch was given up"
    assert told.attention() == [
        f"a is not in the plan any more, and {note}. End it with: orchestrate cancel-run --agent-id {OTHER}"
        f" --run-id {run_of('a')}."
    ]
    assert told.effects(CancelRun) == []
    assert [(each.attempt, each.agent_id) for each in told.row().charges] == [(1, OTHER)]
    told.leaves(note=note, status=TaskStatus.PRUNED).tell(late()).changes_nothing()


@pytest.mark.parametrize(
    "row",
    [
        a_row("a", status=TaskStatus.CANCELLED, attempts=1, launch=an_intent("a")),
        a_row("a", status=TaskStatus.PRUNED, cancel=Cancel("ana", moment())),
    ],
)
def test_the_agent_of_a_cancelled_task_is_ended(row):
    told = book(row).tell(late()).leaves(status=row.status)
    told.asks(CancelRun(task="a", agent_id=OTHER, run_id=run_of("a")))
    assert told.attention()[0].endswith("Its run is cancelled now.")


@pytest.mark.parametrize(
    ("row", "event"),
    [
        (a_row("a", status=TaskStatus.PRUNED), late(attempt=2)),  # of a launch that was never asked for
        (a_row("a", status=TaskStatus.CANCELLED, attempts=1, agent_id=OTHER, run_id=run_of("a")), late()),
        (a_row("a", status=TaskStatus.ERROR, attempts=1), late()),
        (a_row("a", status=TaskStatus.PRUNED), late("unknown")),
    ],
)
def test_any_other_late_answer_changes_nothing(row, event):
    book(row, a_plan("b") if row.status == TaskStatus.PRUNED else None).tell(event).changes_nothing()
