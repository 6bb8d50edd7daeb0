"""What comes of publishing: failures are counted in the workspace and never in the way of the run."""

from dataclasses import replace

from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, Phase, WorkspaceChanged, change
from orchestrate.core.operating import EXIT_PLANNERS_TURN, left
from orchestrate.core.publishing_events import EngineSuperseded, StateNotPublished, StatePublished
from orchestrate.core.state import State, apply
from orchestrate.model.rows import Unpublished

#: A network may be away for a moment; after so many failures in a row somebody should know.
_TOLD_AT = 3


def on_state_not_published(state: State, event: StateNotPublished) -> Decision:
    """The failure is counted; an operator hears of a refusal at once, and of silence at the third time."""
    before = state.workspace.unpublished
    since, failures = (event.at, 1) if before is None else (before.since, before.failures + 1)
    failed = Unpublished(since, failures, event.ref, event.reason)
    changed = WorkspaceChanged(replace(state.workspace, unpublished=failed))
    if failures != (1 if event.is_refused else _TOLD_AT):
        return change(changed)
    times = "" if failures == 1 else f", {failures} times"
    told = f"state was not pushed to {event.ref} ({event.reason}{times}); the run goes on."
    return change(changed, AttentionRaised(f"{told} Check the git credentials of this machine."))


def on_state_published(state: State, event: StatePublished) -> Decision:
    """Others see the state again."""
    before = state.workspace.unpublished
    if before is None:
        return NOTHING
    changed = WorkspaceChanged(replace(state.workspace, unpublished=None))
    return change(changed, AttentionRaised(f"state is on {event.ref} again, after {before.failures} failed pushes."))


def on_engine_superseded(state: State, event: EngineSuperseded) -> Decision:
    """Two engines would launch everything twice: the older one leaves, agents go on under the newer."""
    told = change(
        AttentionRaised(
            f"an engine that started later has published this workspace on {event.ref}; this one stops. "
            "Look at the other copy of the workspace before you run this one again."
        )
    )
    if state.session.phase != Phase.RUNNING:
        return told
    return told + left(apply(state, told.changes), EXIT_PLANNERS_TURN)
