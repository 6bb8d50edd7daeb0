"""Verification: a task's own word, and the verdicts of those that check it.

Where the plan has a verifier for a task, only verdicts count; an unreadable one is no pass and no failure.
"""

from dataclasses import replace

from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, change
from orchestrate.core.state import State
from orchestrate.model.names import TaskName, Timestamp
from orchestrate.model.rows import TaskRow, Verdict
from orchestrate.model.timestamps import seconds_between
from orchestrate.model.vocabulary import TaskStatus, Verification

_NOT_YET = "no verdict yet"
_UNREADABLE = "its verdict is unreadable"

#: From the one that settles the matter to the weakest.
_PRECEDENCE = (
    Verification.VERIFIER_FAILED,
    Verification.VERIFIER_BLOCKED,
    Verification.LIVE_UI_VERIFIED,
    Verification.UNIT_TEST_VERIFIED,
    Verification.TYPE_CHECK_ONLY,
    Verification.NOT_VERIFIED,
)


def judged(state: State, row: TaskRow) -> TaskRow:
    """The row with its verification as verdicts or, where nobody checks it, its own report say."""
    assert state.blueprint is not None
    row = replace(row, note=None) if row.note in (_UNREADABLE, _NOT_YET) else row
    verifiers = state.blueprint.verifiers.get(row.name)
    if verifiers is None:
        return row if row.verification == row.self_report else replace(row, verification=row.self_report)
    said = [verdict.value for verdict in row.verdicts if verdict.by in verifiers]
    best = next((word for word in _PRECEDENCE if word in said), None)
    if best is not None:
        return replace(row, verification=best)
    return replace(row, verification=None, note=row.note or (_UNREADABLE if said else _NOT_YET))


def judged_anew(state: State) -> Decision:
    """The rows whose verification a new plan changes: a verifier came, or went; what a foreign state says stays."""
    rows = (row for row in state.rows_in_order() if row.status == TaskStatus.HANDED_OFF)
    known = (row for row in rows if row.verdicts or row.self_report is not None)
    return change(*(RowChanged(after) for row in known if (after := judged(state, row)) != row))


def pass_on_verdict(state: State, verifier: TaskRow, *, at: Timestamp) -> Decision:
    """The target's row with this verifier's verdict in it; nothing for a task that verifies none."""
    task = state.plan.tasks_by_name.get(verifier.name)
    target = None if task is None or task.verifies is None else state.rows.get(task.verifies)
    if target is None:
        return NOTHING
    if not _is_about(verifier, target):
        return change(
            AttentionRaised(f"verdict of {verifier.name} is about earlier work of {target.name}: not counted.")
        )
    verdict = Verdict(by=verifier.name, value=verifier.self_report, sha=None, at=at)
    others = tuple(each for each in target.verdicts if each.by != verifier.name)
    row = judged(state, replace(target, verdicts=(*others, verdict), last_update=at))
    return change(RowChanged(row)) + _told(verifier.name, verdict)


def _told(name: TaskName, verdict: Verdict) -> Decision:
    if verdict.value is not None:
        return NOTHING
    return change(AttentionRaised(f"verdict of {name} is unreadable and does not count."))


def _is_about(verifier: TaskRow, target: TaskRow) -> bool:
    """True if the target's present work was there when its verifier began."""
    if target.status != TaskStatus.HANDED_OFF:
        return False
    return (seconds_between(target.finished_at, verifier.started_at) or 0.0) >= 0.0
