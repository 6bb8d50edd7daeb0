"""Why a run went wrong, from evidence, the surest first: status, error code, length, exit status, the service's words.

What an agent wrote is no evidence: prose about memory is about anything. Only a failure mode that a handoff states in
its own place counts, and only where nothing else speaks.
"""

import re
from collections.abc import Mapping

from orchestrate.model.vocabulary import FailureMode, RunStatus
from orchestrate.text.handoffs import parse_handoff

#: A cloud run is capped near 75 minutes; one that dies in this span hit the cap.
_CAP_SECONDS = (70 * 60, 80 * 60)

_BY_CODE: Mapping[str, FailureMode] = {
    "usage_limit_exceeded": FailureMode.CAP_HIT,
    "max_duration_exceeded": FailureMode.CAP_HIT,
    "max_runtime_exceeded": FailureMode.CAP_HIT,
    "deadline_exceeded": FailureMode.CAP_HIT,
    "run_expired": FailureMode.CAP_HIT,
    "run_timeout": FailureMode.CAP_HIT,
    "expired": FailureMode.CAP_HIT,
    "timeout": FailureMode.CAP_HIT,
    "out_of_memory": FailureMode.OOM,
    "memory_limit_exceeded": FailureMode.OOM,
    "oom": FailureMode.OOM,
    "oomkilled": FailureMode.OOM,
    "oom_killed": FailureMode.OOM,
    "enomem": FailureMode.OOM,
    "tool_error": FailureMode.TOOL_ERROR,
    "tool_call_failed": FailureMode.TOOL_ERROR,
    "tool_failure": FailureMode.TOOL_ERROR,
    "network_error": FailureMode.NETWORK_DROP,
    "network_drop": FailureMode.NETWORK_DROP,
    "connection_lost": FailureMode.NETWORK_DROP,
    "connection_reset": FailureMode.NETWORK_DROP,
    "connection_error": FailureMode.NETWORK_DROP,
    "stream_unavailable": FailureMode.NETWORK_DROP,
    "econnreset": FailureMode.NETWORK_DROP,
    "econnrefused": FailureMode.NETWORK_DROP,
    "econnaborted": FailureMode.NETWORK_DROP,
    "etimedout": FailureMode.NETWORK_DROP,
    "enotfound": FailureMode.NETWORK_DROP,
    "eai_again": FailureMode.NETWORK_DROP,
    "enetunreach": FailureMode.NETWORK_DROP,
    "ehostunreach": FailureMode.NETWORK_DROP,
    "epipe": FailureMode.NETWORK_DROP,
    "err_network": FailureMode.NETWORK_DROP,
}
#: Codes that only say that the agent's program ended badly: how it ended says more.
_ENDED_BADLY = frozenset({"agent_exit", "process_exit", "exit", "nonzero_exit"})
#: SIGKILL, which the kernel sends to whoever takes too much memory, and the status that a shell makes of it.
_KILLED = (9, -9, 137)
_EXIT_STATUS = re.compile(
    r"\b(?:exit(?:ed)?(?: with)?(?: (?:code|status))?|exit[_-]?(?:code|status)|return(?:ed)? code)[: =]{1,3}(-?\d{1,3})\b(?!\.\d)"
)
_SIGNAL = re.compile(
    r"\bsignal[: =]{1,3}(?:(?P<number>\d{1,2})\b|(?P<name>sig[a-z]{2,6})\b)|\b(?P<word>sig(?:kill|segv|abrt|bus|ill))\b"
)

#: Narrow on purpose: what services, kernels and runtimes say, not anybody's prose about it.
_BY_WORDING: tuple[tuple[re.Pattern[str], FailureMode], ...] = (
    (
        re.compile(
            r"(?<!not )(?<!no )(?<!never )\bout[ -]of[ -]memory\b(?! (?:bug|fix|test|issue|handl))|^(?:\S+: line \d+: +\d+ )?killed$"
            r"|\boom[-_ ]?kill(?:ed|er)?\b|\benomem\b|\bcannot allocate memory\b|\bmemory (?:cgroup|limit) (?:out of memory|exceeded|reached)\b"
            r"|\bexceeded (?:its |the )?memory limit\b|\bmemoryerror\b|\bbad_alloc\b|\bheap limit\b",
            re.MULTILINE,
        ),
        FailureMode.OOM,
    ),
    (
        re.compile(
            r"\busage limit\b|\b(?:time|runtime|duration) (?:limit|cap)\b|\bmaximum (?:run ?time|duration)\b|\brun (?:has )?expired\b"
            r"|\b(?:run|agent|task|session) (?:has |was )?timed out\b|\btimed out after \d+ ?(?:m|h|s|min|minutes|hours|seconds)\b"
        ),
        FailureMode.CAP_HIT,
    ),
    (
        re.compile(
            r"\beconn(?:reset|refused|aborted)\b|\betimedout\b|\benotfound\b|\beai_again\b|\be(?:net|host)unreach\b|\bepipe\b|\bsocket hang ?up\b"
            r"|\bconnection (?:was |has been )?(?:unexpectedly )?(?:reset|lost|closed|dropped|aborted|refused|terminated)\b"
            r"|\b(?:lost|dropped) (?:the )?connection\b|\bconnection (?:attempt )?timed out\b"
            r"|\bnetwork (?:error|failure|drop(?:ped)?|is unreachable|unreachable|connection lost)\b|\bgetaddrinfo\b|\bdns (?:failure|error)\b"
        ),
        FailureMode.NETWORK_DROP,
    ),
    (
        re.compile(r"\btool(?: |_)(?:call |use |execution )?(?:error|failed|failure)\b|\btool[_-]error\b"),
        FailureMode.TOOL_ERROR,
    ),
)
#: Of a longer message its head and its tail are read: a log ends with what killed its writer.
_MESSAGE_READ = 4000


def classified(
    *,
    error: object = None,
    output: str | None = None,
    duration_ms: float | None = None,
    code: object = None,
    run_status: str | None = None,
) -> FailureMode:
    """The mode of a run as others have it: an error is its words, or an object with ``message`` and ``code``."""
    words, named = _said(error)
    mode = failure_mode_of(
        run_status=_status(run_status),
        code=str(code) if code is not None else named,
        message=words,
        duration_seconds=None if duration_ms is None else duration_ms / 1000,
    )
    if mode is not FailureMode.UNKNOWN or not output:
        return mode
    return parse_handoff(output).failure_mode or mode


def failure_mode_of(
    *, run_status: RunStatus | None, code: str | None, message: str | None, duration_seconds: float | None
) -> FailureMode:
    """The mode that the evidence shows, the surest first; ``unknown`` if it shows none."""
    if run_status is RunStatus.EXPIRED:
        return FailureMode.CAP_HIT
    name = (code or "").strip().lower().replace("-", "_").replace(" ", "_")
    known = _BY_CODE.get(name)
    if known is not None:
        return known
    if _died_at_the_cap(run_status, duration_seconds):
        return FailureMode.CAP_HIT
    words = _shown(message or "")
    return _of_exit(name, words) or _of_words(name, words)


def _said(error: object) -> tuple[str | None, str | None]:
    """Words and code."""
    if isinstance(error, Mapping):
        message, code = error.get("message"), error.get("code")
    elif error is None or isinstance(error, str):
        message, code = error, None
    else:
        message, code = getattr(error, "message", error), getattr(error, "code", None)
    return (None if message is None else str(message)), (None if code is None else str(code))


def _status(status: str | None) -> RunStatus | None:
    try:
        return RunStatus(status.upper()) if status else None
    except ValueError:
        return None


def _died_at_the_cap(run_status: RunStatus | None, duration_seconds: float | None) -> bool:
    """A run that ended well, or that somebody stopped, did not die."""
    if duration_seconds is None or run_status in (RunStatus.FINISHED, RunStatus.CANCELLED):
        return False
    return _CAP_SECONDS[0] <= duration_seconds <= _CAP_SECONDS[1]


def _of_exit(code: str, words: str) -> FailureMode | None:
    """How the agent's program ended: killed from outside, or with a status or signal of its own."""
    statuses = {int(status) for status in _EXIT_STATUS.findall(words)}
    signals = {match["number"] or match["name"] or match["word"] for match in _SIGNAL.finditer(words)}
    if re.fullmatch(r"-?\d{1,3}", code):
        statuses.add(int(code))
    if code.startswith("sig"):
        signals.add(code)
    if statuses.intersection(_KILLED[1:]) or signals & {"9", "sigkill"}:
        return FailureMode.OOM
    return None


def _of_words(code: str, words: str) -> FailureMode:
    found = next((mode for wording, mode in _BY_WORDING if wording.search(words)), None)
    if found is not None:
        return found
    return FailureMode.TOOL_ERROR if code in _ENDED_BADLY else FailureMode.UNKNOWN


def _shown(message: str) -> str:
    if len(message) > 2 * _MESSAGE_READ:
        message = f"{message[:_MESSAGE_READ]}\n{message[-_MESSAGE_READ:]}"
    return message.lower()
