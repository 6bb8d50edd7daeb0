import pytest

from orchestrate.text.claims import CLAIM_LIMIT
from orchestrate.text.handoffs import parse_handoff


def claims_of(value: str):
    handoff = parse_handoff(f"## Status\nsuccess\n## Branch\n`a/b`\n## Measurements\n{value}")
    claims = [(claim.name, claim.before, claim.op, claim.after) for claim in handoff.measurements]
    return claims, handoff.measurements_none, handoff.notes


CLAIMS = {
    "lines: 10 → 5": ("lines", "10", "→", "5"),
    "- `a b`: `10` -> `5`": ("a b", "10", "→", "5"),
    "- `ns:a`: `10` → `5`": ("ns:a", "10", "→", "5"),
    "- **a**: **10** → **5**": ("a", "10", "→", "5"),
    "* `a`: **10 kB** → **8 kB** (gzip)": ("a", "10 kB", "→", "8 kB"),
    "a: 10→5": ("a", "10", "→", "5"),
    "a: before 10 → after 5": ("a", "10", "→", "5"),
    "- `a`: 10 \\rightarrow 5": ("a", "10", "→", "5"),
    "- wc -l src/a.ts: 10 → 5": ("wc -l src/a.ts", "10", "→", "5"),
    "- size: 1,234 kB → 1,000 kB, good": ("size", "1,234 kB", "→", "1,000 kB"),
    "- a: 5% → 3%.": ("a", "5%", "→", "3%"),
    "- p99: 120ms <= 100ms": ("p99", "120ms", "<=", "100ms"),
    "a: <120ms → <100ms": ("a", "<120ms", "→", "<100ms"),
    "- x: 1 ≤ 2": ("x", "1", "<=", "2"),
    "- x: 1 ≥ 2": ("x", "1", ">=", "2"),
    "x: 1 &lt; 2": ("x", "1", "<", "2"),
    "x: 2 > 1": ("x", "2", ">", "1"),
    "x: 10 == 10": ("x", "10", "==", "10"),
    "x: 10 = 10": ("x", "10", "==", "10"),
    "```\na: 1 → 2\n```": ("a", "1", "→", "2"),
    "| name | before | op | after |\n|-|-|-|-|\n| `a` | 1 | -> | 2 |": ("a", "1", "→", "2"),
    "| name | before | after |\n|-|-|-|\n| a | 1 | 2 |": ("a", "1", "→", "2"),
    "| name | change |\n|-|-|\n| a | 1 → 2 |": ("a", "1", "→", "2"),
}


@pytest.mark.parametrize(("value", "claim"), CLAIMS.items())
def test_a_claim_is_read_without_its_marks(value, claim):
    assert claims_of(value) == ([claim], False, ())


@pytest.mark.parametrize(
    "value", ["(none)", "- none", "None required.", "n/a", "—", "No measurements were asked for", "なし"]
)
def test_none_is_none(value):
    assert claims_of(value) == ([], True, ())


UNREADABLE = [
    *("- x: 1 => 2", "a: 1 < 2 < 3", "a → b", "- just an item", "- a: → 2", "| a | b | c |\n|-|-|-|\n| a | 1 | 2 |"),
    *("| a |\n|-|\n| x |", "| a | op |\n|-|-|\n| a | many |", "- a: 1 →"),
]


@pytest.mark.parametrize("value", UNREADABLE)
def test_a_line_that_cannot_be_read_is_noted(value):
    claims, says_none, notes = claims_of(value)
    assert (claims, says_none) == ([], False)
    assert notes[0].startswith("Measurements: cannot be read as <name>: <before> <op> <after>: ")


def test_prose_around_the_lines_is_left_alone():
    assert claims_of("Measured twice.\n\n- a: 1 → 2")[0] == [("a", "1", "→", "2")]
    assert claims_of("Measured twice.") == ([], False, ())


def test_an_empty_section_is_noted_and_a_missing_one_is_not():
    assert claims_of("") == ([], None, ("Measurements: the section is empty",))
    missing = parse_handoff("## Status\nsuccess\n## Branch\n`a/b`")
    assert (missing.measurements_none, missing.notes) == (None, ())


def test_a_section_that_is_all_quoted_is_read():
    assert claims_of("> a: 1 → 2") == ([("a", "1", "→", "2")], False, ())
    assert len(claims_of("> a: 1 → 2\n\nb: 1 → 2")[0]) == 1


def test_a_name_with_two_values_is_noted():
    claims, _, notes = claims_of("a: 1 → 2\n\na: 1 → 2\n\na: 1 → 3")
    assert len(claims) == 2
    assert notes == ("Measurements: a is claimed 2 times with different values",)


def test_a_section_without_end_is_read_up_to_a_limit():
    claims, _, notes = claims_of("".join(f"- a{index}: 1 → 2\n" for index in range(CLAIM_LIMIT + 1)))
    assert len(claims) == CLAIM_LIMIT
    assert notes == (f"Measurements: only the first {CLAIM_LIMIT} lines were read",)


def test_a_row_whose_heading_was_used_up_is_noted():
    handoff = parse_handoff(
        "| Status | Branch | Measurements |\n|-|-|-|\n| success | `a/b` | x: 1 → 2 |\n| y | 1 | 2 |\n"
    )
    assert [claim.name for claim in handoff.measurements] == ["x"]
    assert handoff.notes == ("Measurements: cannot be read as <name>: <before> <op> <after>: y | 1 | 2",)
