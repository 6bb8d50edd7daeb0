"""A person's word in the place of an agent's handoff, asked for by another process."""

from dataclasses import replace

from orchestrate.core import requesting
from orchestrate.core.branches import propagate
from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, change
from orchestrate.core.effects import WriteAcceptance
from orchestrate.core.look_ups import look_up
from orchestrate.core.path_checks import check_paths
from orchestrate.core.request_events import AcceptanceWritten, AcceptRequested
from orchestrate.core.requesting import Refusal
from orchestrate.core.state import State, apply, may_start
from orchestrate.core.verdicts import judged
from orchestrate.model.names import TaskName, Timestamp
from orchestrate.model.rows import Acceptance, OnRemote, TaskRow
from orchestrate.model.vocabulary import HandoffStatus, TaskStatus, TaskType

#: Of a note, what goes into the row; the handoff has all of it.
_NOTE_IN_ROW = 300


def on_accept_requested(state: State, event: AcceptRequested) -> Decision:
    """The handoff is written first; what cannot be, and what was done before, is answered at once."""
    if requesting.is_too_late(state):
        return NOTHING
    row = state.rows.get(event.task)
    if requesting.was_done(state, event.request):
        return requesting.done(state, event.request, {} if row is None else _details(row))
    refusal = _refusal(row, event) or _taken_by_another(state, event)
    if row is None or refusal is not None:
        assert refusal is not None
        return requesting.refused(state, event.request, refusal)
    effect = WriteAcceptance(
        request=event.request, row=row, branch=event.branch, by=event.by, note=event.note, at=event.at
    )
    return change(requesting.opened(state, event.request, task=event.task), effects=[effect])


def on_acceptance_written(state: State, event: AcceptanceWritten) -> Decision:
    """The task has handed off by hand, and whoever waited for it goes on."""
    row = state.rows.get(event.task)
    refusal = _refusal(row, event)
    if row is None or refusal is not None:
        assert refusal is not None
        return requesting.refused(state, event.request, refusal)
    accepted = judged(state, _accepted(row, event))
    told = f"{row.name} was {row.status}; {event.by} accepted it on {event.branch}."
    decision = change(RowChanged(accepted), requesting.remembered(state, event.request), AttentionRaised(told))
    decision += propagate(state, accepted, at=event.at)
    after = apply(state, decision.changes)
    decision += check_paths(after, [accepted])
    after = apply(state, decision.changes)
    decision += look_up(after, [accepted])
    after = apply(state, decision.changes)
    details = {**_details(accepted), "released": _released(state, _seen_there(after, accepted), event.task)}
    return decision + requesting.done(after, event.request, details)


def _refusal(row: TaskRow | None, event: AcceptRequested | AcceptanceWritten) -> Refusal | None:
    """Why this task cannot be accepted now."""
    if row is None:
        return requesting.unknown_task(event.task)
    if row.status == TaskStatus.RUNNING:
        return Refusal(
            "task_running",
            f"{row.name} runs: its agent may still push.",
            f"wait for its end, or type orchestrate cancel . {row.name}; then type the same command again",
        )
    if row.status == TaskStatus.PRUNED:
        return Refusal("task_pruned", f"{row.name} is not in the plan any more.", "put it back into plan.json first")
    if _is_settled(row):
        return Refusal(
            "already_handed_off",
            f"{row.name} handed off already, on {row.branch}.",
            "a later task takes up another branch if it names it as its startingRef",
        )
    return None


def _is_settled(row: TaskRow) -> bool:
    """True for a handoff that leaves nothing to a person: a success with a branch, or what a verifier reported."""
    if row.status != TaskStatus.HANDED_OFF:
        return False
    if row.type == TaskType.VERIFIER:
        return True
    return row.handoff_status == HandoffStatus.SUCCESS and row.pushed is not False


def _taken_by_another(state: State, event: AcceptRequested) -> Refusal | None:
    """Two people at once: the second one is told, and looks before asking again."""
    others = (request for request, task in state.session.requests.items() if task == event.task)
    if all(request == event.request for request in others):
        return None
    return Refusal(
        "accepted_meanwhile",
        f"somebody else accepts {event.task} at this moment.",
        f"orchestrate story . {event.task}",
    )


def _accepted(row: TaskRow, event: AcceptanceWritten) -> TaskRow:
    has_both_ids = row.agent_id is not None and row.run_id is not None
    said = "" if event.note is None else f": {' '.join(event.note.split())[:_NOTE_IN_ROW]}"
    return replace(
        row,
        status=TaskStatus.HANDED_OFF,
        agent_id=row.agent_id if has_both_ids else None,
        run_id=row.run_id if has_both_ids else None,
        branch=event.branch,
        pushed=True,
        handoff_status=HandoffStatus.SUCCESS,
        handoff_path=event.path,
        accepted=Acceptance(by=event.by, at=event.at),
        note=f"accepted by {event.by} at {event.at}{said}",
        finished_at=event.at,
        last_update=event.at,
        failure_mode=None,
        not_before=None,
        cancel=None,
        stalled_since=None,
        self_report=None,
        verdicts=(),
        paths_check=None,
        on_remote=None,
        head_sha=None,
        reported_branch=None,
        findings=(),
        measured=(),
    )


def _details(row: TaskRow) -> dict[str, object]:
    details: dict[str, object] = {"task": row.name, "branch": row.branch}
    if row.accepted is not None:
        details |= {"by": row.accepted.by, "at": row.accepted.at}
    return details if row.handoff_path is None else {**details, "handoffPath": row.handoff_path}


def _seen_there(state: State, row: TaskRow) -> State:
    """The state once the remote has said that the branch is there."""
    return apply(state, [RowChanged(replace(row, on_remote=OnRemote(row.last_update or Timestamp(""), is_there=True)))])


def _released(before: State, after: State, task: TaskName) -> list[str]:
    """Dependants that waited for nothing else."""
    assert after.blueprint is not None
    dependants = after.blueprint.dependants.get(task, ())
    return [name for name in dependants if may_start(after, name) and not may_start(before, name)]
