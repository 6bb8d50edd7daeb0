"""One word for how a task stands, made from its row and its circumstances; every surface uses it.

Glyph and word carry the meaning; the kind gives the colour, which only repeats it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from orchestrate.cli.screens.durations import rough_duration
from orchestrate.core.pacing import REASONS
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.vocabulary import FindingKind, HandoffStatus, LaunchDelay, TaskStatus, TaskType, Verification


class Kind(StrEnum):
    """What a task's standing means to the reader."""

    WAITING = "waiting"
    READY = "ready"
    LAUNCHING = "launching"
    RUNNING = "running"
    STALLED = "stalled"
    DONE = "done"
    PARTIAL = "partial"
    ERROR = "error"


#: Glyph and its ASCII twin.
GLYPHS = {
    Kind.WAITING: ("·", "."),
    Kind.READY: ("○", "o"),
    Kind.LAUNCHING: ("◌", "?"),
    Kind.RUNNING: ("●", "*"),
    Kind.STALLED: ("!", "!"),
    Kind.DONE: ("✓", "+"),
    Kind.PARTIAL: ("~", "~"),
    Kind.ERROR: ("✗", "x"),
}

#: How many tasks a line names.
_NAMED = 3

_CHECKED = {
    Verification.LIVE_UI_VERIFIED: "live UI",
    Verification.UNIT_TEST_VERIFIED: "unit tests",
    Verification.TYPE_CHECK_ONLY: "type check only",
}
_VERDICTS = {
    Verification.LIVE_UI_VERIFIED: "live UI verified",
    Verification.UNIT_TEST_VERIFIED: "unit tests verified",
    Verification.TYPE_CHECK_ONLY: "type check only",
    Verification.VERIFIER_BLOCKED: "blocked",
    Verification.VERIFIER_FAILED: "failed",
    Verification.NOT_VERIFIED: "not verified",
}


_FINDINGS = {
    FindingKind.NOTHING_PUSHED: "nothing pushed",
    FindingKind.NOT_ON_REMOTE: "branch not on the remote",
    FindingKind.OTHER_NAME: "pushed under another name",
    FindingKind.SHARED_BRANCH: "branch shared",
    FindingKind.MEASUREMENT: "measurement differs",
    FindingKind.VERDICT: "did not pass its verifier",
}


_OVER = {TaskStatus.HANDED_OFF: "handed off", TaskStatus.ERROR: "error"}


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a row alone does not say."""

    #: Dependencies that have not released the task.
    waits_for: Sequence[str] = ()
    #: The branch that the task starts from, where the remote is known to lack it.
    missing_branch: str | None = None
    #: Why a task that misses nothing does not start.
    held_by: str | None = None
    #: Tasks that this one holds up.
    holds: Sequence[str] = ()
    #: Seconds since 1970; None where durations cannot be told.
    now: float | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """How a task stands, in a glyph and in words."""

    kind: Kind
    #: The status in few words: ``waiting for a, b``, ``running``, ``handed off``.
    word: str

    @property
    def glyph(self) -> str:
        """The sign of this kind."""
        return GLYPHS[self.kind][0]

    @property
    def ascii_glyph(self) -> str:
        """The sign where only ASCII can be shown."""
        return GLYPHS[self.kind][1]


def standing(row: TaskRow, circumstances: Circumstances | None = None) -> Standing:
    """How this task stands."""
    around = circumstances or Circumstances()
    if row.is_called:
        return Standing(Kind.READY, f"{_OVER[row.status]}, runs again with a message")
    match row.status:
        case TaskStatus.PENDING:
            return _pending(row, around)
        case TaskStatus.RUNNING:
            return _running(row, around)
        case TaskStatus.HANDED_OFF:
            return _handed_off(row, around)
        case TaskStatus.ERROR:
            return Standing(Kind.ERROR, error_words(row))
        case TaskStatus.CANCELLED:
            return Standing(Kind.ERROR, "cancelled" if not row.note else f"cancelled: {row.note}")
        case TaskStatus.PRUNED:
            return Standing(Kind.ERROR, "pruned: it is not in the plan any more")


def error_words(row: TaskRow) -> str:
    """``error after 2 tries: cap-hit``, or what kept the task from being launched."""
    note = row.note or ""
    if row.agent_id is None and note.startswith("error "):
        return note
    tries = "1 try" if row.attempts <= 1 else f"{row.attempts} tries"
    reason = row.failure_mode or note or "no reason is known"
    return f"error after {tries}: {reason}"


def evidence(row: TaskRow) -> str:
    """Who says that the result is good: ``verified: unit tests``, ``self-reported: ...``, ``accepted by ...``."""
    if row.accepted is not None and row.verification is None and not row.verdicts:
        return f"accepted by {row.accepted.by}"
    if row.type == TaskType.VERIFIER:
        said = row.self_report or row.verification
        return "verdict unreadable" if said is None else f"verdict: {_VERDICTS[said]}"
    if row.verification == Verification.VERIFIER_FAILED:
        return "verifier failed it"
    if row.verification == Verification.VERIFIER_BLOCKED:
        return "verifier was blocked"
    if row.verification is None and row.verdicts:
        return "verdict unreadable"
    if row.verification is None and row.self_report is not None:
        return "no verdict yet"
    checked = None if row.verification is None else _CHECKED.get(row.verification)
    if checked is None:
        return "not verified"
    if row.verdicts:
        return f"verified: {checked}"
    return f"self-reported: {checked}" if row.self_report == row.verification else f"reported: {checked}"


def beyond_paths(row: TaskRow) -> str:
    """``2 files beyond its paths``; empty where the task kept to them, or nobody knows."""
    total = 0 if row.paths_check is None else row.paths_check.total
    return "" if not total else f"{total} {'file' if total == 1 else 'files'} beyond its paths"


def finding_words(row: TaskRow) -> str:
    """``nothing pushed, shared branch``: the findings of a row in words; empty without any."""
    return ", ".join(dict.fromkeys(_FINDINGS[finding.kind] for finding in row.findings))


def named(names: Sequence[str]) -> str:
    """``a, b``; of many the first and ``+ 4 more``."""
    if len(names) <= _NAMED:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMED])} + {len(names) - _NAMED} more"


def is_awaiting_launch(row: TaskRow) -> bool:
    """True from the intent to the answer; a foreign row that says running is believed."""
    return row.status == TaskStatus.RUNNING and row.run_id is None and row.launch is not None


def _pending(row: TaskRow, around: Circumstances) -> Standing:
    if around.waits_for:
        return Standing(Kind.WAITING, f"waiting for {named(around.waits_for)}")
    if around.missing_branch is not None:
        return Standing(Kind.WAITING, f"waiting for {around.missing_branch}, which is not on the remote")
    moment = epoch_seconds(row.not_before) if row.not_before else None
    if moment is not None and (around.now is None or moment > around.now):
        pause = "" if around.now is None else f", {rough_duration(moment - around.now)} left"
        return Standing(Kind.READY, f"ready, held by the pause before its next try{pause}")
    return Standing(Kind.READY, f"ready, held by {around.held_by}" if around.held_by else "ready")


def _running(row: TaskRow, around: Circumstances) -> Standing:
    if is_awaiting_launch(row):
        return Standing(Kind.LAUNCHING, _launching_words(row, around))
    if row.stalled_since is not None:
        since = epoch_seconds(row.stalled_since)
        silent = "" if since is None or around.now is None else f" {rough_duration(around.now - since)}"
        return Standing(Kind.STALLED, f"stalled{silent}")
    if row.cancel is not None:
        return Standing(Kind.RUNNING, "running, cancel asked for")
    return Standing(Kind.RUNNING, "running")


def _launching_words(row: TaskRow, around: Circumstances) -> str:
    assert row.launch is not None
    if row.launch.delay == LaunchDelay.UNKNOWN_OUTCOME:
        return "outcome unknown, looking it up"
    if row.launch.delay is None:
        return "launching"
    moment = epoch_seconds(row.not_before) if row.not_before else None
    held = f"launching, held: {REASONS[row.launch.delay]}"
    if moment is None or around.now is None or moment <= around.now:
        return held
    return f"{held}, {rough_duration(moment - around.now)} left"


def _handed_off(row: TaskRow, around: Circumstances) -> Standing:
    """A tick only for a run that ended, with a handoff that says success."""
    if row.handoff_status == HandoffStatus.PARTIAL:
        return Standing(Kind.PARTIAL, "partial")
    if row.handoff_status == HandoffStatus.BLOCKED:
        return Standing(Kind.PARTIAL, f"blocked, holds {named(around.holds)}" if around.holds else "blocked")
    if row.handoff_path is None:
        return Standing(Kind.PARTIAL, "handed off, no handoff on file")
    if row.type != TaskType.VERIFIER and row.handoff_status is None and row.launch is not None:
        return Standing(Kind.PARTIAL, "handed off, its status is unreadable")
    return Standing(Kind.DONE, "handed off")
