"""Agents that come to light when nobody waits for them any more: told and counted, and ended if their task was cancelled."""

from dataclasses import replace

from orchestrate.core.budgets import charged, shared_with
from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, change
from orchestrate.core.effects import CancelRun
from orchestrate.core.events import AgentLaunched
from orchestrate.core.state import State
from orchestrate.model.names import agent_id_for
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus


def on_unawaited_agent(state: State, event: AgentLaunched) -> Decision:
    """An answer that nobody waits for: it means something only where the task's last launch was given up for good."""
    row = state.rows.get(event.task)
    attempt = None if row is None else _given_up_attempt(state, row, event)
    if row is None or attempt is None:
        return NOTHING
    is_cancelled = row.status == TaskStatus.CANCELLED or row.cancel is not None
    why = "was cancelled" if is_cancelled else "is not in the plan any more"
    agent = f"agent {event.answered_id} (run {event.run_id})"
    note = f"{agent} was made after its launch was given up"
    if row.note == note:
        return NOTHING
    do = (
        "Its run is cancelled now"
        if is_cancelled
        else f"End it with: orchestrate cancel-run --agent-id {event.answered_id} --run-id {event.run_id}"
    )
    told = AttentionRaised(f"{row.name} {why}, and {note}. {do}.")
    order = CancelRun(task=row.name, agent_id=event.answered_id, run_id=event.run_id)
    charges = charged(state, row, attempt=attempt, agent_id=event.answered_id)
    shares = shared_with(state, row, attempt=attempt, agent_id=event.answered_id)
    row = replace(row, note=note, charges=charges, shares=shares, last_update=event.at)
    return change(RowChanged(row), told, effects=[order] * is_cancelled)


def _given_up_attempt(state: State, row: TaskRow, event: AgentLaunched) -> int | None:
    """The attempt whose launch was given up, if this is its agent and the task has had none since."""
    if row.agent_id is not None or row.status not in (TaskStatus.CANCELLED, TaskStatus.PRUNED):
        return None
    attempts = (row.attempts, row.attempts + 1)  # a launch that was withdrawn is not counted
    workspace = state.workspace.workspace_id
    return next((each for each in attempts if agent_id_for(workspace, row.name, each) == event.agent_id), None)
