"""Findings stand in the row and are told once."""

from orchestrate.core.changes import AttentionRaised, Decision, RowChanged
from orchestrate.core.findings import told, with_findings
from orchestrate.model.rows import Finding
from orchestrate.model.vocabulary import FindingKind
from tests.support.builders import a_row

NOTHING_PUSHED = Finding(FindingKind.NOTHING_PUSHED, "it pushed nothing.")
SHARED = Finding(FindingKind.SHARED_BRANCH, "its branch is that of b as well.")


def test_findings_of_a_kind_are_replaced_and_others_stay():
    row = with_findings(a_row(findings=(NOTHING_PUSHED, SHARED)), [FindingKind.NOTHING_PUSHED], [])
    assert row.findings == (SHARED,)
    assert with_findings(row, [FindingKind.NOTHING_PUSHED], [NOTHING_PUSHED] * 2).findings == (SHARED, NOTHING_PUSHED)


def test_only_what_is_new_is_told():
    before, after = a_row(findings=(SHARED,)), a_row(findings=(SHARED, NOTHING_PUSHED))
    assert told(before, after).changes == (RowChanged(after), AttentionRaised("a: it pushed nothing."))
    assert told(after, after) == Decision()
