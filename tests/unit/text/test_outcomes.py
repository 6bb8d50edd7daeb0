import pytest

from orchestrate.text.handoffs import parse_handoff

STATUSES = {
    "success": "success",
    "**Success**": "success",
    "✅ success": "success",
    "- success": "success",
    "success — all tests pass": "success",
    "SUCCESS.": "success",
    "_success_": "success",
    "Successfully completed everything": "success",
    "Done (success)": "success",
    "- [x] success\n- [ ] partial": "success",
    "> success": "success",
    "```\nsuccess\n```": "success",
    "Status: success": "success",
    "`partial`": "partial",
    "Partial success": "partial",
    "partially done": "partial",
    "blocked: no network": "blocked",
    "~~success~~ blocked": "blocked",
    "The task is **blocked** on the schema": "blocked",
    "blocked: none": None,
    "blocked by nobody": None,
    "success | partial | blocked": None,
    "**success** | partial | blocked": "success",
    "success/partial": None,
    "success (partial docs)": None,
    "success?": None,
    "not success": None,
    "not **success**": None,
    "it is **success** or **blocked**": None,
    "unsuccessful": None,
    "mostly success": None,
    "is it a success?": None,
    "This long line has the word success in it": None,
    "Done": None,
    "": None,
}


@pytest.mark.parametrize(("value", "expected"), STATUSES.items())
def test_the_status_is_read_or_noted(value, expected):
    handoff = parse_handoff(f"## Status\n{value}\n\n## Branch\n`cursor/x`\n")
    assert handoff.status == expected
    assert [note for note in handoff.notes if note.startswith("Status: ")] != [] or expected is not None


def test_status_sections_that_differ_give_none():
    handoff = parse_handoff("## Status\nsuccess\n## Branch\n`a/b`\n## Status\nblocked")
    assert handoff.status is None
    assert handoff.notes == ("Status: 2 places say different things (success, blocked); none was taken",)


LEVELS = {
    "unit-test-verified": "unit-test-verified",
    "Unit test verified": "unit-test-verified",
    "**unit_test_verified** – ran pytest": "unit-test-verified",
    "unit\u2011test\u2011verified": "unit-test-verified",
    "✅ unit-test-verified": "unit-test-verified",
    "Ran pytest -q: 12 passed.\n\nVerdict: `unit-test-verified`": "unit-test-verified",
    "I consider this unit-test-verified.": "unit-test-verified",
    "unit-test-verified (not live-ui-verified, no browser)": "unit-test-verified",
    "unit-test-verified\n\n- live-ui-verified: skipped": "unit-test-verified",
    "- [ ] live-ui-verified\n- [x] unit-test-verified": "unit-test-verified",
    "> unit-test-verified": "unit-test-verified",
    "`live-ui-verified` (clicked through)": "live-ui-verified",
    "Verification level: type-check-only": "type-check-only",
    "Not verified: no tests": "not-verified",
    "verifier-failed: 2 failures": "verifier-failed",
    "**Verdict:** pass": "type-check-only",
    "This is not unit-test-verified": None,
    "unit-test-verified | type-check-only": None,
    "live-ui-verified and unit-test-verified": None,
    "ran pytest, all green": None,
    "tests pass": None,
    "": None,
}


@pytest.mark.parametrize(("value", "expected"), LEVELS.items())
def test_the_level_is_read_or_noted(value, expected):
    handoff = parse_handoff(f"## Status\nsuccess\n## Branch\n`cursor/x`\n## Verification\n{value}")
    assert handoff.verification == expected
    assert bool(handoff.notes) == (expected is None)


LEGACY = {
    "pass": "type-check-only",
    "✅ PASS: all good": "type-check-only",
    "**FAIL**": "verifier-failed",
    "- failed, two tests": "verifier-failed",
    "inconclusive - no browser": "verifier-blocked",
    "verifier-failed": "verifier-failed",
    "pass/fail": None,
    "maybe pass": None,
}


@pytest.mark.parametrize(("value", "expected"), LEGACY.items())
def test_the_legacy_verdict_is_mapped_or_noted(value, expected):
    handoff = parse_handoff(f"## Verdict\n{value}", task_type="verifier")
    assert handoff.verification == expected
    assert bool(handoff.notes) == (expected is None)


MODES = {
    "oom": "oom",
    "`cap-hit` after 75 minutes": "cap-hit",
    "Tool error": "tool-error",
    "network_drop": "network-drop",
    "unknown": "unknown",
    "none": None,
    "None, all went well": None,
    "n/a": None,
}


@pytest.mark.parametrize(("value", "expected"), MODES.items())
def test_the_failure_mode_is_read(value, expected):
    handoff = parse_handoff(f"## Status\nblocked\n## Branch\n`a/b`\n## Failure mode\n{value}")
    assert handoff.failure_mode == expected
    assert handoff.notes == ()


def test_a_failure_mode_of_an_unknown_kind_is_noted():
    handoff = parse_handoff("## Status\nblocked\nfailureMode: weird\n## Branch\n`a/b`")
    assert handoff.notes == ("Failure mode: cannot be read: weird",)
