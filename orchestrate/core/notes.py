"""The note of a row, made of parts of which each comes and goes by itself."""

from dataclasses import replace

from orchestrate.model.rows import TaskRow

_BETWEEN = "; "


def with_note(row: TaskRow, part: str) -> TaskRow:
    """The row whose note says this as well."""
    if row.note is None:
        return replace(row, note=part)
    return row if part in row.note.split(_BETWEEN) else replace(row, note=f"{row.note}{_BETWEEN}{part}")


def without_note(row: TaskRow, *parts: str) -> TaskRow:
    """The row whose note does not say these any more; what else it says stays."""
    if row.note is None:
        return row
    said = row.note.split(_BETWEEN)
    kept = [part for part in said if part not in parts]
    return row if kept == said else replace(row, note=_BETWEEN.join(kept) or None)
