from orchestrate.cli.screens.findings import finding_lines, has_findings
from orchestrate.cli.screens.layout import Look, rendered, width_of
from orchestrate.model.rows import Finding, PathFinding, PathsCheck
from orchestrate.model.vocabulary import FindingKind, PathRule
from tests.support.builders import a_handed_off_row, moment

LIES = Finding(FindingKind.MEASUREMENT, "lines: value-mismatch: claimed 7, measured 1.")
SHARED = Finding(FindingKind.SHARED_BRANCH, "its branch x is that of b as well.")
BEYOND = PathsCheck(moment(), (PathFinding("docs/a.md", PathRule.NOT_ALLOWED),), total=1)


def shown(*rows, columns=80, **options) -> list[str]:
    look = Look(columns=columns)
    return rendered(finding_lines(rows, look, names=18, **options), look)


def test_each_finding_is_a_line_with_its_task_and_all_of_them_a_command():
    row = a_handed_off_row("liar", findings=(LIES, SHARED), paths_check=BEYOND)
    assert has_findings(row)
    assert shown(row) == [
        "✓ liar                finding: lines: value-mismatch: claimed 7, measured 1.",
        "✓ liar                finding: its branch x is that of b as well.",
        "✓ liar                finding: 1 file beyond its paths.",
        "  look: orchestrate status . -v",
    ]


def test_nothing_was_found():
    assert not has_findings(a_handed_off_row("a"))
    assert shown(a_handed_off_row("a")) == []


def test_many_are_counted_and_long_ones_cut():
    rows = [a_handed_off_row(name, findings=(LIES,)) for name in ("a", "b", "c")]
    lines = shown(*rows, columns=40, at_most=1)
    assert lines[0].startswith("✓ a                   finding: lines: v")
    assert lines[0].endswith("…")
    assert lines[1:] == ["  + 2 more findings: orchestrate status . -v"]
    assert all(width_of(line) <= 44 for line in lines)


def test_what_a_finding_quotes_is_not_obeyed_by_the_terminal():
    row = a_handed_off_row("a", findings=(Finding(FindingKind.OTHER_NAME, "named \x1b[2J."),))
    assert "\x1b" not in "".join(shown(row))
