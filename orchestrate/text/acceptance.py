"""The handoff of a task that no agent finished and a person stands for."""

from orchestrate.model.names import Timestamp
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskType
from orchestrate.text.headers import handoff_header

_TEXT = """\
## Status
success

## Branch
{branch}

## {did}
{by} accepted this task on that branch at {at}. No agent wrote this handoff.{former}

## Verification
not-verified

## Notes, concerns, deviations, findings, thoughts, feedback
{note}

## Suggested follow-ups
(none)
"""


def acceptance_handoff(row: TaskRow, *, branch: str, by: str, at: Timestamp, note: str | None) -> str:
    """The whole file; a person's words are quoted, so that they are no heading of it."""
    header = handoff_header(
        task=row.name, branch=branch, agent_id=None, run_id=None, result_status="accepted", finished_at=at
    )
    text = _TEXT.format(
        branch=branch,
        did="What my subtree did" if row.type == TaskType.SUBPLANNER else "What I did",
        by=" ".join(by.split()),
        at=at,
        former=_former(row),
        note="(none)" if note is None else _quoted(note),
    )
    return f"{header}\n{text}"


def _former(row: TaskRow) -> str:
    if row.attempts == 0:
        return " The task was never launched."
    tries = "1 try" if row.attempts == 1 else f"{row.attempts} tries"
    return f" Before that it was {row.status} after {tries}; what those reported is in handoffs/attempts/."


def _quoted(note: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in note.splitlines())
