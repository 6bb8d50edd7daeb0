import pytest

from orchestrate.errors import MeasurementError
from orchestrate.model.handoff import MeasurementClaim
from orchestrate.model.plan_parts import DEFAULT_TOLERANCE, LineCountParser, Measurement
from orchestrate.text.measurement_inputs import claim_of, name_and_tolerance_of, parser_of, value_of

LINES = LineCountParser(kind="wc-l")


def test_a_parser_is_taken_as_json_has_it():
    assert parser_of(None) == parser_of({"kind": "wc-l"}) == parser_of(LINES) == LINES
    assert parser_of({"kind": "regex", "pattern": "x", "flags": "gi"}).flags == "gi"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"kind": "other"}, "kind"),
        ({"kind": "regex"}, "pattern"),
        ({"kind": "regex", "pattern": "x", "flags": "v"}, '^the parser cannot be used: flags: has "v"'),
        (3, "parser"),
    ],
)
def test_another_parser_is_refused_with_its_place(given, reason):
    with pytest.raises(MeasurementError, match=reason):
        parser_of(given)


def test_a_declared_measurement_gives_name_and_tolerance():
    assert name_and_tolerance_of({"name": "n"}) == ("n", DEFAULT_TOLERANCE)
    assert name_and_tolerance_of({"name": "n", "toleranceFraction": 0}) == ("n", 0)
    assert name_and_tolerance_of(Measurement(name="n", command="c", toleranceFraction=0.5)) == ("n", 0.5)


@pytest.mark.parametrize(
    "given", [{}, {"name": 1}, *({"name": "n", "toleranceFraction": odd} for odd in (True, "x", -1, float("nan")))]
)
def test_another_measurement_is_refused(given):
    with pytest.raises(MeasurementError):
        name_and_tolerance_of(given)


def test_a_claim_may_hold_numbers_and_lack_fields():
    claim = MeasurementClaim(name="n", before="", op="→", after="5")
    assert claim_of(None) is None
    assert claim_of(claim) == claim_of({"name": "n", "op": "→", "after": 5}) == claim


def test_a_value_may_be_a_number():
    assert (value_of(None), value_of(5), value_of("x")) == (None, "5", "x")
