"""Why a run went wrong, from typed evidence: its status, its error code, its length, then the service's own words."""

import re
from collections.abc import Mapping

from orchestrate.model.vocabulary import FailureMode, RunStatus

#: A cloud run is capped near 75 minutes; one that dies in this span hit the cap.
_CAP_SECONDS = (70 * 60, 80 * 60)

_BY_CODE: Mapping[str, FailureMode] = {
    "usage_limit_exceeded": FailureMode.CAP_HIT,
    "max_duration_exceeded": FailureMode.CAP_HIT,
    "run_expired": FailureMode.CAP_HIT,
    "timeout": FailureMode.CAP_HIT,
    "out_of_memory": FailureMode.OOM,
    "oom": FailureMode.OOM,
    "oom_killed": FailureMode.OOM,
    "tool_error": FailureMode.TOOL_ERROR,
    "agent_exit": FailureMode.TOOL_ERROR,
    "network_error": FailureMode.NETWORK_DROP,
    "connection_lost": FailureMode.NETWORK_DROP,
    "stream_unavailable": FailureMode.NETWORK_DROP,
}
#: Narrow on purpose: the service's sentences, not anybody's prose about them.
_BY_WORDING: tuple[tuple[re.Pattern[str], FailureMode], ...] = (
    (
        re.compile(r"\bout of memory\b|\boom[- ]?kill(?:ed|er)?\b|\bexit(?:ed)? (?:code|status)[: ]+137\b|\benomem\b"),
        FailureMode.OOM,
    ),
    (
        re.compile(
            r"\busage limit\b|\b(?:time|runtime|duration) (?:limit|cap)\b|\bmaximum (?:run ?time|duration)\b|\brun expired\b"
        ),
        FailureMode.CAP_HIT,
    ),
    (
        re.compile(
            r"\beconnreset\b|\betimedout\b|\beconnrefused\b|\bsocket hang ?up\b|\bconnection (?:was )?(?:reset|lost|closed|dropped)\b|"
            r"\bnetwork (?:error|failure|drop)\b"
        ),
        FailureMode.NETWORK_DROP,
    ),
    (re.compile(r"\btool (?:call )?(?:error|failed|failure)\b|\btool[_-]error\b"), FailureMode.TOOL_ERROR),
)
_MESSAGE_READ = 2000


def failure_mode_of(
    *, run_status: RunStatus | None, code: str | None, message: str | None, duration_seconds: float | None
) -> FailureMode:
    """The mode that the evidence shows, the surest first; ``unknown`` if it shows none."""
    if run_status is RunStatus.EXPIRED:
        return FailureMode.CAP_HIT
    known = _BY_CODE.get((code or "").lower())
    if known is not None:
        return known
    if duration_seconds is not None and _CAP_SECONDS[0] <= duration_seconds <= _CAP_SECONDS[1]:
        return FailureMode.CAP_HIT
    words = (message or "")[:_MESSAGE_READ].lower()
    return next((mode for wording, mode in _BY_WORDING if wording.search(words)), FailureMode.UNKNOWN)
