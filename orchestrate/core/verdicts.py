"""Verification: a task's own word, and the verdicts of those that check it.

Where the plan has a verifier for a task, only verdicts count; an unreadable one is no pass and no failure.
"""

from collections.abc import Iterator
from dataclasses import replace

from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, change
from orchestrate.core.findings import told, with_findings
from orchestrate.core.notes import with_note, without_note
from orchestrate.core.state import State
from orchestrate.model.names import TaskName, Timestamp
from orchestrate.model.rows import Finding, TaskRow, Verdict
from orchestrate.model.timestamps import seconds_between
from orchestrate.model.vocabulary import FindingKind, TaskStatus, Verification

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


#: What a verifier did that did not pass the work.
_NO_PASS = {
    Verification.VERIFIER_FAILED: "checked it, and it failed",
    Verification.VERIFIER_BLOCKED: "could not check it",
}


def judged(state: State, row: TaskRow) -> TaskRow:
    """The row with its verification as verdicts or, where nobody checks it, its own report say."""
    assert state.blueprint is not None
    row = without_note(row, _UNREADABLE, _NOT_YET)
    verifiers = state.blueprint.verifiers.get(row.name)
    if verifiers is None:
        return row if row.verification == row.self_report else replace(row, verification=row.self_report)
    said = [verdict.value for verdict in row.verdicts if verdict.by in verifiers and _is_of(verdict, row)]
    best = next((word for word in _PRECEDENCE if word in said), None)
    if best is not None:
        return replace(row, verification=best)
    return with_note(replace(row, verification=None), _UNREADABLE if said else _NOT_YET)


def judged_with_findings(state: State, row: TaskRow) -> TaskRow:
    """The same, with a finding for each verdict on the present work that is no pass."""
    return with_findings(judged(state, row), [FindingKind.VERDICT], _findings(row))


def on_other_commit(row: TaskRow, sha: str | None) -> TaskRow:
    """The row once its branch is at this commit: a verdict that names none was on the former one, as was what was measured."""
    if sha == row.head_sha:
        return row
    if row.head_sha is None:
        return replace(row, head_sha=sha)
    row = with_findings(row, [FindingKind.MEASUREMENT], ())
    verdicts = tuple(each for each in row.verdicts if each.sha is not None)
    return replace(row, head_sha=sha, verdicts=verdicts, measured=())


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
    verdict = Verdict(by=verifier.name, value=verifier.self_report, sha=verifier.starting_sha, at=at)
    others = tuple(each for each in target.verdicts if each.by != verifier.name)
    row = judged_with_findings(state, replace(target, verdicts=(*others, verdict), last_update=at))
    return told(target, row) + _unreadable(verifier.name, verdict)


def _findings(row: TaskRow) -> Iterator[Finding]:
    for verdict in row.verdicts:
        if verdict.value in _NO_PASS and _is_of(verdict, row):
            yield Finding(FindingKind.VERDICT, f"{verdict.by} {_NO_PASS[verdict.value]} ({verdict.value}).")


def _is_of(verdict: Verdict, row: TaskRow) -> bool:
    """True for a verdict on the commit that the branch has now; where either is not known, it counts."""
    return verdict.sha is None or row.head_sha is None or verdict.sha == row.head_sha


def _unreadable(name: TaskName, verdict: Verdict) -> Decision:
    if verdict.value is not None:
        return NOTHING
    return change(AttentionRaised(f"verdict of {name} is unreadable and does not count."))


def _is_about(verifier: TaskRow, target: TaskRow) -> bool:
    """True if the target's present work was there when its verifier began: by its commit, else by the clock."""
    if target.status != TaskStatus.HANDED_OFF:
        return False
    if verifier.starting_sha is not None and target.head_sha is not None:
        return verifier.starting_sha == target.head_sha
    return (seconds_between(target.finished_at, verifier.started_at) or 0.0) >= 0.0
