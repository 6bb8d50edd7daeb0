"""The andon: nothing new is launched while it is raised, what runs goes on. Only the root of a tree clears it.

A planner's own raise holds at once for its subtree. What the root says clears it only if it was cleared after that.
"""

from dataclasses import replace

from orchestrate.core import requesting
from orchestrate.core.andon_events import AndonClearRequested, AndonRaiseRequested, AndonSeen, AndonUnknown
from orchestrate.core.changes import (
    NOTHING,
    AttentionRaised,
    Decision,
    SessionChanged,
    WorkspaceChanged,
    change,
)
from orchestrate.core.requesting import Refusal
from orchestrate.core.state import State, apply
from orchestrate.model.names import RequestId
from orchestrate.model.rows import Andon, Workspace

#: Why nothing is launched while nobody knows whether the cord is pulled.
UNKNOWN = "the andon is unknown"
_NOT_THE_ROOT = Refusal(
    "not_the_root",
    "only the root of the tree clears its andon; nothing was changed.",
    "orchestrate andon clear PLAN with the plan of the root",
)


def on_raise_requested(state: State, event: AndonRaiseRequested) -> Decision:
    """Nothing is launched from now on; raised again it keeps its first reason."""
    if requesting.is_too_late(state):
        return NOTHING
    before = state.workspace.andon
    if requesting.was_done(state, event.request) or (before is not None and before.is_raised):
        return requesting.done(state, event.request, _details(before))
    andon = Andon(raised_at=event.at, raised_by=event.by, reason=event.reason)
    told = AttentionRaised(f"{event.by} raised the andon: {event.reason}. Nothing is launched; agents that run go on.")
    return _taken(state, andon, request=event.request, told=told)


def on_clear_requested(state: State, event: AndonClearRequested) -> Decision:
    """Launching goes on; cleared again there is nothing more to do."""
    if requesting.is_too_late(state):
        return NOTHING
    before = state.workspace.andon
    if requesting.was_done(state, event.request) or before is None or not before.is_raised:
        return requesting.done(state, event.request, _details(before))
    if not state.plan.is_root:
        return requesting.refused(state, event.request, _NOT_THE_ROOT)
    andon = replace(before, cleared=True, cleared_at=event.at, cleared_by=event.by, clear_note=event.note)
    told = AttentionRaised(f"{event.by} cleared the andon{_noted(event.note)}.")
    return _taken(state, andon, request=event.request, told=told)


def on_andon_seen(state: State, event: AndonSeen) -> Decision:
    """The tree's andon holds here too."""
    before, seen = state.workspace.andon, event.andon
    if seen.is_raised:
        if before is not None and (before.is_raised or (seen.raised_at or "") <= (before.cleared_at or "")):
            return NOTHING  # known, or from before it was cleared
        who = seen.raised_by or "somebody"
        told = f"{who} raised the andon of the tree: {seen.reason or 'no reason given'}. Nothing is launched."
    else:
        if before is None or not before.is_raised or (seen.cleared_at or "") < (before.raised_at or ""):
            return NOTHING
        seen = replace(before, cleared=True, cleared_at=seen.cleared_at, cleared_by=seen.cleared_by)
        seen = replace(seen, clear_note=event.andon.clear_note)
        told = f"{seen.cleared_by or 'the root'} cleared the andon of the tree{_noted(seen.clear_note)}."
    return change(WorkspaceChanged(_with(state, replace(seen, last_checked_at=event.at))), AttentionRaised(told))


def on_andon_unknown(state: State, event: AndonUnknown) -> Decision:
    """What was known last holds; only a strict engine launches nothing meanwhile."""
    goes_on = "nothing is launched meanwhile" if event.is_strict else "what was known last holds, launching goes on"
    told = AttentionRaised(f"andon unknown since {event.since}: {event.reason}; {goes_on}.")
    session = state.session
    if event.is_strict and session.hold is None:
        return change(told, SessionChanged(replace(session, hold=UNKNOWN)))
    return change(told)


def on_andon_known(state: State) -> Decision:
    """Nobody has to doubt any more."""
    told = AttentionRaised("the andon of the tree can be read again.")
    if state.session.hold != UNKNOWN:
        return change(told)
    return change(told, SessionChanged(replace(state.session, hold=None)))


def _taken(state: State, andon: Andon, *, request: RequestId, told: AttentionRaised) -> Decision:
    held = WorkspaceChanged(_with(state, andon))
    after = apply(state, (held,))
    kept = requesting.remembered(after, request)
    return requesting.done(apply(after, (kept,)), request, _details(andon), kept, told)


def _with(state: State, andon: Andon) -> Workspace:
    return replace(state.workspace, andon=andon)


def _details(andon: Andon | None) -> dict[str, object]:
    if andon is None:
        return {"raised": False}
    facts = {"raisedAt": andon.raised_at, "raisedBy": andon.raised_by, "reason": andon.reason}
    if andon.cleared:
        facts |= {"clearedAt": andon.cleared_at, "clearedBy": andon.cleared_by, "clearNote": andon.clear_note}
    return {"raised": andon.is_raised, **{key: value for key, value in facts.items() if value is not None}}


def _noted(note: str | None) -> str:
    return f": {note}" if note else ""
