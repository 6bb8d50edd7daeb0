"""A person's word in the place of an agent's handoff, asked for by another process.

A request is carried out once: its id is journalled with the row that it changes, and asked again it is only answered
again. Its file stays in the inbox until the answer is on disk, so whoever takes over after a crash sees it again.
"""

from dataclasses import dataclass, replace

from orchestrate.core.branches import propagate
from orchestrate.core.changes import (
    NOTHING,
    AttentionRaised,
    Decision,
    Phase,
    RowChanged,
    SessionChanged,
    WorkspaceChanged,
    change,
)
from orchestrate.core.effects import AnswerRequest, WriteAcceptance
from orchestrate.core.path_checks import check_paths
from orchestrate.core.request_events import (
    AcceptanceWritten,
    AcceptRequested,
    FileSetAside,
    RequestAnswered,
    RequestUnmet,
)
from orchestrate.core.state import State, apply, may_start
from orchestrate.core.verdicts import judged
from orchestrate.model.inbox_format import InboxAnswer
from orchestrate.model.names import RequestId, TaskName
from orchestrate.model.rows import Acceptance, TaskRow
from orchestrate.model.vocabulary import HandoffStatus, TaskStatus, TaskType

#: How many requests are remembered; one is asked again soon or never.
_REMEMBERED = 256
#: Of a note, what goes into the row; the handoff has all of it.
_NOTE_IN_ROW = 300


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Why a task cannot be accepted, and what to do."""

    code: str
    message: str
    hint: str


def on_accept_requested(state: State, event: AcceptRequested) -> Decision:
    """The handoff is written first; what cannot be, and what was done before, is answered at once."""
    if state.session.phase != Phase.RUNNING:
        return NOTHING  # the request stays where it is, for whoever takes the workspace next
    row = state.rows.get(event.task)
    if event.request in state.workspace.handled_requests:
        return _done_before(state, event, row)
    refusal = _refusal(row, event) or _taken_by_another(state, event)
    if row is None or refusal is not None:
        assert refusal is not None
        return _refused(state, event.request, refusal)
    effect = WriteAcceptance(
        request=event.request, row=row, branch=event.branch, by=event.by, note=event.note, at=event.at
    )
    return change(_open(state, event.request, task=event.task), effects=[effect])


def on_acceptance_written(state: State, event: AcceptanceWritten) -> Decision:
    """The task has handed off by hand, and whoever waited for it goes on."""
    row = state.rows.get(event.task)
    refusal = _refusal(row, event)
    if row is None or refusal is not None:
        assert refusal is not None
        return _refused(state, event.request, refusal)
    accepted = judged(state, _accepted(row, event))
    handled = (*state.workspace.handled_requests, event.request)[-_REMEMBERED:]
    told = f"{row.name} was {row.status}; {event.by} accepted it on {event.branch}."
    decision = change(
        RowChanged(accepted),
        WorkspaceChanged(replace(state.workspace, handled_requests=handled)),
        AttentionRaised(told),
    )
    decision += propagate(state, accepted, at=event.at)
    after = apply(state, decision.changes)
    decision += check_paths(after, [accepted])
    after = apply(state, decision.changes)
    details = {**_details(accepted), "released": _released(state, after, event.task)}
    return decision + _answer(after, InboxAnswer(event.request, is_done=True, details=details))


def on_request_unmet(state: State, event: RequestUnmet) -> Decision:
    """Nothing was done, and the one who asked hears why."""
    answer = InboxAnswer(event.request, is_done=False, code=event.code, message=event.message, hint=event.hint)
    return _answer(state, answer)


def on_file_set_aside(state: State, event: FileSetAside) -> Decision:
    """An operator hears of it; so does the one who asked, if it was meant as a request."""
    told = change(AttentionRaised(event.message))
    if event.request is None:
        return told
    return told + _answer(state, InboxAnswer(event.request, is_done=False, code="no_request", message=event.message))


def on_request_answered(state: State, event: RequestAnswered) -> Decision:
    """Nobody waits for this request any more; one whose answer could not be written is answered by the next engine."""
    session = closed(state, event.request)
    if event.message is None:
        return change(session)
    return change(session, AttentionRaised(f"request {event.request} could not be answered: {event.message}"))


def closed(state: State, request: RequestId) -> SessionChanged:
    """The session without this request."""
    requests = state.session.requests
    return SessionChanged(
        replace(state.session, requests=requests.delete(request) if request in requests else requests)
    )


def _open(state: State, request: RequestId, *, task: TaskName | None = None) -> SessionChanged:
    return SessionChanged(replace(state.session, requests=state.session.requests.set(request, task)))


def _answer(state: State, answer: InboxAnswer) -> Decision:
    return change(_open(state, answer.id), effects=[AnswerRequest(answer=answer)])


def _refused(state: State, request: RequestId, refusal: _Refusal) -> Decision:
    answer = InboxAnswer(request, is_done=False, code=refusal.code, message=refusal.message, hint=refusal.hint or None)
    return _answer(state, answer)


def _done_before(state: State, event: AcceptRequested, row: TaskRow | None) -> Decision:
    details = {} if row is None else _details(row)
    return _answer(state, InboxAnswer(event.request, is_done=True, details=details))


def _refusal(row: TaskRow | None, event: AcceptRequested | AcceptanceWritten) -> _Refusal | None:
    """Why this task cannot be accepted now."""
    if row is None:
        return _Refusal("unknown_task", f"there is no task {event.task}.", "orchestrate status . -v shows all tasks")
    if row.status == TaskStatus.RUNNING:
        where = f" at {row.url}" if row.url else " at the service"
        return _Refusal(
            "task_running",
            f"{row.name} runs: its agent may still push.",
            f"wait for its end, or cancel its agent{where}; then type the same command again",
        )
    if row.status == TaskStatus.PRUNED:
        return _Refusal("task_pruned", f"{row.name} is not in the plan any more.", "put it back into plan.json first")
    if _is_settled(row):
        return _Refusal(
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


def _taken_by_another(state: State, event: AcceptRequested) -> _Refusal | None:
    """Two people at once: the second one is told, and looks before asking again."""
    others = (request for request, task in state.session.requests.items() if task == event.task)
    if all(request == event.request for request in others):
        return None
    return _Refusal(
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
    )


def _details(row: TaskRow) -> dict[str, object]:
    details: dict[str, object] = {"task": row.name, "branch": row.branch}
    if row.accepted is not None:
        details |= {"by": row.accepted.by, "at": row.accepted.at}
    return details if row.handoff_path is None else {**details, "handoffPath": row.handoff_path}


def _released(before: State, after: State, task: TaskName) -> list[str]:
    """Dependants that waited for nothing else."""
    assert after.blueprint is not None
    dependants = after.blueprint.dependants.get(task, ())
    return [name for name in dependants if may_start(after, name) and not may_start(before, name)]
