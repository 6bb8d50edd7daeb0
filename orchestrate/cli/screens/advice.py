"""Which command to type next; the one place that knows, so that every surface says the same."""

from collections.abc import Sequence

from orchestrate.cli.screens.layout import Look
from orchestrate.cli.screens.vocabulary import Kind, standing
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus


def command_for(row: TaskRow, look: Look) -> str:
    """What shows more about a task that needs somebody: what its agent said, else what happened to it."""
    return look.command("story" if row.handoff_path is None else "handoff", row.name)


def mending_command(row: TaskRow, look: Look) -> str:
    """What brings such a task on, for somebody who knows what happened: a new try, else what its agent said."""
    is_over = row.status in (TaskStatus.ERROR, TaskStatus.CANCELLED)
    return look.command("respawn", row.name) if is_over else command_for(row, look)


def needs_somebody(row: TaskRow) -> bool:
    """True for a task that ended badly, or only half."""
    if row.status in (TaskStatus.ERROR, TaskStatus.CANCELLED):
        return True
    return row.status == TaskStatus.HANDED_OFF and standing(row).kind is Kind.PARTIAL


def next_command(rows: Sequence[TaskRow], look: Look, *, is_engine_alive: bool) -> str | None:
    """The one command that brings the whole run on; None while an engine is at it and nobody is needed."""
    bad = next((row for row in rows if row.status in (TaskStatus.ERROR, TaskStatus.CANCELLED)), None)
    is_open = any(row.status in (TaskStatus.PENDING, TaskStatus.RUNNING) for row in rows)
    if bad is not None:
        return mending_command(bad, look)
    if is_open:
        return None if is_engine_alive else look.command("run")
    half = next((row for row in rows if needs_somebody(row)), None)
    return None if half is None else command_for(half, look)
