"""From how a process ended to how its run ended."""

import signal

from orchestrate.model.vocabulary import RunStatus
from orchestrate.server.runners.contract import Outcome
from orchestrate.server.spool import Exit, Spool

_TAIL_BYTES = 2000
_TAIL_LINES = 10


def outcome_of(spool: Spool, *, is_cancelled: bool, branch: str | None, repo_url: str | None) -> Outcome:
    """The outcome of a run that has ended, with the sizes of what it said and the usage that it reported.

    A run whose cancel was accepted is CANCELLED, however its program took it.
    """
    usage = spool.usage()
    stdout_bytes, stderr_bytes = spool.sizes()
    status, message, code = (RunStatus.CANCELLED, None, None) if is_cancelled else _verdict(spool)
    return Outcome(
        status,
        error_message=message,
        error_code=code,
        branch=branch,
        repo_url=repo_url,
        stdout_bytes=stdout_bytes,
        stderr_bytes=stderr_bytes,
        usage=usage,
    )


def _verdict(spool: Spool) -> tuple[RunStatus, str | None, str | None]:
    end = spool.exit()
    match end:
        case None:
            message = "the agent and its supervisor ended without a word: they were killed, or the machine restarted"
            return RunStatus.ERROR, message, "agent_lost"
        case Exit(reason="exited", exit_status=0):
            return RunStatus.FINISHED, None, None
        case Exit(reason="cancelled"):
            return RunStatus.CANCELLED, None, None
        case Exit(reason="timeout"):
            return RunStatus.ERROR, "the agent program ran longer than its timeoutSec and was ended", "timeout"
        case Exit(reason="output-limit"):
            return RunStatus.ERROR, "the agent program wrote too much output and was ended", "output_limit"
        case Exit(reason="exited"):
            return RunStatus.ERROR, f"the agent program ended with {_how(end)}{_last_words(spool)}", "agent_exit"
        case _:
            message = end.message or "its supervisor was told to end"
            return RunStatus.ERROR, f"the agent program was ended: {message}", "agent_terminated"


def _how(end: Exit) -> str:
    if end.signal is None:
        return f"exit status {end.exit_status}"
    try:
        return f"signal {signal.Signals(end.signal).name}"
    except ValueError:
        return f"signal {end.signal}"


def _last_words(spool: Spool) -> str:
    """The end of stderr, its last line first: most programs say there why they failed."""
    size = spool.stderr.size()
    tail = spool.stderr.read(max(size - _TAIL_BYTES, 0), limit=_TAIL_BYTES).decode(errors="replace")
    lines = [line for line in tail.splitlines() if line.strip() and not line.startswith("[server] ")][-_TAIL_LINES:]
    if not lines:
        return ""
    *before, last = lines
    return "\n".join((f": {last.strip()}", *(("before that:", *before) if before else ())))
