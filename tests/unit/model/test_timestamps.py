import pytest
from hypothesis import given, settings, strategies as st

from orchestrate.model.timestamps import epoch_seconds, later_by, seconds_between, to_timestamp

MOMENT = "2026-03-04T14:31:36.123Z"


def test_a_moment_is_utc_with_milliseconds():
    assert to_timestamp(1_772_634_696.123) == MOMENT
    assert to_timestamp(0) == "1970-01-01T00:00:00.000Z"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (MOMENT, 1_772_634_696.123),
        ("2026-03-04T15:31:36.123+01:00", 1_772_634_696.123),
        ("2026-03-04T14:31:36.123", 1_772_634_696.123),
        ("yesterday", None),
        ("", None),
        ("1969-12-31T23:59:59Z", None),
        ("0001-01-01T00:00:00Z", None),
        ("2999-12-31T23:59:59Z", 32_503_679_999),
        ("9999-12-31T23:59:59Z", None),
    ],
)
def test_a_moment_is_read_whatever_its_zone(text, seconds):
    assert epoch_seconds(text) == seconds


@pytest.mark.parametrize(
    ("earlier", "later", "seconds"),
    [
        ("2026-03-04T14:31:36.000Z", "2026-03-04T14:32:36.500Z", 60.5),
        (None, MOMENT, None),
        (MOMENT, None, None),
        ("yesterday", MOMENT, None),
    ],
)
def test_what_is_unknown_has_no_distance(earlier, later, seconds):
    assert seconds_between(earlier, later) == seconds


def test_later_is_so_many_seconds_later():
    assert later_by(MOMENT, 0.5) == "2026-03-04T14:31:36.623Z"


@given(st.integers(min_value=0, max_value=4_000_000_000))
@settings(deadline=None)
def test_moments_sort_as_text(second):
    assert to_timestamp(second) < to_timestamp(second + 1)
    assert epoch_seconds(to_timestamp(second)) == second
