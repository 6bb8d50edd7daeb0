"""What was read out of a handoff: each value with what it stands for, then the notes."""

from collections.abc import Iterator

from orchestrate.model.handoff import Handoff
from orchestrate.model.vocabulary import TaskType

_WIDTH = 14
_NOT_READ = "(not read)"


def reading_lines(found: Handoff, *, task_type: str) -> list[str]:
    """For people."""
    values = dict(_values(found, is_verifier=task_type == TaskType.VERIFIER))
    lines = [f"{name:<{_WIDTH}}{value}" for name, value in values.items()]
    lines += [
        f"{'measurement':<{_WIDTH}}{each.name}: {each.before} {each.op} {each.after}" for each in found.measurements
    ]
    lines += [f"{'note':<{_WIDTH}}{note}" for note in found.notes]
    return lines if found.notes else [*lines, f"{'notes':<{_WIDTH}}none: nothing in it is odd"]


def reading_document(found: Handoff) -> dict[str, object]:
    """For programs; null is a value that was not read."""
    return {
        "structured": found.structured,
        "status": found.status,
        "branch": found.branch,
        "saysNoBranch": found.says_no_branch,
        "verification": found.verification,
        "failureMode": found.failure_mode,
        "prNumber": found.pr_number,
        "measurements": [
            {"name": each.name, "before": each.before, "op": each.op, "after": each.after}
            for each in found.measurements
        ],
        "measurementsNone": found.measurements_none,
        "notes": list(found.notes),
    }


def _values(found: Handoff, *, is_verifier: bool) -> Iterator[tuple[str, str]]:
    if not found.structured:
        yield "handoff", "no: none of its headings is there, a postmortem would be written beside it"
    if not is_verifier or found.status is not None:
        yield "status", found.status or _NOT_READ
    yield "branch", found.branch or ("none, it says so" if found.says_no_branch else _NOT_READ)
    yield "verification", found.verification or _NOT_READ
    if found.failure_mode is not None:
        yield "failure mode", found.failure_mode
    if found.pr_number is not None:
        yield "pull request", f"#{found.pr_number}"
    if found.measurements_none:
        yield "measurements", "none, it says so"
