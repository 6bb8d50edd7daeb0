"""Tasks that wait for a branch which the remote is known to lack."""

from collections.abc import Mapping, Sequence

from orchestrate.model.names import TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus


def missing_branches(rows: Sequence[TaskRow]) -> Mapping[TaskName, str]:
    """For each such task the branch of a task before it that is not there."""
    lacking = {row.name: row for row in rows if row.status == TaskStatus.HANDED_OFF and _is_missing(row)}
    if not lacking:
        return {}
    found: dict[TaskName, str] = {}
    for row in (row for row in rows if row.status == TaskStatus.PENDING):
        for source in (lacking[name] for name in row.depends_on if name in lacking):
            if _starts_from(row, source):
                found[row.name] = source.branch
    return found


def _is_missing(row: TaskRow) -> bool:
    return row.on_remote is not None and row.on_remote.is_there is False


def _starts_from(row: TaskRow, source: TaskRow) -> bool:
    return row.ref_from == source.name or row.starting_ref == source.branch
