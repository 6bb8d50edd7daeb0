"""Findings: what people should know of a task's result. Each stands in its row and is told once; none stops anything."""

from collections.abc import Iterable
from dataclasses import replace

from orchestrate.core.changes import AttentionRaised, Decision, RowChanged, change
from orchestrate.model.rows import Finding, TaskRow
from orchestrate.model.vocabulary import FindingKind


def with_findings(row: TaskRow, kinds: Iterable[FindingKind], found: Iterable[Finding]) -> TaskRow:
    """The row whose findings of these kinds are just these now."""
    kept = [finding for finding in row.findings if finding.kind not in frozenset(kinds)]
    findings = (*kept, *dict.fromkeys(found))
    return row if findings == row.findings else replace(row, findings=findings)


def told(before: TaskRow, after: TaskRow) -> Decision:
    """The row after, with a line for each finding that is new in it."""
    new = (finding for finding in after.findings if finding not in before.findings)
    lines = (AttentionRaised(f"{after.name}: {finding.message}") for finding in new)
    return change(*(() if after == before else (RowChanged(after),)), *lines)
