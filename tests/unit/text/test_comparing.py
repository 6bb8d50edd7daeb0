import pytest

from orchestrate.model.handoff import MeasurementClaim
from orchestrate.text.comparing import claims_of, compared


def outcome(measured, after, *, op="→", tolerance=0.1, name="lines"):
    claim = MeasurementClaim(name=name, before="1", op=op, after=after)
    found = compared(name="lines", tolerance=tolerance, measured=measured, claim=claim)
    assert found.detail
    assert "\n" not in found.detail
    return str(found.outcome), found.drift


@pytest.mark.parametrize(
    ("measured", "after", "op", "expected"),
    [
        ("1234", "1,234", "→", ("match", 0.0)),
        ("1234", "1 234", "→", ("match", 0.0)),
        ("1234.5", "1.234,5", "->", ("match", 0.0)),
        ("1234", "1.234", "→", ("parse-failed", None)),
        ("1.234", "1,234", "→", ("parse-failed", None)),
        ("1.234", "1.234", "→", ("match", 0.0)),
        ("120", "**`120`** ms", "→", ("match", 0.0)),
        ("120 ms", "0.12 s", "==", ("match", 0.0)),
        ("1200", "1.2 s", "→", ("parse-failed", None)),
        ("50", "50%", "→", ("match", 0.0)),
        ("0.5", "50%", "→", ("parse-failed", None)),
        ("1258291 B", "1.2 MiB", "→", ("match", pytest.approx(0, abs=1e-6))),
        ("1000 B", "1 KB", "→", ("match", 0.0)),
        ("910 B", "1 KB", "→", ("parse-failed", None)),
        ("500 B", "1 KB", "→", ("value-mismatch", 0.5)),
        ("12 ms", "12 MB", "→", ("parse-failed", None)),
        ("pass", "`pass`", "→", ("match", 0.0)),
        ("pass", "fail", "→", ("value-mismatch", None)),
        ("12", "n/a", "→", ("parse-failed", None)),
        ("pass", "12", "<=", ("parse-failed", None)),
        ("", "12", "→", ("parse-failed", None)),
        ("12", "``", "→", ("parse-failed", None)),
        ("12", "12", "=>", ("parse-failed", None)),
        ("50", "50", "<=", ("match", 0.0)),
        ("51", "50", "≤", ("value-mismatch", 0.02)),
        ("50", "50", "<", ("value-mismatch", 0.0)),
        ("81", "80", ">=", ("match", 0.0)),
        ("80", "80", ">", ("value-mismatch", 0.0)),
    ],
)
def test_a_claim_is_read_and_never_guessed(measured, after, op, expected):
    assert outcome(measured, after, op=op) == expected


@pytest.mark.parametrize(
    ("measured", "after", "tolerance", "expected"),
    [
        ("110", "100", 0.1, ("match", 0.1)),
        ("90", "100", 0.1, ("match", 0.1)),
        ("110.01", "100", 0.1, ("value-mismatch", pytest.approx(0.1001))),
        ("-110", "-100", 0.1, ("match", 0.1)),
        ("0.0011", "0.001", 0.1, ("match", pytest.approx(0.1))),
        ("0.5", "0.4", 0.1, ("value-mismatch", 0.25)),
        ("0.0", "0", 0.1, ("match", 0.0)),
        ("0.0001", "0", 0.1, ("value-mismatch", None)),
        ("101", "100", 0, ("value-mismatch", 0.01)),
        ("9" * 97 + "e99", f".{'0' * 94}1e-99", 0.1, ("value-mismatch", None)),
    ],
)
def test_the_tolerance_is_a_part_of_the_claim_also_near_zero(measured, after, tolerance, expected):
    assert outcome(measured, after, tolerance=tolerance) == expected


def test_a_measurement_without_a_claim_of_its_name():
    found = compared(name="lines", tolerance=0, measured="5", claim=None)
    assert (str(found.outcome), found.drift) == ("claim-missing", None)
    assert outcome("5", "5", name="other") == ("claim-missing", None)


def test_without_a_value_nothing_was_run():
    assert compared(name="lines", tolerance=0, measured=None, claim=None).outcome == "not-run"


def test_names_are_found_whatever_marks_and_capitals_they_have():
    claims = [MeasurementClaim(name=name, before="1", op="→", after="2") for name in ("**`Lines`**", "size", "lines ")]
    assert claims_of("lines", claims) == [claims[0], claims[2]]
