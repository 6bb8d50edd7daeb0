"""Plain lines ``TIME WORD TASK key=value``: stable, uncoloured, for programs, logs and screen readers."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from orchestrate.cli.screens.tally import Tally
from orchestrate.cli.screens.vocabulary import evidence, is_awaiting_launch
from orchestrate.model.rows import Attention, TaskRow
from orchestrate.model.timestamps import epoch_seconds, seconds_between
from orchestrate.model.vocabulary import HandoffStatus, TaskStatus
from orchestrate.text.terminal import escape_for_terminal

#: Values of these characters stand without quotes.
_BARE = re.compile(r"[\w.,:/@%+#~…-]+\Z")


def plain_line(
    at: float | str | None, word: str, task: str | None = None, *, values: Mapping[str, object] | None = None
) -> str:
    """One line; a value with spaces is quoted as JSON does it, one that is None is left out."""
    parts = [_moment(at), word]
    if task is not None:
        parts.append(task)
    parts += [f"{key}={_value(value)}" for key, value in (values or {}).items() if value is not None]
    return escape_for_terminal(" ".join(parts))


def row_line(row: TaskRow, before: TaskRow | None, *, do: str | None = None) -> str | None:
    """The line for a row that has changed; None where the change is nothing to people."""
    word, values = word_of(row), dict[str, object]()
    if _is_no_news(row, before):
        return None
    match row.status:
        case TaskStatus.RUNNING:
            agent = row.agent_id or (row.launch.agent_id if row.launch else None)
            values = {"attempt": row.attempts, "agent": agent, "url": row.url}
            values |= {"held": _delay(row), "since": row.stalled_since}
            return plain_line(row.last_update, word, row.name, values=values)
        case TaskStatus.HANDED_OFF:
            seconds = None if row.accepted is not None else seconds_between(row.started_at, row.finished_at)
            spent = None if seconds is None else round(seconds)
            if before is not None and word_of(before) == word:
                return plain_line(row.last_update, "verdict", row.name, values={"evidence": evidence(row), "do": do})
            values = {"seconds": spent, "evidence": evidence(row), "branch": row.branch or None, "do": do}
            return plain_line(row.last_update, word, row.name, values=values)
        case TaskStatus.PENDING:
            values = {"attempt": row.attempts + 1, "until": row.not_before}
            return plain_line(row.last_update, word, row.name, values=values)
        case _:
            values = {"mode": row.failure_mode, "attempt": row.attempts or None, "note": row.note, "do": do}
            return plain_line(row.last_update, word, row.name, values=values)


def word_of(row: TaskRow) -> str:
    """One word for how the row stands; it never changes its meaning."""
    if row.status == TaskStatus.RUNNING:
        if is_awaiting_launch(row):
            return "launching"
        return "running" if row.stalled_since is None else "stalled"
    if row.status == TaskStatus.HANDED_OFF and row.handoff_status in (HandoffStatus.PARTIAL, HandoffStatus.BLOCKED):
        return row.handoff_status
    return row.status


def attention_line(item: Attention) -> str:
    """What an operator must know."""
    return plain_line(item.at, "attention", values={"message": item.message})


def progress_line(at: float, tally: Tally) -> str:
    """Where the whole run stands; printed once a minute of silence."""
    return plain_line(at, "progress", values=_counts(tally))


def end_line(at: float, tally: Tally, *, exit_code: int) -> str:
    """How the run ended."""
    word = {0: "finished", 100: "checkpoint", 130: "interrupted"}.get(exit_code, "needs-you")
    return plain_line(at, word, values={**_counts(tally), "exit": exit_code})


def _is_no_news(row: TaskRow, before: TaskRow | None) -> bool:
    """True for a fresh row that waits, and for one that stands as it stood."""
    if before is None:
        return row.status == TaskStatus.PENDING
    if word_of(row) != word_of(before) or row.attempts != before.attempts or _delay(row) != _delay(before):
        return False
    return row.status != TaskStatus.HANDED_OFF or evidence(row) == evidence(before)


def _delay(row: TaskRow) -> str | None:
    return row.launch.delay if row.launch is not None and is_awaiting_launch(row) else None


def _counts(tally: Tally) -> Mapping[str, object]:
    counts: dict[str, object] = {
        "handed-off": tally.handed_off,
        "running": tally.running,
        "waiting": tally.waiting,
        "error": tally.error,
    }
    return {**counts, "cancelled": tally.cancelled} if tally.cancelled else counts


def _moment(at: float | str | None) -> str:
    """UTC, whole seconds."""
    seconds = epoch_seconds(at) if isinstance(at, str) else at
    return "-" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _value(value: object) -> str:
    text = str(value)
    return text if _BARE.match(text) else json.dumps(text, ensure_ascii=False)
