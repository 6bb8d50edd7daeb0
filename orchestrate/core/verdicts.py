"""Verification: a task's own word, and the verdicts of those that check it.

Where the plan has a verifier for a task, only verdicts count; an unreadable one is no pass and no failure.
"""

from dataclasses import replace

from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, change
from orchestrate.core.state import State
from orchestrate.model.names import TaskName, Timestamp
from orchestrate.model.rows import TaskRow, Verdict
from orchestrate.model.vocabulary import Verification

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
    if row.name not in state.blueprint.verifiers:
        return replace(row, verification=row.self_report)
    readable = {verdict.value for verdict in row.verdicts}
    best = next((word for word in _PRECEDENCE if word in readable), None)
    if best is not None:
        return replace(row, verification=best)
    missing = "its verdict is unreadable" if row.verdicts else "no verdict yet"
    return replace(row, verification=None, note=row.note or missing)


def pass_on_verdict(state: State, verifier: TaskRow, *, at: Timestamp) -> Decision:
    """The target's row with this verifier's verdict in it; nothing for a task that verifies none."""
    task = state.plan.tasks_by_name.get(verifier.name)
    target = None if task is None or task.verifies is None else state.rows.get(task.verifies)
    if target is None:
        return NOTHING
    verdict = Verdict(by=verifier.name, value=verifier.self_report, sha=None, at=at)
    others = tuple(each for each in target.verdicts if each.by != verifier.name)
    note = None if _is_about_verdict(target.note) else target.note
    row = judged(state, replace(target, verdicts=(*others, verdict), note=note, last_update=at))
    return change(RowChanged(row)) + _told(verifier.name, verdict)


def _told(name: TaskName, verdict: Verdict) -> Decision:
    if verdict.value is not None:
        return NOTHING
    return change(AttentionRaised(f"verdict of {name} is unreadable and does not count."))


def _is_about_verdict(note: str | None) -> bool:
    return note in ("no verdict yet", "its verdict is unreadable")
