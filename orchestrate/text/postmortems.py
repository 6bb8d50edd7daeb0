"""The page that the engine writes in an agent's place when a run leaves no handoff."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from orchestrate.model.vocabulary import FailureMode, RunStatus
from orchestrate.text.templates import Templates


@dataclass(frozen=True, slots=True)
class Ending:
    """What is known of a run that is over; ``branch`` only where the run reported one."""

    task: str
    attempt: int
    agent_id: str
    run_id: str
    run_status: RunStatus
    starting_ref: str
    branch: str | None = None
    started_at: str | None = None
    finished_at: str | None = None
    duration_seconds: float | None = None
    failure_mode: FailureMode = FailureMode.UNKNOWN
    #: What the service said of the error.
    code: str | None = None
    message: str | None = None
    #: The last message, secrets redacted; empty if there was none.
    reply: str = ""
    last_activity: str | None = None
    #: The agent's page at the service.
    url: str | None = None


_ANEW = "type orchestrate respawn with the plan and the task: what has ended is not launched again by itself"
_ADVICE: Mapping[FailureMode, str] = {
    FailureMode.CAP_HIT: "The run reached a limit of time or usage. Cut the task into smaller ones, or wait until the limit resets.",
    FailureMode.OOM: "The agent's machine ran out of memory. Give the task less to hold at once, or a larger environment.",
    FailureMode.TOOL_ERROR: f"The agent's program or one of its tools failed. Mend what the message names, then {_ANEW}.",
    FailureMode.NETWORK_DROP: f"The connection was lost. Nothing speaks against the same task once more: {_ANEW}.",
    FailureMode.UNKNOWN: f"The cause is not known. Look at the agent's page, change the goal where it misled, then {_ANEW}.",
}
_ADVICE_WITHOUT_HANDOFF = (
    f"The work may be done, but nothing says so. Look at the branch; if the work is not there, {_ANEW}."
)


def render_failure(templates: Templates, *, ending: Ending) -> str:
    """The postmortem of a run that ended in error, expired or was cancelled."""
    return _rendered(templates, "postmortem-failure.md.j2", ending, _ADVICE[ending.failure_mode])


def render_finished_without_handoff(templates: Templates, *, ending: Ending) -> str:
    """The postmortem of a run that finished without a message that can be read as a handoff."""
    return _rendered(templates, "postmortem-finished-no-handoff.md.j2", ending, _ADVICE_WITHOUT_HANDOFF)


def _rendered(templates: Templates, name: str, ending: Ending, advice: str) -> str:
    return templates.render(name, asdict(ending) | {"advice": advice})
