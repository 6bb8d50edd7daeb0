"""Requests of other processes, whatever they ask: opened, answered once, remembered, closed.

A request is carried out once: its id is journalled with the rows that it changes, and asked again it is only answered
again. Its file stays in the inbox until the answer is on disk, so whoever takes over after a crash sees it again.
While a request is open the run does not end. What a kind asks is the matter of its own module.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from orchestrate.core.changes import AttentionRaised, Change, Decision, Phase, SessionChanged, WorkspaceChanged, change
from orchestrate.core.effects import AnswerRequest
from orchestrate.core.request_events import FileSetAside, RequestAnswered, RequestUnmet
from orchestrate.core.state import State
from orchestrate.model.inbox_requests import InboxAnswer
from orchestrate.model.names import RequestId, TaskName

#: How many requests are remembered; one is asked again soon or never.
_REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not carried out, and what to do."""

    code: str
    message: str
    hint: str = ""


def is_too_late(state: State) -> bool:
    """True while the engine leaves: the request stays where it is, for whoever takes the workspace next."""
    return state.session.phase != Phase.RUNNING


def was_done(state: State, request: RequestId) -> bool:
    """True for a request that was carried out before."""
    return request in state.workspace.handled_requests


def remembered(state: State, request: RequestId) -> WorkspaceChanged:
    """The workspace that knows of this request; stands in the same decision as what the request changes."""
    handled = (*state.workspace.handled_requests, request)[-_REMEMBERED:]
    return WorkspaceChanged(replace(state.workspace, handled_requests=handled))


def opened(state: State, request: RequestId, *, task: TaskName | None = None) -> SessionChanged:
    """The session in which this request waits for its answer."""
    return SessionChanged(replace(state.session, requests=state.session.requests.set(request, task)))


def closed(state: State, request: RequestId) -> SessionChanged:
    """The session without this request."""
    requests = state.session.requests
    return SessionChanged(
        replace(state.session, requests=requests.delete(request) if request in requests else requests)
    )


def done(state: State, request: RequestId, details: Mapping[str, object], *changes: Change) -> Decision:
    """These changes, and the answer that it was carried out."""
    return change(*changes) + _answered(state, InboxAnswer(request, is_done=True, details=details))


def refused(state: State, request: RequestId, refusal: Refusal) -> Decision:
    """Nothing is changed, and whoever asked hears why."""
    answer = InboxAnswer(request, is_done=False, code=refusal.code, message=refusal.message, hint=refusal.hint or None)
    return _answered(state, answer)


def unknown_task(task: TaskName) -> Refusal:
    """There is no such task, neither in the plan nor in the state."""
    return Refusal("unknown_task", f"there is no task {task}.", "orchestrate status . -v shows all tasks")


def on_request_unmet(state: State, event: RequestUnmet) -> Decision:
    """Nothing was done, and the one who asked hears why."""
    return refused(state, event.request, Refusal(event.code, event.message, event.hint or ""))


def on_file_set_aside(state: State, event: FileSetAside) -> Decision:
    """An operator hears of it; so does the one who asked, if it was meant as a request."""
    told = change(AttentionRaised(event.message))
    if event.request is None:
        return told
    return told + refused(state, event.request, Refusal("no_request", event.message))


def on_request_answered(state: State, event: RequestAnswered) -> Decision:
    """Nobody waits for this request any more; one whose answer could not be written is answered by the next engine."""
    session = closed(state, event.request)
    if event.message is None:
        return change(session)
    return change(session, AttentionRaised(f"request {event.request} could not be answered: {event.message}"))


def _answered(state: State, answer: InboxAnswer) -> Decision:
    return change(opened(state, answer.id), effects=[AnswerRequest(answer=answer)])
