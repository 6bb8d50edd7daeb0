"""The comment that we put before a stored handoff, and taking such comments off again."""

import re

OPENING = "<!-- orchestrate handoff"
_HEADER = re.compile(r"\A\s*<!-- orchestrate handoff\b(?:(?!-->)[\s\S])*+-->[ \t]*\n?\n?")


def handoff_header(
    *,
    task: str,
    branch: str | None,
    agent_id: str | None,
    run_id: str | None,
    result_status: str | None,
    finished_at: str | None,
) -> str:
    """The header with a line for each fact; no value can end it early or add a line."""
    facts = {
        "task": task,
        "branch": branch,
        "agentId": agent_id,
        "runId": run_id,
        "resultStatus": result_status,
        "finishedAt": finished_at,
    }
    lines = [f"{name}: {_escaped(value or '')}".rstrip() for name, value in facts.items()]
    return "\n".join((OPENING, *lines, "-->", ""))


def strip_header(text: str) -> str:
    """The text without the header comment at its start."""
    return _HEADER.sub("", text, count=1)


def _escaped(value: str) -> str:
    r"""Line ends become spaces, ``--`` becomes ``-\-``; a single dash before ``>`` cannot close a comment alone."""
    line = " ".join(value.split())
    return line.replace("--", r"-\-").replace("->", r"-\>")
